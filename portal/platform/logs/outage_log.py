"""Logs outages of parts that this process depends on: one line at the start and one at the end, regardless of the load.

A part that fails and recovers repeatedly is logged once a minute, with how often and for how long it was unavailable
since the previous line. An outage that has lasted for ten seconds is logged even if the previous line is recent. Other
lines that report the same outage are filtered out (formatting.is_news), because a thousand requests may be affected.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from portal.platform.clock import Clock
from portal.platform.errors import PortalError
from portal.platform.logs import EventName, Part, event

_QUIET = 60.0
"""Minimum seconds between two lines of a part."""
CHECK_EVERY = 2.0
"""Seconds between calls of catch_up(), so that a long outage is logged in time even if no further request meets it."""
_LONG = 10.0 - CHECK_EVERY
"""Seconds after which an outage is logged regardless of earlier lines: by the next check it has lasted ten at most."""


class Outage:
    """Outage state of one part, or of one tenant's, thread-safe.

    The end of an outage whose start was logged is logged immediately, and the next line is delayed in return.
    """

    def __init__(self, part: Part, clock: Clock, *, tenant: str | None = None, is_logged: bool = True) -> None:
        self._part, self._clock, self._tenant, self._is_logged = part, clock, tenant, is_logged
        self._lock = threading.Lock()
        self._since: float | None = None
        self._because: PortalError | None = None
        self._failed_at = 0.0
        self._met = 0
        """How many failures there were since the outage began."""
        self._quiet_until = float("-inf")
        self._last_line_is_outage = False
        self._is_plain = False
        """Whether the last line was only the start of this outage, or a long one; its end is then logged at once."""
        self._begun = 0
        """Outages that began since the last line. `_gone`: seconds of those that ended."""
        self._gone = 0.0

    def begins(self, because: PortalError, *, force_new: bool = False) -> None:
        """Record that the part did not respond. force_new: start a new outage in any state."""
        because.already_logged = self._is_logged
        with self._lock:
            now = self._failed_at = self._clock.monotonic()
            self._because = because
            if self._since is None or force_new:
                self._since = now
                self._met = 0
                self._begun += 1
                self._is_plain = False
            self._met += 1
            line = self._line(now)
        self._say(line)

    def ends(self, asked_at: float) -> None:
        """Record a response to a request of that time (monotonic), unless the part has failed since then."""
        if self._since is None and not self._is_behind:
            return
        with self._lock:
            if self._since is not None and asked_at <= self._failed_at:
                return
            line = self._ended()
        self._say(line)

    def record_recovery(self, failures: int) -> None:
        """Record a recovery that the database shows, of an outage in any process. failures: how many it had."""
        with self._lock:
            now = self._clock.monotonic()
            if self._since is None:  # the outage was logged by the process that noticed it
                self._since = now
                self._is_plain = now >= self._quiet_until and not self._begun
                self._begun += not self._is_plain
            line = self._ended(failures)
        self._say(line)

    def catch_up(self) -> None:
        """Log what has not been logged yet, if it is time."""
        if not self._is_behind:
            return
        with self._lock:
            line = self._line(self._clock.monotonic())
        self._say(line)

    @contextmanager
    def watched(self, *outage: type[PortalError]) -> Iterator[None]:
        """Watch a call to the part: errors of these types mean that it is unavailable, none that it is available."""
        asked_at = self._clock.monotonic()
        try:
            yield
        except outage as error:
            self.begins(error)
            raise
        self.ends(asked_at)

    @property
    def is_down(self) -> bool:
        """Whether the part did not respond to the last request."""
        return self._since is not None

    @property
    def _is_behind(self) -> bool:
        """Whether the last line does not reflect the current state."""
        return bool(self._begun) or self._last_line_is_outage

    def _ended(self, failures: int | None = None) -> dict[str, Any] | None:
        now = self._clock.monotonic()
        if self._since is not None:
            self._gone += now - self._since
            self._since = None
        if not self._is_plain:
            return self._line(now)
        until = min(max(now, self._quiet_until), now + _QUIET) + _QUIET
        return self._told(EventName.RECOVERED, until, count=failures or self._met)

    def _line(self, now: float) -> dict[str, Any] | None:
        """Return the line that is due, if any."""
        is_long = self._since is not None and bool(self._begun) and now - self._since >= _LONG
        if not self._is_behind or (now < self._quiet_until and not is_long):
            return None
        until = now + _QUIET
        if self._since is None:
            return self._told(EventName.RECOVERED, until, count=self._begun or None)
        if not self._begun:
            return None
        several = self._begun if self._begun > 1 else None
        line = self._told(EventName.UNAVAILABLE, until, count=several, because=self._because)
        self._is_plain = self._is_plain or is_long
        return line

    def _told(
        self, what: EventName, quiet_until: float, *, count: int | None, because: PortalError | None = None
    ) -> dict[str, Any]:
        is_down = what is EventName.UNAVAILABLE
        line = {"happened": what, "count": count, "seconds": self._gone or None, "because": because}
        self._quiet_until, self._last_line_is_outage = quiet_until, is_down
        self._is_plain = is_down and count is None and not self._gone
        self._begun, self._gone = 0, 0.0
        grave = logging.ERROR if is_down else logging.WARNING
        of_one = logging.WARNING if is_down else logging.INFO
        return {**line, "level": grave if self._tenant is None else of_one}

    def _say(self, line: dict[str, Any] | None) -> None:
        if line is not None and self._is_logged:
            event(part=self._part, tenant=self._tenant, **line)


class Outages:
    """Outage states of all parts that this process uses, and for each tenant. log_outages: whether they are logged."""

    def __init__(self, clock: Clock, *, log_outages: bool = True) -> None:
        self._clock, self._log_outages = clock, log_outages
        self._lock = threading.Lock()
        self._known: dict[tuple[Part, str | None], Outage] = {}

    def of(self, part: Part, tenant: str | None = None) -> Outage:
        """Return the one Outage of a part and tenant."""
        with self._lock:
            found = self._known.get((part, tenant))
            if found is None:
                found = self._known[part, tenant] = Outage(
                    part, self._clock, tenant=tenant, is_logged=self._log_outages
                )
            return found

    def catch_up(self) -> None:
        """Log state changes that no request may have reported yet; to be called every CHECK_EVERY seconds."""
        for one in list(self._known.values()):
            one.catch_up()

    def probe(self, part: Part, probe: Callable[[], object]) -> None:
        """Check whether an unavailable part has recovered, because no request may do so. probe: reports to of(part)."""
        if self.of(part).is_down:
            with suppress(PortalError):
                probe()

    def start_outage_checks(self, probes: Mapping[Part, Callable[[], object]]) -> None:
        """Start to call catch_up, and probe for each part, every CHECK_EVERY seconds until this process ends.

        Each has a thread of its own, so that a part that hangs delays no line of another.
        """
        for job in (self.catch_up, *(partial(self.probe, part, probe) for part, probe in probes.items())):
            threading.Thread(target=_every_few_seconds, args=(job,), daemon=True, name="outages").start()


def _every_few_seconds(job: Callable[[], None]) -> None:
    never = threading.Event()
    while True:
        job()
        never.wait(CHECK_EVERY)
