"""Bounds every wait for PostgreSQL; after a wait that timed out, others fail at once for a moment.

A server that is stopped, or behind a network that drops packets, triggers neither its own time-outs nor TCP's, because
the kernel acknowledges for it. So the wait itself is bounded here, and the server's own limits stop statements that it
still works on.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from portal.platform.errors import DatabaseUnavailable

_AGAIN = 2.0
"""Seconds for which nobody tries after a wait timed out; then one thread does."""
_THEIR_SHARE = 0.85
"""Share of the patience: a server that is alive ends what takes too long itself, and reports it."""


class TimeoutGuard:
    """Memory of a wait that timed out, thread-safe. patience: seconds after which a wait times out."""

    def __init__(self, patience: float, monotonic: Callable[[], float]) -> None:
        self.patience = patience
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._until = 0.0
        self._asked_until = 0.0
        """Until when one thread tries on behalf of all others."""

    def begins(self) -> None:
        """Record that a wait timed out."""
        self._until = self._asked_until = self._monotonic() + _AGAIN

    @property
    def lasts(self) -> bool:
        """Whether a wait timed out a moment ago."""
        return self._monotonic() < self._until

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Guard a use of the database; raise DatabaseUnavailable at once if another wait has just timed out."""
        if not self._asked_until:
            yield
            return
        with self._lock:
            now = self._monotonic()
            if now < self._asked_until:
                raise DatabaseUnavailable("the database is unavailable (it did not answer a moment ago)")
            mine = self._asked_until = now + self.patience + _AGAIN
        try:
            yield
        finally:
            if self._asked_until == mine:  # it responded, whatever the response was
                self._asked_until = 0.0


class Bounded(psycopg.Connection[Any]):
    """Connection on which no wait lasts longer than `silence.patience`; a wait that times out closes it."""

    silence: TimeoutGuard | None = None

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:  # noqa: ANN401  psycopg's own signature
        """Wait as psycopg does; raise OperationalError if there was no response in time."""
        silence = self.silence
        if silence is None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, silence.patience if timeout is None else timeout)
        except psycopg.OperationalError as error:
            if self.pgconn.transaction_status != TransactionStatus.ACTIVE:
                raise
            # Its late response could be mistaken for the response to the next statement.
            self.pgconn.finish()
            silence.begins()
            raise psycopg.OperationalError("the server did not answer in time") from error


def bounded(address: dict[str, Any], silence: TimeoutGuard) -> Bounded:
    """Connect to that address (libpq's names) within the patience; libpq's minimum is two seconds."""
    if silence.lasts:  # after a time-out on an open connection, do not wait for a new one
        raise psycopg.OperationalError("the server did not answer in time")
    try:
        made = Bounded.connect(**{**address, "connect_timeout": max(2, int(silence.patience))})
    except psycopg.errors.ConnectionTimeout:
        silence.begins()
        raise
    made.silence = silence
    ours = f"{int(silence.patience * _THEIR_SHARE * 1000)}ms"
    with made.cursor() as cursor:
        for name in ("statement_timeout", "lock_timeout"):
            cursor.execute("SELECT set_config(%s, %s, false)", (name, ours))
    made.commit()
    return made
