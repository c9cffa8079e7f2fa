"""One question asked in the background, of a part that may hang.

A store, a scanner or a database that is stopped answers nothing, and closes nothing. Who wants to know waits a moment
for what was asked just now, never for what somebody else waits for in vain already, and is told what is known.
"""

import logging
import threading
from collections.abc import Callable, Mapping

from portal.clock import Clock, SystemClock
from portal.errors import PortalError, place_of
from portal.standing.part import Found, Name, State

log = logging.getLogger(__name__)

PATIENCE = 3.0
"""Seconds for an answer; /readyz promises its own within five."""
_REAL = SystemClock()
"""What is waited for is waited for in real time."""

Asked = Callable[[], Mapping[Name, Found]]


class Look:
    """At most one question at a time. name: of the part that is down where the question fails.

    ask: may tell of more parts, which are not known while it fails. every: seconds for which an answer is used again.
    For any thread.
    """

    def __init__(self, name: Name, ask: Asked, clock: Clock, *, every: float = 0) -> None:
        self._name, self._ask, self._clock, self._every = name, ask, clock, every
        self._lock = threading.Lock()
        self._found: Mapping[Name, Found] = {}
        self._found_at: float | None = None
        self._begun: float | None = None
        self._ended = threading.Event()

    def begin(self) -> None:
        """Ask, if nobody does and what is known is too old."""
        with self._lock:
            if self._begun is not None or not self._is_old():
                return
            self._begun = _REAL.monotonic()
            self._ended = ended = threading.Event()
        threading.Thread(target=self._answer, args=(ended,), name=f"look at {self._name}", daemon=True).start()

    def found(self) -> Mapping[Name, Found]:
        """What is known, once the question of this moment is answered or has lasted too long."""
        with self._lock:
            begun, ended = self._begun, self._ended
        if begun is not None and not ended.wait(max(0.0, begun + PATIENCE - _REAL.monotonic())):
            return {self._name: Found(State.DOWN, f"does not answer within {PATIENCE:.0f} s")}
        with self._lock:
            return self._found

    def _is_old(self) -> bool:
        return self._found_at is None or self._clock.monotonic() - self._found_at >= self._every

    def _answer(self, ended: threading.Event) -> None:
        began = _REAL.monotonic()
        try:
            found = self._ask()
        except PortalError as error:
            found = {self._name: Found(State.DOWN, str(error))}
        except Exception as error:  # noqa: BLE001  who asks whether all is well must be told, whatever is not
            log.error("a fault in a look at %s: %s", self._name, place_of(error))  # noqa: TRY400  a traceback may hold personal data
            found = {self._name: Found(State.DOWN, "a fault: the log names its place")}
        took = _REAL.monotonic() - began
        if took > PATIENCE and found[self._name].state is State.OK:
            found = {**found, self._name: Found(State.DEGRADED, f"answered after {took:.0f} s")}
        with self._lock:
            self._found, self._found_at, self._begun = found, self._clock.monotonic(), None
        ended.set()
