"""Rows of a secret key that was removed too early are failed, counted and reported; all others continue."""

import logging

import pytest

from portal.background.mails.tables import letters
from portal.background.outbox.states import OutboxState
from portal.cli.opened_services import operator_actions
from portal.delivery.envelopes import health
from portal.delivery.envelopes.tables import deliveries
from portal.operations.actions.actions import ActRefused
from portal.operations.actions.audit import ActionChannel, by_this_account
from portal.operations.health.database_metrics import DatabaseMetrics
from portal.platform.crypto.sealing import Seal
from portal.platform.logs import EventName
from portal.platform.logs.events import Event
from tests.delivery.scene import Scene
from tests.delivery.service import refused
from tests.parts.misbehaving import answer

WEEK = 7 * 86_400
REMOVED = Seal("a removed secret for tests, 32 ch")


def reseal(scene: Scene, *references: str) -> None:
    """Encrypt these deliveries with another secret key, as if it had been the current one."""
    with scene.parts.database.write() as connection:
        chosen = deliveries.c.reference.in_(references)
        connection.execute(deliveries.update().where(chosen).values(sealed=REMOVED.seal("{}")))


def unreadable_events(caplog: pytest.LogCaptureFixture) -> list[Event]:
    told = [record.msg for record in caplog.records if isinstance(record.msg, Event)]
    return [one for one in told if one.happened is EventName.UNREADABLE]


def problems_of(scene: Scene, *names: str) -> list[str]:
    scene.acme.plan(refused(answer(status=422)))
    references = [scene.apply(name) for name in names]
    scene.deliver()
    return references


def test_other_rows_are_given_up_and_one_log_line_counts_the_unreadable_ones(
    scene: Scene, caplog: pytest.LogCaptureFixture
):
    lost, also_lost, fine = problems_of(scene, "ada", "bob", "eve")
    reseal(scene, lost, also_lost)
    scene.clock.pass_time(WEEK + 1)
    caplog.clear()
    with caplog.at_level(logging.INFO):
        scene.work.run_housekeeping()
    assert {scene.overview(one).state for one in (lost, also_lost, fine)} == {OutboxState.DEAD}
    assert scene.overview(lost).last_failure == "Unreadable"
    (told,) = unreadable_events(caplog)
    assert told.fields["count"] == 2
    scene.clock.pass_time(3_700)
    scene.deliver()
    mails = scene.mails()
    assert any("To: eve@people.example" in mail and "could not be delivered" in mail for mail in mails)
    operators = "\n".join(mail for mail in mails if "To: jobs@acme.example" in mail)
    assert all(one in operators for one in (lost, also_lost, fine))


def test_unreadable_rows_are_reported_by_check_and_metrics_until_they_are_settled(scene: Scene):
    reference = scene.apply()
    assert line(scene).ok
    reseal(scene, reference)
    scene.deliver()
    said = line(scene)
    assert not said.ok
    assert "1 could not be read" in said.says
    assert "PORTAL_SECRET_KEY_FALLBACKS" in said.says
    parts = scene.parts
    figures = {
        (family.name, *sample.labels.values()): sample.value
        for family in DatabaseMetrics(
            parts.database, parts.tenants, parts.clock, code_ttl=600, forget_after=10**8
        ).families()
        for sample in family.samples
    }
    assert figures["portal_queue_unreadable", "application", "acme"] == 1


def line(scene: Scene) -> health.HealthLine:
    return health.status_of(scene.parts.database, "application", "acme", scene.clock.now())


def test_an_unreadable_digest_does_not_prevent_reports_of_failed_deliveries(scene: Scene):
    (first,) = problems_of(scene, "ada")
    scene.clock.pass_time(600)
    (second,) = problems_of(scene, "bob")
    scene.clock.pass_time(WEEK - 599)
    scene.work.run_housekeeping()
    assert [scene.overview(one).state for one in (first, second)] == [OutboxState.DEAD, OutboxState.RETRY]
    digest = letters.c.template == "dead"
    with scene.parts.database.write() as connection:
        connection.execute(letters.update().where(digest).values(sealed=REMOVED.seal('["x", {"references": []}]')))
    scene.clock.pass_time(600)
    scene.work.run_housekeeping()
    assert scene.overview(second).state is OutboxState.DEAD
    scene.deliver()
    operators = "\n".join(mail for mail in scene.mails() if "To: jobs@acme.example" in mail)
    assert second in operators
    assert first not in operators


def test_the_attempt_that_finds_a_row_unreadable_notifies_the_operator(scene: Scene):
    reference = scene.apply()
    reseal(scene, reference)
    scene.deliver(after=WEEK + 1)
    assert scene.overview(reference).state is OutboxState.DEAD
    assert scene.overview(reference).last_failure == "Unreadable"
    scene.deliver()
    assert any(reference in mail and "To: jobs@acme.example" in mail for mail in scene.mails())


def test_a_retry_names_the_missing_secret_and_queues_nothing(scene: Scene):
    reference = scene.apply()
    reseal(scene, reference)
    scene.deliver(after=WEEK + 1)
    with pytest.raises(ActRefused, match=r"PORTAL_SECRET_KEY_FALLBACKS decrypts it\. Add the secret"):
        operator_actions(scene.parts).retry(by_this_account(ActionChannel.COMMAND), reference)
    assert scene.overview(reference).state is OutboxState.DEAD
