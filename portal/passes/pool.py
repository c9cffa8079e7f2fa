"""Several passes at once, so that a service that is slow makes nobody wait but itself.

A pass that may take long (a full one, one over a list that took long the last time or was not read yet by this
process) gets half of the slots at most. So however many services hang, the others' short passes have the other half.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from portal.clock import Clock
from portal.errors import PortalError, place_of
from portal.passes.due import Due

log = logging.getLogger(__name__)

LOOK = 0.25
"""Seconds between looks for what is due."""
LONG = 2.0
"""Seconds from which on a pass is long."""
_AGAIN = 1.0
"""Seconds before a list is looked at again by the same process, however its last pass ended."""


@dataclass(frozen=True, slots=True)
class _Running:
    thread: threading.Thread
    began: float
    is_long: bool


class Pool:
    """At most `size` passes at once. attempt: makes one and raises nothing; False where there was none to make."""

    def __init__(self, size: int, clock: Clock, attempt: Callable[[Due], bool]) -> None:
        self._size = size
        self._long_most = max(1, size // 2)
        self._clock = clock
        self._attempt = attempt
        self._lock = threading.Lock()
        self._freed = threading.Event()
        self._running: dict[tuple[str, str], _Running] = {}
        self._ended: dict[tuple[str, str], float] = {}
        self._took: dict[tuple[str, str], float] = {}

    def run(self, look: Callable[[], list[Due]], stop: threading.Event) -> None:
        """Make every pass that `look` finds, until `stop` is set; then what is in flight is finished."""
        while not stop.is_set():
            ends = self._clock.monotonic() + LOOK
            waiting = self._looked(look)
            while (waiting := self._start(waiting)) and not stop.is_set():
                if not self._freed.wait(max(0.0, ends - self._clock.monotonic())):
                    break
                self._freed.clear()
            stop.wait(max(0.0, ends - self._clock.monotonic()))
        for running in list(self._running.values()):
            running.thread.join()

    def _looked(self, look: Callable[[], list[Due]]) -> list[Due]:
        try:
            return look()
        except PortalError as error:
            log.error("%s; passes wait", error)  # noqa: TRY400  expected while the database is away
        except Exception as error:  # noqa: BLE001  one fault must not end mirroring for good
            log.error("a fault in looking for passes: %s", place_of(error))  # noqa: TRY400  a traceback may hold personal data
        return []

    def _start(self, wanted: list[Due]) -> list[Due]:
        """Start what there is room for; returns what has to wait."""
        waiting: list[Due] = []
        now = self._clock.monotonic()
        with self._lock:
            for one in wanted:
                ended = self._ended.get(one.key)
                if one.key in self._running or (ended is not None and now - ended < _AGAIN):
                    continue
                is_long = one.whole or self._took.get(one.key, LONG) >= LONG
                if len(self._running) >= self._size or (is_long and self._long(now) >= self._long_most):
                    waiting.append(one)
                    continue
                thread = threading.Thread(target=self._pass, args=(one,), daemon=True)
                self._running[one.key] = _Running(thread, now, is_long)
                thread.start()
        return waiting

    def _long(self, now: float) -> int:
        return sum(1 for each in self._running.values() if each.is_long or now - each.began >= LONG)

    def _pass(self, one: Due) -> None:
        made = False
        try:
            made = self._attempt(one)
        finally:
            with self._lock:
                self._ended[one.key] = now = self._clock.monotonic()
                running = self._running.pop(one.key)
                if made:
                    self._took[one.key] = now - running.began
            self._freed.set()
