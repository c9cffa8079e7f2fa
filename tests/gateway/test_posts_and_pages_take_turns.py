"""A burst of page views rejects no application, and a burst of posts blocks no page."""

import asyncio
from contextlib import ExitStack

import pytest

from portal.gateway.concurrency import ConcurrencyLimit, ConcurrencyLimitReached
from portal.gateway.serving import RsgiApplication
from tests.gateway.visitors import Blocked, Visitor, begun, run, until


@pytest.mark.parametrize("burst_is_posts", [False, True])
def test_waiting_posts_and_pages_alternate(*, burst_is_posts: bool):
    room = ConcurrencyLimit(1, waiting=4)
    order: list[bool] = []
    kinds = [burst_is_posts] * 4 + [not burst_is_posts] * 2
    with ExitStack() as held:
        first = begun(held, room)
        crowd = [Visitor(room, is_post=kind, meanwhile=lambda kind=kind: order.append(kind)) for kind in kinds]
        for number, one in enumerate(crowd, start=1):
            one.leave.set()
            one.start()
            until(lambda number=number: room.waiting == number)
        with pytest.raises(ConcurrencyLimitReached), room.slot_held(is_post=burst_is_posts):
            pass
        first.leave.set()
        for one in crowd:
            one.join(30)
    assert not any(one.refused for one in crowd)
    assert order[:4].count(burst_is_posts) == 2
    assert order[4:] == [burst_is_posts] * 2


@pytest.mark.parametrize(("burst", "other"), [("GET", "POST"), ("POST", "GET")])
def test_threads_are_left_for_posts_during_page_views_and_vice_versa(burst: str, other: str):
    front = Blocked()
    app = RsgiApplication(front, None, threads=4)

    async def crowd() -> list[str]:
        environs = [{"REMOTE_ADDR": f"192.0.{number}.1", "REQUEST_METHOD": burst} for number in range(5)]
        environs.append({"REMOTE_ADDR": "192.0.9.1", "REQUEST_METHOD": other})
        waiting = [asyncio.ensure_future(app._made(environ)) for environ in environs]
        await asyncio.sleep(0.1)
        front.answers.set()
        return [answer.status[:3] for answer in await asyncio.gather(*waiting)]

    assert run(crowd()) == ["200"] * 4 + ["503", "200"]
