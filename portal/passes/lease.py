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
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

import sqlalchemy as sa

from portal.db import Database
from portal.errors import LeaseLost
from portal.passes.tables import ListName, passes


class Lease:
    """What one pass writes with. found: the token that stood in the row when the pass began."""

    def __init__(self, db: Database, name: ListName, tenant: str, found: str | None) -> None:
        self.name = name
        self.tenant = tenant
        self._db = db
        self._token = secrets.token_hex(16)
        self._good = {found, self._token}

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


@contextmanager
def lock(db: Database, name: ListName, tenant: str, *, wait: bool = False) -> Iterator[bool]:
    """Yields whether the tenant's list is ours until the block ends; with `wait`, only when it is."""
    with (_locked_file if db.is_sqlite else _advisory_lock)(db, f"{name}-{tenant}", wait=wait) as held:
        yield held


@contextmanager
def _locked_file(db: Database, what: str, *, wait: bool) -> Iterator[bool]:
    path = Path(f"{db.engine.url.database}.{what}.lock")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)


@contextmanager
def _advisory_lock(db: Database, what: str, *, wait: bool) -> Iterator[bool]:
    key = int.from_bytes(blake2b(f"pass:{what}".encode(), digest_size=8).digest(), signed=True)
    with db.session() as connection:
        if wait:
            connection.execute(sa.select(sa.func.pg_advisory_lock(key)))
            held = True
        else:
            held = bool(connection.scalar(sa.select(sa.func.pg_try_advisory_lock(key))))
        try:
            yield held
        finally:
            if held:
                _unlock(connection, key)


def _unlock(connection: sa.Connection, key: int) -> None:
    try:
        connection.execute(sa.select(sa.func.pg_advisory_unlock(key)))
    except sa.exc.DBAPIError:
        connection.invalidate()  # the session was cut, and the lock went with it; what the pass wrote stands
