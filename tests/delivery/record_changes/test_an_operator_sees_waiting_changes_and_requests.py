"""/metrics and `portal check` report the index, waiting and failed changes, and open requests."""

import json

from prometheus_client.parser import text_string_to_metric_families

from portal.delivery.privacy_requests import requests
from portal.delivery.privacy_requests.tables import owed_requests
from tests.delivery.record_changes.desk import Desk

DAY = 86_400


def figures(desk: Desk) -> dict[str, float]:
    answer = desk.portal.app.test_client().get("/metrics")
    assert answer.status_code == 200
    return {
        ".".join((sample.name, *sample.labels.values())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def erase(desk: Desk) -> str:
    parts = desk.portal.parts
    asked = requests.erase(
        desk.db,
        desk.seal,
        tenant=parts.tenants.require("acme"),
        session=desk.session(),
        locale="en",
        clock=parts.clock,
    )
    assert asked
    return asked.reference


def checked(desk: Desk) -> dict[str, tuple[bool, str]]:
    """Return the check's lines about acme; only those that do not depend on the machine's clock."""
    lines = json.loads(desk.operator("check", "acme", "--json").stdout)
    return {line["what"]: (line["ok"], line["says"]) for line in lines}


def test_metrics_report_the_index(desk: Desk):
    assert figures(desk)["portal_index_age_seconds.acme"] == 0
    desk.portal.parts.clock.pass_time(600)
    desk.relay.down = True
    desk.portal.work.index_what_is_due()
    seen = figures(desk)
    assert (seen["portal_index_age_seconds.acme"], seen["portal_index_failures.acme"]) == (600, 1)


def test_an_index_that_was_never_read_has_no_age(desk: Desk):
    desk.portal.add_tenant("globex", "Globex")
    desk.portal.parts.clock.pass_time(1)
    assert figures(desk)["portal_index_age_seconds.globex"] == float("inf")


def test_metrics_report_changes(desk: Desk):
    assert figures(desk)["portal_record_changes_oldest_undelivered_seconds"] == 0
    desk.send("Augusta")
    desk.portal.parts.clock.pass_time(700)
    seen = figures(desk)
    assert seen["portal_record_changes.due"] == 1
    assert seen["portal_record_changes_oldest_undelivered_seconds"] == 700
    desk.deliver()
    assert figures(desk)["portal_record_changes.delivered"] == 1


def test_metrics_report_open_requests(desk: Desk):
    assert figures(desk)["portal_requests_open.acme"] == 0
    reference = erase(desk)
    desk.portal.parts.clock.pass_time(29 * DAY)
    seen = figures(desk)
    assert (seen["portal_requests_open.acme"], seen["portal_requests_overdue.acme"]) == (1, 0)
    assert seen["portal_requests_oldest_seconds.acme"] == 29 * DAY
    desk.portal.parts.clock.pass_time(2 * DAY)
    (desk.portal.parts.settings.tenants / "acme.toml").unlink()
    assert figures(desk)["portal_requests_overdue.acme"] == 1
    requests.done(desk.db, desk.seal, reference, desk.portal.parts.clock)
    assert "portal_requests_open.acme" not in figures(desk)


def test_the_check_reports_what_waits_for_a_person(desk: Desk):
    lines = checked(desk)
    assert lines["changes acme"] == (True, "none")
    assert lines["requests acme"] == (True, "none open")
    reference = desk.send("Augusta")
    desk.kill()
    fine, says = checked(desk)["changes acme"]
    assert (fine, says) == (False, "1 dead; see `portal submissions list --state dead`")
    desk.operator("submissions", "discard", reference)
    assert checked(desk)["changes acme"] == (True, "1 discarded")


def test_the_check_names_overdue_requests_and_a_failing_index(desk: Desk):
    with desk.db.write() as connection:
        from portal.background.sync.tables import ListName, passes

        mine = passes.update().where(passes.c.list == ListName.CANDIDATES)
        connection.execute(mine.values(failures=3, error="the service does not answer"))
    erase(desk)
    with desk.db.write() as connection:
        from portal.platform.database.db import EPOCH

        connection.execute(owed_requests.update().values(due_at=EPOCH))
    lines = checked(desk)
    assert not lines["requests acme"][0]
    assert "1 overdue: see `portal requests list`" in lines["requests acme"][1]
    assert not lines["index acme"][0]
