"""A part that this process stands on is away, and is back: a line each, whatever the load.

A part that comes and goes is told of once a minute, with how often and for how long it was away since the line before.
What whoever met it would say besides is left out of the log (logs.lines.is_news): a thousand requests met one fact.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from portal.clock import Clock
from portal.errors import PortalError
from portal.logs import Happened, Part, event

_QUIET = 60.0
"""Seconds that a line is worth: the next one comes after them."""


class Absence:
    """Of one part, or of one tenant's. tells: whether the log is told. For any thread.

    The end of an outage whose beginning was told is told at once, at the cost of the next line.
    """

    def __init__(self, part: Part, clock: Clock, *, tenant: str | None = None, tells: bool = True) -> None:
        self._part, self._clock, self._tenant, self._tells = part, clock, tenant, tells
        self._lock = threading.Lock()
        self._since: float | None = None
        self._because: PortalError | None = None
        self._failed_at = 0.0
        self._quiet_until = float("-inf")
        self._last_word_is_away = False
        self._is_plain = False
        """Whether the last line told of the beginning of one outage, and nothing has begun since."""
        self._begun = 0
        """Outages that began since the last line, and `_gone`: seconds of those that ended."""
        self._gone = 0.0

    def begins(self, because: PortalError, *, anew: bool = False) -> None:
        """It did not answer. anew: whatever was known of it, this is where an outage begins."""
        because.is_told = self._tells
        with self._lock:
            now = self._failed_at = self._clock.monotonic()
            self._because = because
            if self._since is None or anew:
                self._since = now
                self._begun += 1
                self._is_plain = False
            line = self._line(now)
        self._say(line)

    def ends(self, asked_at: float) -> None:
        """It answered what was asked then (monotonic); what was asked before it failed says nothing."""
        if self._since is None and not self._is_behind:
            return
        with self._lock:
            if self._since is not None and asked_at <= self._failed_at:
                return
            line = self._ended()
        self._say(line)

    def is_over(self, failures: int) -> None:
        """Who keeps the books knows that it is back, whoever met its absence; `failures` were counted."""
        with self._lock:
            now = self._clock.monotonic()
            if self._since is None:  # another process met it, and said so
                self._since = now
                self._is_plain = now >= self._quiet_until and not self._begun
                self._begun += not self._is_plain
            line = self._ended(failures)
        self._say(line)

    def catch_up(self) -> None:
        """Tell what the log does not know yet, if it is time."""
        if not self._is_behind:
            return
        with self._lock:
            line = self._line(self._clock.monotonic())
        self._say(line)

    @contextmanager
    def watched(self, *away: type[PortalError]) -> Iterator[None]:
        """Ask inside; such an error means that the part is away, none that it is there."""
        asked_at = self._clock.monotonic()
        try:
            yield
        except away as error:
            self.begins(error)
            raise
        self.ends(asked_at)

    @property
    def _is_behind(self) -> bool:
        """Whether the log's last word on it is not all that there is to say."""
        return bool(self._begun) or self._last_word_is_away

    def _ended(self, failures: int | None = None) -> dict[str, Any] | None:
        now = self._clock.monotonic()
        if self._since is not None:
            self._gone += now - self._since
            self._since = None
        if not self._is_plain:
            return self._line(now)
        until = max(now, self._quiet_until) + _QUIET
        return self._told(Happened.RECOVERED, until, count=failures)

    def _line(self, now: float) -> dict[str, Any] | None:
        """What is to be said by now, if anything is."""
        if now < self._quiet_until or not self._is_behind:
            return None
        until = now + _QUIET
        if self._since is None:
            return self._told(Happened.RECOVERED, until, count=self._begun or None)
        if not self._begun:
            return None
        several = self._begun if self._begun > 1 else None
        return self._told(Happened.AWAY, until, count=several, because=self._because)

    def _told(
        self, what: Happened, quiet_until: float, *, count: int | None, because: PortalError | None = None
    ) -> dict[str, Any]:
        is_away = what is Happened.AWAY
        said = {"happened": what, "count": count, "seconds": self._gone or None, "because": because}
        self._quiet_until, self._last_word_is_away = quiet_until, is_away
        self._is_plain = is_away and count is None and not self._gone
        self._begun, self._gone = 0, 0.0
        grave = logging.ERROR if is_away else logging.WARNING
        of_one = logging.WARNING if is_away else logging.INFO
        return {**said, "level": grave if self._tenant is None else of_one}

    def _say(self, line: dict[str, Any] | None) -> None:
        if line is not None and self._tells:
            event(part=self._part, tenant=self._tenant, **line)


class Absences:
    """One for each part that this process meets, and for each tenant's. tells: whether the log is told."""

    def __init__(self, clock: Clock, *, tells: bool = True) -> None:
        self._clock, self._tells = clock, tells
        self._lock = threading.Lock()
        self._known: dict[tuple[Part, str | None], Absence] = {}

    def of(self, part: Part, tenant: str | None = None) -> Absence:
        """Always the same."""
        with self._lock:
            found = self._known.get((part, tenant))
            if found is None:
                found = self._known[part, tenant] = Absence(part, self._clock, tenant=tenant, tells=self._tells)
            return found

    def catch_up(self) -> None:
        """Tell what the log does not know yet and nobody may ask about again; call it every few seconds."""
        for one in list(self._known.values()):
            one.catch_up()
