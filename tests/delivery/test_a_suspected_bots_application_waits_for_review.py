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

SCANNED = pytest.mark.parametrize("here", [{"scanner": "clamd:127.0.0.1:9"}], indirect=True)


@pytest.fixture(autouse=True)
def _look(here: Scene) -> None:
    bots(here, "review")


def release(here: Scene, reference: str) -> bool:
    return submissions.release(here.parts.database, reference, here.clock, scan_required=here.parts.scans)


@pytest.mark.parametrize("typed", [{"seconds": 1.999}, {"remarks": "x"}])
def test_a_suspected_application_is_received_and_held_until_its_release(here: Scene, typed: dict):
    reference = send(here, **typed)
    here.deliver(after=DAY)
    assert (here.overview(reference).state, held_for(here, reference)) == (OutboxState.HELD, "operator")
    assert "Received" in here.receipt(reference)
    assert "confirm your" not in here.receipt(reference).lower()
    assert here.acme.posted == []
    assert release(here, reference)
    here.deliver()
    assert here.overview(reference).state is OutboxState.DELIVERED
    assert len(here.acme.posted) == 1
    assert not release(here, reference)


def test_an_application_of_a_person_is_not_held(here: Scene):
    reference = send(here, seconds=2.0)
    assert held_for(here, reference) is None
    here.deliver()
    assert here.overview(reference).state is OutboxState.DELIVERED


def test_a_discarded_application_is_never_sent(here: Scene):
    reference = send(here, seconds=0)
    assert submissions.discard(here.parts.database, KINDS, reference, here.clock)
    assert not release(here, reference)
    here.deliver()
    assert here.acme.posted == []
    assert "Not delivered" in here.receipt(reference)


def test_a_retry_does_not_release_an_application(here: Scene):
    reference = send(here, seconds=0)
    assert not submissions.retry(
        here.parts.database, here.parts.seal, KINDS, reference, here.clock, scan_required=False
    )
    assert held_for(here, reference) == "operator"


@SCANNED
def test_a_released_application_is_still_scanned(here: Scene):
    reference = send(here, seconds=0)
    assert scan(here, Scanner()) == 0
    assert release(here, reference)
    here.deliver()
    assert (here.overview(reference).state, held_for(here, reference)) == (OutboxState.HELD, "scanner")
    assert here.acme.posted == []
    assert scan(here, Scanner()) == 1
    here.deliver()
    assert here.overview(reference).state is OutboxState.DELIVERED


@SCANNED
def test_an_application_held_by_the_scanner_cannot_be_released(here: Scene):
    reference = send(here)
    assert held_for(here, reference) == "scanner"
    assert not release(here, reference)
    here.deliver()
    assert here.acme.posted == []


def test_a_bot_that_uses_her_address_does_not_delay_her_application(here: Scene):
    program = send(here, "ada", remarks="x")
    reference = send(here, "ada", job="job-2")
    here.deliver()
    assert here.overview(reference).state is OutboxState.DELIVERED
    assert here.overview(program).state is OutboxState.HELD


def test_a_repeat_by_a_person_releases_the_application(here: Scene):
    first = send(here, seconds=0)
    again = send(here, seconds=0)
    assert held_for(here, first) == "operator"
    assert held_for(here, again) == "operator"
    send(here)
    here.deliver()
    assert here.overview(first).state is OutboxState.DELIVERED
    assert len(here.acme.posted) == 1


def test_a_repeat_is_released_together_with_the_first_application(here: Scene):
    first, again = send(here, seconds=0), send(here, seconds=0)
    assert again == first
    assert release(here, again)
    here.deliver()
    assert here.overview(first).state is OutboxState.DELIVERED


def test_an_application_without_review_for_a_week_is_reported_to_everyone(here: Scene):
    reference = send(here, seconds=0)
    here.clock.pass_time(7 * DAY - 1)
    here.work.run_housekeeping()
    assert here.overview(reference).state is OutboxState.HELD
    here.clock.pass_time(1)
    here.work.run_housekeeping()
    assert (here.overview(reference).state, here.overview(reference).last_failure) == (
        OutboxState.DEAD,
        "NotLookedAt",
    )
    here.deliver()
    assert any("To: jobs@acme.example" in mail for mail in here.mails())
    assert any("To: ada@people.example" in mail and "could not" in mail for mail in here.mails())
    assert submissions.retry(here.parts.database, here.parts.seal, KINDS, reference, here.clock, scan_required=False)
    here.deliver()
    assert here.overview(reference).state is OutboxState.DELIVERED


def test_applications_held_for_review_are_reported_without_an_alert(here: Scene):
    send(here, seconds=0)
    here.clock.pass_time(DAY)
    figures = asked(here).text
    assert 'portal_submissions_waiting{for="operator",tenant="acme"} 1.0' in figures
    assert "portal_submissions_oldest_undelivered_seconds 0.0" in figures
    line = health.status_of(here.parts.database, "application", "acme", here.clock.now())
    assert line.fine
    assert "1 held for review" in line.says


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_the_commands_name_the_application(here: Scene, command):
    reference = send(here, seconds=0)
    assert "held for the operator" in command("list", "--state", "held").stdout
    shown = json.loads(command("show", reference, "--json").stdout)
    assert (shown["heldFor"], shown["suspicion"]) == ("operator", "fast")
    assert "is released: it will be sent now" in command("release", reference).stdout
    assert f"{reference} is queued, and a worker will send it next: only what is held" in str(
        command("release", reference).exception
    )
    here.deliver(after=3_600)  # the command uses the real clock
    assert here.overview(reference).state is OutboxState.DELIVERED
