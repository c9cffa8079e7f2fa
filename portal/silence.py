"""A PostgreSQL that says nothing holds nobody: each wait ends, and who comes after one in vain is told at once.

A server that is stopped, or behind a line that swallows, answers neither a time-out of its own nor TCP's: the kernel
acknowledges for it. So the wait itself is bounded, here, and the server's own limits stop what it still works on.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from portal.errors import DatabaseUnavailable

_AGAIN = 2.0
"""Seconds for which nobody asks after a wait in vain; then one does."""
_THEIR_SHARE = 0.85
"""Of the patience: a server that lives ends what takes too long itself, and says so."""


class Silence:
    """Remembers a wait in vain. patience: seconds after which one is. For any thread."""

    def __init__(self, patience: float, monotonic: Callable[[], float]) -> None:
        self.patience = patience
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._until = 0.0
        self._asked_until = 0.0
        """Until when one asks for all who come meanwhile."""

    def begins(self) -> None:
        """Somebody waited in vain."""
        self._until = self._asked_until = self._monotonic() + _AGAIN

    @property
    def lasts(self) -> bool:
        """Whether somebody waited in vain a moment ago."""
        return self._monotonic() < self._until

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Ask inside; DatabaseUnavailable at once while somebody else's question was in vain a moment ago."""
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
            if self._asked_until == mine:  # it was answered, whatever the answer
                self._asked_until = 0.0


class Bounded(psycopg.Connection[Any]):
    """A connection on which no wait lasts longer than `silence` has patience; it is closed by one that did."""

    silence: Silence | None = None

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:  # noqa: ANN401  psycopg's own signature
        """As psycopg has it; OperationalError when there was no answer in time."""
        silence = self.silence
        if silence is None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, silence.patience if timeout is None else timeout)
        except psycopg.OperationalError as error:
            if self.pgconn.transaction_status != TransactionStatus.ACTIVE:
                raise
            # What it would have answered can no longer be told from what it answers to the next question.
            self.pgconn.finish()
            silence.begins()
            raise psycopg.OperationalError("the server did not answer in time") from error


def bounded(address: dict[str, Any], silence: Silence) -> Bounded:
    """A connection to that address (libpq's names), made within the patience, of which libpq's least is two seconds."""
    if silence.lasts:  # who waited in vain on a connection that was open does not wait once more for another
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
