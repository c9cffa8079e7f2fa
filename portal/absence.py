"""A part that this process stands on is away, and is back: a line each, whatever the load.

A part that comes and goes is told of once a minute. That the database is away, whoever meets it meanwhile, is said here
alone (logs.lines.is_news): what a thousand requests met is one fact.
"""

import logging
import threading

from portal.clock import Clock
from portal.errors import PortalError
from portal.logs import Happened, Part, event

_QUIET = 60.0
"""Seconds after a line in which no further absence is told of."""


class Absence:
    """Of one part. For any thread."""

    def __init__(self, part: Part, clock: Clock) -> None:
        self._part, self._clock = part, clock
        self._lock = threading.Lock()
        self._since: float | None = None
        self._failed_at = 0.0
        self._is_told = False
        self._quiet_until = float("-inf")

    def begins(self, because: PortalError) -> None:
        """It did not answer."""
        with self._lock:
            now = self._failed_at = self._clock.monotonic()
            if self._since is None:
                self._since = now
            if self._is_told or now < self._quiet_until:
                return
            self._is_told, self._quiet_until = True, now + _QUIET
        event(Happened.AWAY, part=self._part, because=because, level=logging.ERROR)

    def ends(self, asked_at: float) -> None:
        """It answered what was asked then (monotonic); what was asked before it failed says nothing."""
        if self._since is None:
            return
        with self._lock:
            if self._since is None or asked_at <= self._failed_at:
                return
            seconds, is_told = self._clock.monotonic() - self._since, self._is_told
            self._since, self._is_told = None, False
        if is_told:
            event(Happened.RECOVERED, part=self._part, seconds=seconds, level=logging.WARNING)
