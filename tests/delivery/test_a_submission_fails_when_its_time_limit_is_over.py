"""After PORTAL_DELIVERY_GIVE_UP the next housekeeping fails, lists and reports a submission, whatever it waits for."""

from datetime import timedelta

import pytest

from portal.background.outbox.states import OutboxState
from portal.delivery.envelopes import submissions
from portal.delivery.kinds import KINDS
from portal.worker import _URGENT_STEPS_EVERY
from tests.delivery.scene import Scene
from tests.delivery.service import Deed, refused
from tests.parts.misbehaving import answer, silence

DAY = 86_400
WEEK = 7 * DAY


def told(scene: Scene, reference: str) -> bool:
    scene.deliver()
    return any(reference in mail and "To: jobs@acme.example" in mail for mail in scene.mails())


def test_housekeeping_runs_often_enough():
    assert _URGENT_STEPS_EVERY <= 10


@pytest.mark.parametrize("waits", [503, 500, 422], ids=["retry", "ambiguous", "refused"])
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_submission_fails_even_if_its_next_attempt_is_later(scene: Scene, waits: int):
    scene.acme.plan(refused(answer(status=waits)))
    reference = scene.apply()
    scene.clock.pass_time(WEEK - 2)
    scene.deliver()
    assert scene.overview(reference).next_attempt_at > scene.clock.now() + timedelta(seconds=4)
    scene.work.run_housekeeping()
    assert scene.overview(reference).state is not OutboxState.DEAD
    scene.clock.pass_time(3)
    scene.work.run_housekeeping()
    assert scene.overview(reference).state is OutboxState.DEAD
    assert [one.reference for one in submissions.overview(scene.parts.database, KINDS, state=OutboxState.DEAD)] == [
        reference
    ]
    assert told(scene, reference)
    assert "Not delivered" in scene.receipt(reference)


def test_a_submission_that_waits_for_an_earlier_one_fails_in_time(scene: Scene):
    """A second application that waits for the first one expires in time, too."""
    scene.acme.plan(refused(answer(status=503)))
    first, second = scene.apply(), scene.apply(phoneNumber="030 7654321")
    scene.deliver()
    for _ in range(10):
        scene.deliver(after=3_600)
    scene.clock.pass_time(WEEK)
    scene.work.run_housekeeping()
    scene.deliver()
    assert scene.overview(first).state is OutboxState.DEAD
    assert scene.overview(second).state is OutboxState.DEAD


def test_a_submission_that_was_never_tried_gets_one_attempt(scene: Scene):
    """No worker ran for a week, but the service may be available."""
    reference = scene.apply()
    scene.clock.pass_time(WEEK + 1)
    scene.work.run_housekeeping()
    assert scene.overview(reference).state is OutboxState.DUE
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DELIVERED


def test_a_submission_that_is_being_sent_ends_with_its_response(scene: Scene):
    def mood(_: object) -> Deed:
        scene.clock.pass_time(1)  # its time limit ends while the service does not respond
        return refused(silence())

    scene.acme.mood = mood
    reference = scene.apply()
    scene.clock.pass_time(WEEK - 0.1)
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DEAD
