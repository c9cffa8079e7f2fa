"""With `bots = "review"` a suspected bot's application gets a receipt, and is sent once an operator releases it."""

import json

import pytest

from portal.background.outbox.states import OutboxState
from portal.delivery.envelopes import health, submissions
from portal.delivery.kinds import KINDS
from tests.delivery.scene import Scene
from tests.delivery.senders import bots, held_for, send
from tests.delivery.test_a_file_waits_until_the_scanner_has_checked_it import DAY, Scanner, scan
from tests.delivery.test_metrics_report_the_state_of_delivery import asked

SCANNED = pytest.mark.parametrize("scene", [{"scanner": "clamd:127.0.0.1:9"}], indirect=True)


@pytest.fixture(autouse=True)
def _look(scene: Scene) -> None:
    bots(scene, "review")


def release(scene: Scene, reference: str) -> bool:
    return submissions.release(scene.parts.database, reference, scene.clock, scan_required=scene.parts.scanner_enabled)


@pytest.mark.parametrize("typed", [{"seconds": 1.999}, {"remarks": "x"}])
def test_a_suspected_application_is_received_and_held_until_its_release(scene: Scene, typed: dict):
    reference = send(scene, **typed)
    scene.deliver(after=DAY)
    assert (scene.overview(reference).state, held_for(scene, reference)) == (OutboxState.HELD, "operator")
    assert "Received" in scene.receipt(reference)
    assert "confirm your" not in scene.receipt(reference).lower()
    assert scene.acme.posted == []
    assert release(scene, reference)
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DELIVERED
    assert len(scene.acme.posted) == 1
    assert not release(scene, reference)


def test_an_application_of_a_person_is_not_held(scene: Scene):
    reference = send(scene, seconds=2.0)
    assert held_for(scene, reference) is None
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DELIVERED


def test_a_discarded_application_is_never_sent(scene: Scene):
    reference = send(scene, seconds=0)
    assert submissions.discard(scene.parts.database, KINDS, reference, scene.clock)
    assert not release(scene, reference)
    scene.deliver()
    assert scene.acme.posted == []
    assert "Not delivered" in scene.receipt(reference)


def test_a_retry_does_not_release_an_application(scene: Scene):
    reference = send(scene, seconds=0)
    assert not submissions.retry(
        scene.parts.database, scene.parts.seal, KINDS, reference, scene.clock, scan_required=False
    )
    assert held_for(scene, reference) == "operator"


@SCANNED
def test_a_released_application_is_still_scanned(scene: Scene):
    reference = send(scene, seconds=0)
    assert scan(scene, Scanner()) == 0
    assert release(scene, reference)
    scene.deliver()
    assert (scene.overview(reference).state, held_for(scene, reference)) == (OutboxState.HELD, "scanner")
    assert scene.acme.posted == []
    assert scan(scene, Scanner()) == 1
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DELIVERED


@SCANNED
def test_an_application_held_by_the_scanner_cannot_be_released(scene: Scene):
    reference = send(scene)
    assert held_for(scene, reference) == "scanner"
    assert not release(scene, reference)
    scene.deliver()
    assert scene.acme.posted == []


def test_a_bot_that_uses_her_address_does_not_delay_her_application(scene: Scene):
    program = send(scene, "ada", remarks="x")
    reference = send(scene, "ada", job="job-2")
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DELIVERED
    assert scene.overview(program).state is OutboxState.HELD


def test_a_repeat_by_a_person_releases_the_application(scene: Scene):
    first = send(scene, seconds=0)
    again = send(scene, seconds=0)
    assert held_for(scene, first) == "operator"
    assert held_for(scene, again) == "operator"
    send(scene)
    scene.deliver()
    assert scene.overview(first).state is OutboxState.DELIVERED
    assert len(scene.acme.posted) == 1


def test_a_repeat_is_released_together_with_the_first_application(scene: Scene):
    first, again = send(scene, seconds=0), send(scene, seconds=0)
    assert again == first
    assert release(scene, again)
    scene.deliver()
    assert scene.overview(first).state is OutboxState.DELIVERED


def test_an_application_without_review_for_a_week_is_reported_to_everyone(scene: Scene):
    reference = send(scene, seconds=0)
    scene.clock.pass_time(7 * DAY - 1)
    scene.work.run_housekeeping()
    assert scene.overview(reference).state is OutboxState.HELD
    scene.clock.pass_time(1)
    scene.work.run_housekeeping()
    assert (scene.overview(reference).state, scene.overview(reference).last_failure) == (
        OutboxState.DEAD,
        "NotLookedAt",
    )
    scene.deliver()
    assert any("To: jobs@acme.example" in mail for mail in scene.mails())
    assert any("To: ada@people.example" in mail and "could not" in mail for mail in scene.mails())
    assert submissions.retry(scene.parts.database, scene.parts.seal, KINDS, reference, scene.clock, scan_required=False)
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DELIVERED


def test_applications_held_for_review_are_reported_without_an_alert(scene: Scene):
    send(scene, seconds=0)
    scene.clock.pass_time(DAY)
    figures = asked(scene).text
    assert 'portal_submissions_waiting{for="operator",tenant="acme"} 1.0' in figures
    assert "portal_submissions_oldest_undelivered_seconds 0.0" in figures
    line = health.status_of(scene.parts.database, "application", "acme", scene.clock.now())
    assert line.ok
    assert "1 held for review" in line.says


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_the_commands_name_the_application(scene: Scene, command):
    reference = send(scene, seconds=0)
    assert "held for the operator" in command("list", "--state", "held").stdout
    shown = json.loads(command("show", reference, "--json").stdout)
    assert (shown["heldFor"], shown["suspicion"]) == ("operator", "fast")
    assert "is released: it will be sent now" in command("release", reference).stdout
    assert f"{reference} is queued, and a worker will send it next: only what is held" in str(
        command("release", reference).exception
    )
    scene.deliver(after=3_600)  # the command uses the real clock
    assert scene.overview(reference).state is OutboxState.DELIVERED
