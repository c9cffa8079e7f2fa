"""A service that hangs, is down or rejects requests affects only its own company."""

import threading

import pytest

from portal.adapters.tracker_client import errors as tracker_errors
from portal.background.outbox import worker
from portal.background.outbox.retry_policy import Policy
from portal.background.outbox.states import OutboxState, Result
from portal.platform import errors
from tests.delivery.scene import RETRY_BASE, Scene
from tests.delivery.service import refused, taken
from tests.parts.misbehaving import answer, silence


@pytest.mark.parametrize("scene", [{"delivery_deadline": 60}], indirect=True)
def test_a_hanging_service_does_not_delay_other_companies(scene: Scene):
    scene.acme.plan(refused(silence(60)))
    for n in range(12):
        scene.apply(f"p{n}")
    stop = threading.Event()
    working = threading.Thread(target=scene.work.run, args=(stop,), kwargs={"threads": 8})
    working.start()
    try:
        scene.until(lambda: scene.acme.posted, "a request waits for the hanging service")
        reference = scene.apply("eve", tenant="globex")
        scene.until(lambda: scene.globex.counts() == {reference: 1}, "the other company has its application")
        assert not scene.acme.answered
    finally:
        stop.set()
        scene.acme.down()  # release the requests that still wait
        working.join()


def test_an_outage_of_one_service_does_not_stop_deliveries_to_another(scene: Scene):
    scene.acme.plan(refused(answer(status=503)))
    troubled = [scene.apply(f"p{n}") for n in range(8)]
    scene.deliver()
    assert len(scene.acme.posted) == 1
    fine = scene.apply(tenant="globex")
    assert scene.deliver() == 2  # the application, and its receipt by email
    assert scene.overview(fine).state is OutboxState.DELIVERED
    assert {scene.overview(one).state for one in troubled} <= {OutboxState.DUE, OutboxState.RETRY}


@pytest.mark.parametrize("scene", [{"delivery_deadline": 60}], indirect=True)
def test_a_late_success_does_not_end_a_pause_that_was_requested(scene: Scene):
    references = [scene.apply(f"p{n}") for n in range(4)]
    arrived = threading.Barrier(2)

    def mood(one):
        if one.reference == references[0]:
            arrived.wait(60)  # responds after the other request's 429
            return taken()
        return refused(answer(status=429, headers={"Retry-After": "500"}))

    scene.acme.mood = mood
    first = threading.Thread(target=scene.work.deliver_what_is_due)
    first.start()
    scene.until(lambda: scene.acme.posted, "the first application is being sent")
    scene.deliver()
    before = len(scene.acme.posted)
    arrived.wait(60)
    first.join()
    assert scene.overview(references[0]).state is OutboxState.DELIVERED
    scene.deliver(after=490)
    assert len(scene.acme.posted) == before


def test_an_internal_error_opens_no_breaker_and_ends_no_thread(scene: Scene):
    class Faulty:
        def __init__(self, fault: Exception) -> None:
            self.fault = fault

        def deliver(self, *_: object) -> None:
            raise self.fault

        def settled(self, *_: object) -> None:
            raise ValueError("a fault in recording")

    references = [scene.apply(f"p{n}") for n in range(6)]
    for fault in (ValueError("a fault"), tracker_errors.NotSent("no", operation="4.8")):
        while worker.step(scene.parts.database, {"application": Faulty(fault)}, Policy(retry_base=1), scene.clock):
            pass
        scene.clock.pass_time(RETRY_BASE)
    assert {scene.overview(one).state for one in references} <= {OutboxState.RETRY, OutboxState.DUE}
    scene.deliver(after=RETRY_BASE * 2)
    assert {scene.overview(one).state for one in references} == {OutboxState.DELIVERED}


def test_a_response_during_a_database_outage_is_not_lost(scene: Scene):
    reference = scene.apply()
    database = scene.parts.database
    failures = [1]

    class HandlerDuringDatabaseOutage:
        """A handler that delivers while the database is unavailable for its result."""

        def deliver(self, *_: object) -> Result:
            return Result.DELIVERED

        def settled(self, *_: object) -> None:
            if failures:
                failures.pop()
                raise errors.DatabaseUnavailable("away")

    assert worker.step(database, {"application": HandlerDuringDatabaseOutage()}, Policy(), scene.clock)
    assert scene.overview(reference).state is OutboxState.DELIVERED
