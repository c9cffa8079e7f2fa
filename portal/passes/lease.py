"""One pass over a list at a time, over any number of workers; and nothing written by a pass that lost its place.

1. A lock is held while the pass lasts: an advisory lock of the session on PostgreSQL, a locked file beside the
   database on SQLite, whose users are all on one machine. It costs no write, its holder's death gives it back at once,
   and it cannot run out while a long pass is still at work. But it can be lost without a word: the session's
   connection is cut, and another worker starts.
2. So a pass that has something to write puts its token into the row, in its first transaction that writes, provided
   that nobody else has since it began; each later one looks in the same transaction whether the token still stands.
   Who finds another's there wrote nothing and writes no more: LeaseLost.
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

from portal.db import Database
from portal.errors import LeaseLost
from portal.outages import told_apart
from portal.passes.tables import ListName, passes


class Lease:
    """What one pass reads and writes with. found: the token that stood in the row when the pass began.

    held: what `lock` gave.
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
        """As Held.read."""
        return self._held.read()

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """A transaction of this pass; LeaseLost, and nothing of it is kept, when another pass has written since."""
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
"""Seconds."""


class Held:
    """A lock that is ours. session: the connection that holds it, on PostgreSQL."""

    def __init__(self, db: Database, session: sa.Connection | None = None) -> None:
        self._db = db
        self._session = session

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """To read what is committed, a statement by itself: the lock's own connection, where it has one, is at hand."""
        if self._session is None:
            with self._db.read() as connection:
                yield connection
        else:
            with told_apart():
                yield self._session


@contextmanager
def lock(db: Database, name: ListName, tenant: str, *, wait: bool = False) -> Iterator[Held | None]:
    """Yields the lock if the tenant's list is ours until the block ends, else None; with `wait`, only when it is."""
    with (_locked_file if db.is_sqlite else _advisory_lock)(db, f"{name}-{tenant}", wait=wait) as held:
        yield held


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
        # Asked again and again: a wait inside of the database would be ended as one for a database that hangs.
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
        connection.invalidate()  # the session was cut, and the lock went with it; what the pass wrote stands
