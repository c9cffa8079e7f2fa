"""A few requests run at a time; the others wait in a queue for a limited time."""

import threading
import time

import pytest

from portal.gateway.concurrency import ConcurrencyLimit, ConcurrencyLimitReached


class Guest(threading.Thread):
    """Takes a slot, and releases it when told."""

    def __init__(self, room: ConcurrencyLimit, meanwhile=None) -> None:
        super().__init__(daemon=True)
        self.room, self.meanwhile = room, meanwhile
        self.inside, self.leave, self.refused = threading.Event(), threading.Event(), False

    def run(self) -> None:
        try:
            with self.room.slot_held():
                self.inside.set()
                self.leave.wait(20)
                if self.meanwhile:
                    self.meanwhile()
        except ConcurrencyLimitReached:
            self.refused = True


def guest(room: ConcurrencyLimit, meanwhile=None) -> Guest:
    one = Guest(room, meanwhile)
    one.start()
    return one


def test_a_request_waits_while_all_slots_are_taken():
    room = ConcurrencyLimit(1, waiting=1)
    first = guest(room)
    assert first.inside.wait(5)
    second = guest(room)
    assert not second.inside.wait(0.2)
    first.leave.set()
    assert second.inside.wait(5)
    second.leave.set()


def test_a_request_that_waited_too_long_is_rejected():
    room = ConcurrencyLimit(1, waiting=1, timeout=0.2)
    first = guest(room)
    assert first.inside.wait(5)
    second = guest(room)
    second.join(5)
    assert second.refused
    first.leave.set()


def test_requests_are_rejected_when_the_queue_is_full():
    room = ConcurrencyLimit(1, waiting=1, timeout=10)
    first = guest(room)
    assert first.inside.wait(5)
    second = guest(room)
    time.sleep(0.1)
    started = time.monotonic()
    with pytest.raises(ConcurrencyLimitReached), room.slot_held():
        pass
    assert time.monotonic() - started < 5
    first.leave.set()
    second.leave.set()
    second.join(5)
    assert not second.refused


def test_a_request_that_waits_for_another_system_holds_no_slot():
    room = ConcurrencyLimit(1, waiting=0)
    inside: list[bool] = []

    def outside() -> None:
        with room.slot_released():
            one = guest(room)
            inside.append(one.inside.wait(5))
            one.leave.set()
            one.join(5)

    first = guest(room, outside)
    first.leave.set()
    first.join(10)
    assert inside == [True]
    # The slot was released once, and not twice.
    with room.slot_held(), pytest.raises(ConcurrencyLimitReached), room.slot_held():
        pass


def test_releasing_a_slot_that_was_not_taken_changes_nothing():
    room = ConcurrencyLimit(1, waiting=0)
    with room.slot_released(), room.slot_held(), pytest.raises(ConcurrencyLimitReached), room.slot_held():
        pass


def test_a_slot_is_released_after_an_error():
    room = ConcurrencyLimit(1, waiting=0)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), room.slot_held(), room.slot_released():
            raise ZeroDivisionError
    with room.slot_held():
        pass
