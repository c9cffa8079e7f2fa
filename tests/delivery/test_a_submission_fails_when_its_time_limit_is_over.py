"""After PORTAL_DELIVERY_GIVE_UP the next housekeeping fails, lists and reports a submission, whatever it waits for."""

from datetime import timedelta

import pytest

from portal.background.outbox.states import OutboxState
from portal.delivery.envelopes import submissions
from portal.delivery.kinds import KINDS
from portal.worker import _HOUSEKEEPING
from tests.delivery.scene import Scene
from tests.delivery.service import Deed, refused
from tests.parts.misbehaving import answer, silence

DAY = 86_400
WEEK = 7 * DAY


def told(here: Scene, reference: str) -> bool:
    here.deliver()
    return any(reference in mail and "To: jobs@acme.example" in mail for mail in here.mails())


def test_housekeeping_runs_often_enough():
    assert _HOUSEKEEPING <= 10


@pytest.mark.parametrize("waits", [503, 500, 422], ids=["retry", "ambiguous", "refused"])
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_submission_fails_even_if_its_next_attempt_is_later(here: Scene, waits: int):
    here.acme.plan(refused(answer(status=waits)))
    reference = here.apply()
    here.clock.pass_time(WEEK - 2)
    here.deliver()
    assert here.overview(reference).next_attempt_at > here.clock.now() + timedelta(seconds=4)
    here.work.run_housekeeping()
    assert here.overview(reference).state is not OutboxState.DEAD
    here.clock.pass_time(3)
    here.work.run_housekeeping()
    assert here.overview(reference).state is OutboxState.DEAD
    assert [one.reference for one in submissions.overview(here.parts.database, KINDS, state=OutboxState.DEAD)] == [
        reference
    ]
    assert told(here, reference)
    assert "Not delivered" in here.receipt(reference)


def test_a_submission_that_waits_for_an_earlier_one_fails_in_time(here: Scene):
    """A second application that waits for the first one expires in time, too."""
    here.acme.plan(refused(answer(status=503)))
    first, second = here.apply(), here.apply(phoneNumber="030 7654321")
    here.deliver()
    for _ in range(10):
        here.deliver(after=3_600)
    here.clock.pass_time(WEEK)
    here.work.run_housekeeping()
    here.deliver()
    assert here.overview(first).state is OutboxState.DEAD
    assert here.overview(second).state is OutboxState.DEAD


def test_a_submission_that_was_never_tried_gets_one_attempt(here: Scene):
    """No worker ran for a week, but the service may be available."""
    reference = here.apply()
    here.clock.pass_time(WEEK + 1)
    here.work.run_housekeeping()
    assert here.overview(reference).state is OutboxState.DUE
    here.deliver()
    assert here.overview(reference).state is OutboxState.DELIVERED


def test_a_submission_that_is_being_sent_ends_with_its_response(here: Scene):
    def mood(_: object) -> Deed:
        here.clock.pass_time(1)  # its time limit ends while the service does not respond
        return refused(silence())

    here.acme.mood = mood
    reference = here.apply()
    here.clock.pass_time(WEEK - 0.1)
    here.deliver()
    assert here.overview(reference).state is OutboxState.DEAD
