"""Runs a probe in the background, because the part that it checks may hang.

A storage, scanner or database that is stopped neither responds nor closes the connection. Callers wait until the probe
is at most PATIENCE seconds old, so not at all for one that has hung longer; the part then counts as down.
"""

import logging
import threading
from collections.abc import Callable, Mapping

from portal.operations.health.part import PartName, PartState, ProbeResult
from portal.platform.clock import Clock, SystemClock
from portal.platform.errors import PortalError, place_of

log = logging.getLogger(__name__)

PATIENCE = 3.0
"""Seconds to wait for a probe; /readyz promises its response within five."""
_REAL = SystemClock()
"""Waiting always takes real time, even where tests set the clock."""

Asked = Callable[[], Mapping[PartName, ProbeResult]]


class BackgroundProbe:
    """A probe that runs in the background, once at a time; for any thread. name: the part that is down if it fails.

    ask: the probe; may also report other parts, which are unknown while it fails. every: seconds for which a result is
    reused.
    """

    def __init__(self, name: PartName, ask: Asked, clock: Clock, *, every: float = 0) -> None:
        self._name, self._ask, self._clock, self._every = name, ask, clock, every
        self._lock = threading.Lock()
        self._found: Mapping[PartName, ProbeResult] = {}
        self._found_at: float | None = None
        self._begun: float | None = None
        self._ended = threading.Event()

    def begin(self) -> None:
        """Start a probe unless one is running or the last result is recent enough."""
        with self._lock:
            if self._begun is not None or not self._is_old():
                return
            self._begun = _REAL.monotonic()
            self._ended = ended = threading.Event()
        threading.Thread(target=self._answer, args=(ended,), name=f"look at {self._name}", daemon=True).start()

    def found(self) -> Mapping[PartName, ProbeResult]:
        """Wait for a running probe and return the last result; the part is down if it takes longer than PATIENCE."""
        with self._lock:
            begun, ended = self._begun, self._ended
        if begun is not None and not ended.wait(max(0.0, begun + PATIENCE - _REAL.monotonic())):
            return {self._name: ProbeResult(PartState.DOWN, f"no response within {PATIENCE:.0f} s")}
        with self._lock:
            return self._found

    def _is_old(self) -> bool:
        return self._found_at is None or self._clock.monotonic() - self._found_at >= self._every

    def _answer(self, ended: threading.Event) -> None:
        began = _REAL.monotonic()
        try:
            found = self._ask()
        except PortalError as error:
            found = {self._name: ProbeResult(PartState.DOWN, str(error))}
        except Exception as error:  # noqa: BLE001  health checks must get a result whatever fails
            log.error("internal error while checking %s: %s", self._name, place_of(error))  # noqa: TRY400  a traceback may hold personal data
            found = {self._name: ProbeResult(PartState.DOWN, "internal error: the log has its location")}
        took = _REAL.monotonic() - began
        if took > PATIENCE and found[self._name].state is PartState.OK:
            found = {**found, self._name: ProbeResult(PartState.DEGRADED, f"responded after {took:.0f} s")}
        with self._lock:
            self._found, self._found_at, self._begun = found, self._clock.monotonic(), None
        ended.set()
