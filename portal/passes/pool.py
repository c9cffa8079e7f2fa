"""Several passes at once, so that a service that is slow makes nobody wait but itself.

A pass that took long the last time starts only while fewer than half of the slots are taken by long ones. One that
turns out to be long gives way at its next page when every slot is taken and others wait, unless it is among the long
ones that half of the slots are for; it is made again later, as one that takes long. So however many services are slow,
short passes have the other half.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from portal.clock import Clock
from portal.errors import PortalError, place_of
from portal.passes.due import Due

log = logging.getLogger(__name__)

LOOK = 0.25
"""Seconds between looks for what is due."""
LONG = 2.0
"""Seconds from which on a pass is long."""
_AGAIN = 1.0
"""Seconds before the same process looks at a list again, however its last pass ended."""

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Running:
    thread: threading.Thread
    began: float
    known_long: bool


class Pool:
    """At most `size` passes at once. attempt: makes one and raises nothing; False where there was none to make. What it
    is handed beside the pass tells whether that is to give way.
    """

    def __init__(self, size: int, clock: Clock, attempt: Callable[[Due, Callable[[], bool]], bool]) -> None:
        self._size = size
        self._long_most = max(1, size // 2)
        self._clock = clock
        self._attempt = attempt
        self._lock = threading.Lock()
        self._freed = threading.Event()
        self._running: dict[Key, _Running] = {}
        self._others_wait = False
        self._ended: dict[Key, float] = {}
        self._took: dict[tuple[Key, bool], float] = {}

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
                self._running[one.key] = _Running(thread, now, known_long)
                thread.start()
        return waiting

    def _long(self, now: float) -> list[Key]:
        """Passes that are long by now, those first that half of the slots are for."""
        found = [(not r.known_long, r.began, key) for key, r in self._running.items() if _is_long(r, now)]
        return [key for *_, key in sorted(found)]

    def _gives_way(self, key: Key) -> bool:
        with self._lock:
            if not self._others_wait or len(self._running) < self._size:
                return False
            return key in self._long(self._clock.monotonic())[self._long_most :]

    def _pass(self, one: Due) -> None:
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


def _is_long(running: _Running, now: float) -> bool:
    return running.known_long or now - running.began >= LONG
