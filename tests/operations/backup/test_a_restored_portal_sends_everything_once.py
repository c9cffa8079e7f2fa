"""After a restore, applications that waited in the backup are delivered once, and a lost receipt leads to the form."""

import html

import httpx

from tests.operations.backup.machine import Backups


def test_applications_are_delivered_once_whether_or_not_delivered_since(backups: Backups):
    site = backups.site
    site.start("serve")
    site.serving()
    site.portal("sync")
    waiting = [site.acknowledge(site.open_form(tenant)) for tenant in ("acme", "acme", "globex", "globex")]
    backups.take()
    assert "complete" in site.portal("backup", "verify", str(backups.home))

    site.start("worker")
    site.until(lambda: site.has_state("delivered", *waiting), "they are delivered after the backup")
    lost = site.acknowledge(site.open_form())
    backups.lose_the_machine()

    assert "4 deliveries" in backups.restore()
    site.start("serve", "worker")
    site.serving()
    del site.acknowledged[lost]
    site.settled()
    counts = {tenant: behind.counts() for tenant, behind in site.services.items()}
    assert [counts["acme"][one] for one in waiting[:2]] == [1, 1]
    assert [counts["globex"][one] for one in waiting[2:]] == [1, 1]
    answer = httpx.get(f"{site.url}/acme/applications/{lost}", trust_env=False)
    assert answer.status_code == 410
    assert "send your application again" in answer.text
    assert "/acme/jobs/job-1/apply" in html.unescape(answer.text)
    for other in (f"globex/applications/{lost}", f"acme/applications/{lost[:-1]}{'2' if lost[-1] != '2' else '3'}"):
        assert httpx.get(f"{site.url}/{other}", trust_env=False).status_code == 404
    assert site.acknowledge(site.open_form("acme"))
