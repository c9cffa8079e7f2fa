"""Several passes at once, so that a slow service delays only itself.

A pass that took long last time starts only while fewer than half of the slots are taken by long passes. A pass that
turns out to be long yields at its next page if every slot is taken and others wait, unless it is among the long passes
for which half of the slots are reserved; it is made again later, as a long one. So short passes always have the other
half, however many services are slow.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from portal.background.sync.schedule import DuePass
from portal.platform.clock import Clock
from portal.platform.errors import PortalError, place_of

log = logging.getLogger(__name__)

LOOK = 0.25
"""Seconds between looks for passes that are due."""
LONG = 2.0
"""A pass is long from this many seconds on."""
_AGAIN = 1.0
"""Seconds before the same process looks at a list again, however its last pass ended."""

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _RunningPass:
    thread: threading.Thread
    began: float
    known_long: bool


class SyncPool:
    """A pool that runs at most `size` passes at once.

    attempt: makes one pass and raises nothing; returns False if there was none to make. Its second argument is a
    function that returns whether the pass must yield.
    """

    def __init__(self, size: int, clock: Clock, attempt: Callable[[DuePass, Callable[[], bool]], bool]) -> None:
        self._size = size
        self._long_most = max(1, size // 2)
        self._clock = clock
        self._attempt = attempt
        self._lock = threading.Lock()
        self._freed = threading.Event()
        self._running: dict[Key, _RunningPass] = {}
        self._others_wait = False
        self._ended: dict[Key, float] = {}
        self._took: dict[tuple[Key, bool], float] = {}

    def run(self, look: Callable[[], list[DuePass]], stop: threading.Event) -> None:
        """Make every pass that `look` returns, until `stop` is set; then wait for the running ones to finish."""
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

    def _looked(self, look: Callable[[], list[DuePass]]) -> list[DuePass]:
        try:
            return look()
        except PortalError as error:
            log.error("%s; passes wait", error)  # noqa: TRY400  expected during an outage of the database
        except Exception as error:  # noqa: BLE001  one error must not end the sync for good
            log.error("internal error while looking for passes: %s", place_of(error))  # noqa: TRY400  a traceback may hold personal data
        return []

    def _start(self, wanted: list[DuePass]) -> list[DuePass]:
        """Start as many passes as there are slots for; return those that have to wait."""
        waiting: list[DuePass] = []
        now = self._clock.monotonic()
        with self._lock:
            self._others_wait = False
            for one in wanted:
                ended = self._ended.get(one.key)
                if one.key in self._running or (ended is not None and now - ended < _AGAIN):
                    continue
                known_long = self._took.get((one.key, one.whole), 0.0) >= LONG
                is_full = len(self._running) >= self._size
                if is_full or (known_long and len(self._long(now)) >= self._long_most):
                    waiting.append(one)
                    self._others_wait |= not known_long
                    continue
                thread = threading.Thread(target=self._pass, args=(one,), daemon=True)
                self._running[one.key] = _RunningPass(thread, now, known_long)
                thread.start()
        return waiting

    def _long(self, now: float) -> list[Key]:
        """Return the passes that are long by now, first those for which half of the slots are reserved."""
        found = [(not r.known_long, r.began, key) for key, r in self._running.items() if _is_long(r, now)]
        return [key for *_, key in sorted(found)]

    def _gives_way(self, key: Key) -> bool:
        with self._lock:
            if not self._others_wait or len(self._running) < self._size:
                return False
            return key in self._long(self._clock.monotonic())[self._long_most :]

    def _pass(self, one: DuePass) -> None:
        made = False
        try:
            made = self._attempt(one, partial(self._gives_way, one.key))
        finally:
            with self._lock:
                self._ended[one.key] = now = self._clock.monotonic()
                running = self._running.pop(one.key)
                if made:
                    self._took[one.key, one.whole] = now - running.began
            self._freed.set()


def _is_long(running: _RunningPass, now: float) -> bool:
    return running.known_long or now - running.began >= LONG
