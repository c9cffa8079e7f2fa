"""One pass over a list at a time, with any number of workers; a pass that loses its lock writes nothing more.

1. A lock is held during the pass: a session-level advisory lock on PostgreSQL, a locked file beside the database on
   SQLite, whose processes all run on one machine. It needs no write, is released at once if its holder dies, and does
   not expire during a long pass. But it can be lost unnoticed: the session's connection is cut, and another worker
   starts.
2. Therefore a pass stores its token in the row in its first transaction that writes, unless another pass has stored one
   since it began; each later transaction checks that the token is unchanged. A pass that finds another token writes
   nothing more: LeaseLost.
"""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from hashlib import blake2b
from pathlib import Path
from threading import Event

import sqlalchemy as sa

from portal.background.sync.tables import ListName, passes
from portal.platform.database.db import Database
from portal.platform.database.outages import raising_unavailable
from portal.platform.errors import LeaseLost


class Lease:
    """The right of one pass to read and write. found: the token in the row when the pass began.

    held: the result of `lock`.
    """

    def __init__(
        self, db: Database, name: ListName, tenant: str, found: str | None, held: "Held | None" = None
    ) -> None:
        self.name = name
        self.tenant = tenant
        self._db = db
        self._held = held or Held(db)
        self._token = secrets.token_hex(16)
        self._good = {found, self._token}

    def read(self) -> AbstractContextManager[sa.Connection]:
        """Open a connection for reading, see Held.read."""
        return self._held.read()

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """Open a transaction of this pass; raises LeaseLost, and rolls back, if another pass has written since."""
        with self._db.write() as connection:
            mine = sa.and_(passes.c.list == self.name, passes.c.tenant == self.tenant)
            row = connection.execute(sa.select(passes.c.owner).where(mine).with_for_update()).one_or_none()
            if row is None or row.owner not in self._good:
                raise LeaseLost("another worker took this pass over, so nothing more of it is written")
            if row.owner != self._token:
                connection.execute(sa.update(passes).where(mine).values(owner=self._token))
            yield connection
        self._good = {self._token}


_ASK_AGAIN = 0.2
"""Seconds between tries to get the lock."""


class Held:
    """A lock that this process holds. session: on PostgreSQL, the connection that holds it."""

    def __init__(self, db: Database, session: sa.Connection | None = None) -> None:
        self._db = db
        self._session = session

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Open a connection that reads committed data, statement by statement.

        On PostgreSQL it is the lock's own connection, which is open anyway.
        """
        if self._session is None:
            with self._db.read() as connection:
                yield connection
        else:
            with raising_unavailable():
                yield self._session


def lock(db: Database, name: ListName, tenant: str, *, wait: bool = False) -> AbstractContextManager[Held | None]:
    """Hold the lock of a tenant's list in the block; None if another worker has it; with `wait`, wait for it."""
    return (_locked_file if db.is_sqlite else _advisory_lock)(db, f"{name}-{tenant}", wait=wait)


@contextmanager
def _locked_file(db: Database, what: str, *, wait: bool) -> Iterator[Held | None]:
    path = Path(f"{db.engine.url.database}.{what}.lock")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield None
            return
        yield Held(db)
    finally:
        os.close(descriptor)


@contextmanager
def _advisory_lock(db: Database, what: str, *, wait: bool) -> Iterator[Held | None]:
    key = {"key": int.from_bytes(blake2b(f"pass:{what}".encode(), digest_size=8).digest(), signed=True)}
    with db.session() as connection:
        ask = "SELECT pg_try_advisory_lock(%(key)s)"
        # Polled, because a statement that waits inside the database would be cancelled as if the database hung.
        while not (held := bool(connection.exec_driver_sql(ask, key).scalar())) and wait:
            Event().wait(_ASK_AGAIN)
        try:
            yield Held(db, connection) if held else None
        finally:
            if held:
                _unlock(connection, key)


def _unlock(connection: sa.Connection, key: dict[str, int]) -> None:
    try:
        connection.exec_driver_sql("SELECT pg_advisory_unlock(%(key)s)", key)
    except sa.exc.DBAPIError:
        connection.invalidate()  # the connection was lost, which released the lock; what the pass committed remains
