"""However many requests come from one network, half of the slots and queue places are left to others."""

import asyncio
import threading
from contextlib import ExitStack

import pytest

from portal.gateway.concurrency import ConcurrencyLimit, ConcurrencyLimitReached
from portal.gateway.serving import RsgiApplication
from tests.gateway.visitors import Blocked, Visitor, begun, run, until

GREEDY, OTHER = "198.51.100.0/24", "203.0.113.0/24"


def test_a_slot_is_left_for_another_network():
    room = ConcurrencyLimit(4, waiting=0)
    with ExitStack() as held:
        for _ in range(2):
            begun(held, room, GREEDY)
        with pytest.raises(ConcurrencyLimitReached), room.slot_held(GREEDY):
            pass
        with room.slot_held(OTHER), room.slot_held(OTHER):
            assert room.working == 4
    with room.slot_held(GREEDY), room.slot_held(GREEDY):
        assert room.working == 2


def test_a_place_in_the_queue_is_left_for_another_network():
    room = ConcurrencyLimit(1, waiting=4)
    with ExitStack() as held:
        first = begun(held, room, OTHER)
        crowd = [begun(held, room, GREEDY, enters=False) for _ in range(2)]
        until(lambda: room.waiting == 2)
        with pytest.raises(ConcurrencyLimitReached), room.slot_held(GREEDY):
            pass
        other = begun(held, room, OTHER, enters=False)
        until(lambda: room.waiting == 3)
        first.leave.set()
        for one in (*crowd, other):
            assert one.inside.wait(5)
            one.leave.set()


def test_another_network_goes_first_where_one_has_its_half_of_the_slots():
    room = ConcurrencyLimit(2, waiting=8)
    with ExitStack() as held:
        begun(held, room, GREEDY)
        first = begun(held, room, OTHER)
        late = begun(held, room, GREEDY, enters=False)
        until(lambda: room.waiting == 1)
        third = begun(held, room, "192.0.2.0/24", enters=False)
        until(lambda: room.waiting == 2)
        first.leave.set()
        assert third.inside.wait(5)
        assert not late.inside.is_set()


def test_a_single_slot_is_open_to_every_network():
    with ConcurrencyLimit(1, waiting=0).slot_held(GREEDY):
        pass


def test_a_request_that_waited_for_another_system_counts_again_when_it_resumes():
    room, gone = ConcurrencyLimit(2, waiting=0), threading.Event()

    def outside() -> None:
        with room.slot_released():
            gone.wait(10)

    with ExitStack() as held:
        away = Visitor(room, GREEDY, meanwhile=outside)
        away.leave.set()
        away.start()
        until(lambda: away.inside.is_set() and not room.working)
        here = begun(held, room, GREEDY)
        gone.set()
        away.join(0.2)
        assert away.is_alive(), "its network already has half of the slots"
        here.leave.set()
        away.join(30)
        assert not away.is_alive()
    assert room.working == 0


def test_a_thread_is_left_for_other_networks_while_requests_wait_for_other_systems():
    front = Blocked()
    app = RsgiApplication(front, None, threads=4)

    def asked(address: str, method: str = "GET"):
        return asyncio.ensure_future(app._made({"REMOTE_ADDR": address, "REQUEST_METHOD": method}))

    async def crowd() -> list[str]:
        waiting = [asked("198.51.100.7"), asked("198.51.100.8"), asked("198.51.100.9")]
        waiting += [asked(f"203.0.{number}.1") for number in range(3)]
        waiting += [asked("198.51.100.7", "POST")]
        await asyncio.sleep(0.1)
        front.answers.set()
        return [answer.status[:3] for answer in await asyncio.gather(*waiting)]

    assert run(crowd()) == ["200", "200", "503", "200", "200", "503", "200"]
