"""State of a database outage in one process: whether there is one, who logs it, and how long the last one lasted."""

from collections.abc import Callable

from portal.platform.clock import Clock
from portal.platform.errors import DatabaseUnavailable, PoolExhausted
from portal.platform.logs.outage_log import Outage


class DatabaseOutage:
    """Outage state, thread-safe. has_room: whether a connection of this process's pool is free."""

    def __init__(self, clock: Clock, *, has_room: Callable[[], bool]) -> None:
        self._clock, self._has_room = clock, has_room
        self.absence: Outage | None = None
        """Logs that the database is unavailable; None in a command, which reports it itself."""
        self.pool_absence: Outage | None = None
        """Logs that every connection is in use."""
        self._only_reads_since: float | None = None
        self._since: float | None = None
        self._last: tuple[float, float] | None = None  # start and end of the last outage that this process met

    def begins(self, error: DatabaseUnavailable, *, only_reads: bool) -> None:
        """Record that the database could not be used, or with only_reads that it could not be written to."""
        if isinstance(error, PoolExhausted):
            if self.pool_absence:
                self.pool_absence.begins(error)
            return
        now = self._clock.monotonic()
        self._since = now if self._since is None else self._since
        if only_reads:
            self._only_reads_since = now
        if self.absence:
            self.absence.begins(error)

    def ends(self, asked_at: float, *, writes: bool) -> None:
        """Record a success of what was asked at that time; only a success that writes ends an outage of writing."""
        if self.pool_absence and self._has_room():
            self.pool_absence.ends(asked_at)
        since = self._only_reads_since
        if since is not None:
            if not writes or asked_at <= since:
                return
            self._only_reads_since = None
        if self._since is not None and asked_at > self._since:
            self._last, self._since = (self._since, self._clock.monotonic()), None
        if self.absence:
            self.absence.ends(asked_at)

    def lasted(self, *, within: float) -> float:
        """Return seconds since the start of the last outage that has ended; 0 once it is over for `within` seconds."""
        now = self._clock.monotonic()
        if self._last is None or now - self._last[1] >= within:
            return 0.0
        return now - self._last[0]
