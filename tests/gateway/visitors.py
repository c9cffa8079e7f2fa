"""Clients of a ConcurrencyLimit: each takes a slot in a separate thread, and releases it when told."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TypeVar

from portal.gateway.concurrency import ConcurrencyLimit, ConcurrencyLimitReached
from portal.gateway.response import GatewayResponse

T = TypeVar("T")


def run(scene: Coroutine[None, None, T]) -> T:
    """Run it in a separate thread, because a browser test may have left an event loop in the main one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, scene).result()


class Visitor(threading.Thread):
    def __init__(
        self,
        room: ConcurrencyLimit,
        network: str | None = None,
        *,
        is_post: bool = False,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(daemon=True)
        self.room, self.network, self.is_post, self.meanwhile = room, network, is_post, meanwhile
        self.inside, self.leave, self.refused = threading.Event(), threading.Event(), False

    def run(self) -> None:
        try:
            with self.room.slot_held(self.network, is_post=self.is_post):
                self.inside.set()
                self.leave.wait(60)
                self.meanwhile()
        except ConcurrencyLimitReached:
            self.refused = True


def begun(
    held: ExitStack, room: ConcurrencyLimit, network: str | None = None, *, is_post: bool = False, enters: bool = True
) -> Visitor:
    """Start a visitor who leaves at the end of `held`. enters: whether to wait until they have a slot."""
    one = Visitor(room, network, is_post=is_post)
    held.callback(one.join, 30)
    held.callback(one.leave.set)
    one.start()
    assert not enters or one.inside.wait(30)
    return one


def until(so: Callable[[], bool]) -> None:
    ends = time.monotonic() + 30
    while not so():
        assert time.monotonic() < ends
        time.sleep(0.005)


class Blocked:
    """A gateway whose application sends no response until it is told to."""

    def __init__(self) -> None:
        self.answers = threading.Event()
        self.is_unlimited = self.is_monitoring = lambda _environ: False

    def respond(self, _environ: object) -> GatewayResponse:
        self.answers.wait(60)
        return GatewayResponse("200 OK", [], b"")

    def busy(self) -> GatewayResponse:
        return GatewayResponse("503 BUSY", [], b"")
