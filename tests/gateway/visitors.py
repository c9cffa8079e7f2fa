"""Visitors of a ConcurrencyLimit: each takes a slot in a thread of its own, and gives it back when told."""

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack

from portal.gateway.concurrency import ConcurrencyLimit, ConcurrencyLimitReached
from portal.gateway.response import GatewayResponse


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
                self.leave.wait(20)
                self.meanwhile()
        except ConcurrencyLimitReached:
            self.refused = True


def begun(
    held: ExitStack, room: ConcurrencyLimit, network: str | None = None, *, is_post: bool = False, enters: bool = True
) -> Visitor:
    """Return a visitor who leaves at the end of `held`. enters: whether to wait until there is a slot for them."""
    one = Visitor(room, network, is_post=is_post)
    held.callback(one.join, 5)
    held.callback(one.leave.set)
    one.start()
    assert not enters or one.inside.wait(5)
    return one


def until(so: Callable[[], bool]) -> None:
    ends = time.monotonic() + 5
    while not so():
        assert time.monotonic() < ends
        time.sleep(0.005)


class Blocked:
    """A front whose application answers nobody until it is told to."""

    def __init__(self) -> None:
        self.answers = threading.Event()
        self.is_unlimited = self.is_monitoring = lambda _environ: False

    def respond(self, _environ: object) -> GatewayResponse:
        self.answers.wait(20)
        return GatewayResponse("200 OK", [], b"")

    def busy(self) -> GatewayResponse:
        return GatewayResponse("503 BUSY", [], b"")
