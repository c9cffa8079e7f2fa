"""/metrics and `portal check` report the index, waiting and failed changes, and open requests."""

import json

from prometheus_client.parser import text_string_to_metric_families

from portal.delivery.privacy_requests import requests
from portal.delivery.privacy_requests.tables import owed_requests
from tests.delivery.record_changes.change_scene import ChangeScene

DAY = 86_400


def figures(scene: ChangeScene) -> dict[str, float]:
    answer = scene.portal.app.test_client().get("/metrics")
    assert answer.status_code == 200
    return {
        ".".join((sample.name, *sample.labels.values())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def erase(scene: ChangeScene) -> str:
    parts = scene.portal.parts
    asked = requests.erase(
        scene.db,
        scene.seal,
        tenant=parts.tenants.require("acme"),
        session=scene.session(),
        locale="en",
        clock=parts.clock,
    )
    assert asked
    return asked.reference


def checked(scene: ChangeScene) -> dict[str, tuple[bool, str]]:
    """Return the check's lines about acme; only those that do not depend on the machine's clock."""
    lines = json.loads(scene.operator("check", "acme", "--json").stdout)
    return {line["what"]: (line["ok"], line["says"]) for line in lines}


def test_metrics_report_the_index(scene: ChangeScene):
    assert figures(scene)["portal_index_age_seconds.acme"] == 0
    scene.portal.parts.clock.pass_time(600)
    scene.relay.down = True
    scene.portal.work.index_what_is_due()
    seen = figures(scene)
    assert (seen["portal_index_age_seconds.acme"], seen["portal_index_failures.acme"]) == (600, 1)


def test_an_index_that_was_never_read_has_no_age(scene: ChangeScene):
    scene.portal.add_tenant("globex", "Globex")
    scene.portal.parts.clock.pass_time(1)
    assert figures(scene)["portal_index_age_seconds.globex"] == float("inf")


def test_metrics_report_changes(scene: ChangeScene):
    assert figures(scene)["portal_record_changes_oldest_undelivered_seconds"] == 0
    scene.send("Augusta")
    scene.portal.parts.clock.pass_time(700)
    seen = figures(scene)
    assert seen["portal_record_changes.due"] == 1
    assert seen["portal_record_changes_oldest_undelivered_seconds"] == 700
    scene.deliver()
    assert figures(scene)["portal_record_changes.delivered"] == 1


def test_metrics_report_open_requests(scene: ChangeScene):
    assert figures(scene)["portal_requests_open.acme"] == 0
    reference = erase(scene)
    scene.portal.parts.clock.pass_time(29 * DAY)
    seen = figures(scene)
    assert (seen["portal_requests_open.acme"], seen["portal_requests_overdue.acme"]) == (1, 0)
    assert seen["portal_requests_oldest_seconds.acme"] == 29 * DAY
    scene.portal.parts.clock.pass_time(2 * DAY)
    (scene.portal.parts.settings.tenants / "acme.toml").unlink()
    assert figures(scene)["portal_requests_overdue.acme"] == 1
    requests.done(scene.db, scene.seal, reference, scene.portal.parts.clock)
    assert "portal_requests_open.acme" not in figures(scene)


def test_the_check_reports_what_waits_for_a_person(scene: ChangeScene):
    lines = checked(scene)
    assert lines["changes acme"] == (True, "none")
    assert lines["requests acme"] == (True, "none open")
    reference = scene.send("Augusta")
    scene.kill()
    fine, says = checked(scene)["changes acme"]
    assert (fine, says) == (False, "1 dead; see `portal submissions list --state dead`")
    scene.operator("submissions", "discard", reference)
    assert checked(scene)["changes acme"] == (True, "1 discarded")


def test_the_check_names_overdue_requests_and_a_failing_index(scene: ChangeScene):
    with scene.db.write() as connection:
        from portal.background.sync.tables import ListName, passes

        mine = passes.update().where(passes.c.list == ListName.CANDIDATES)
        connection.execute(mine.values(failures=3, error="the service does not answer"))
    erase(scene)
    with scene.db.write() as connection:
        from portal.platform.database.db import EPOCH

        connection.execute(owed_requests.update().values(due_at=EPOCH))
    lines = checked(scene)
    assert not lines["requests acme"][0]
    assert "1 overdue: see `portal requests list`" in lines["requests acme"][1]
    assert not lines["index acme"][0]
