"""One pass per tenant at a time, over any number of workers.

A lock that its holder's death gives back at once: an advisory lock of the session on PostgreSQL, a locked file beside
the database on SQLite, whose users are all on one machine. Neither writes to the database, and neither can run out
while a long pass is still at work.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

import sqlalchemy as sa

from portal.db import Database


@contextmanager
def lease(db: Database, tenant: str, *, wait: bool = False) -> Iterator[bool]:
    """Yields whether the tenant is ours until the block ends; with `wait`, only when it is."""
    if db.is_sqlite:
        with _locked_file(db, tenant, wait=wait) as held:
            yield held
    else:
        with _advisory_lock(db, tenant, wait=wait) as held:
            yield held


@contextmanager
def _locked_file(db: Database, tenant: str, *, wait: bool) -> Iterator[bool]:
    path = Path(f"{db.engine.url.database}.mirror-{tenant}.lock")
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
def _advisory_lock(db: Database, tenant: str, *, wait: bool) -> Iterator[bool]:
    key = int.from_bytes(blake2b(f"mirror:{tenant}".encode(), digest_size=8).digest(), signed=True)
    with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if wait:
            connection.execute(sa.select(sa.func.pg_advisory_lock(key)))
            held = True
        else:
            held = bool(connection.scalar(sa.select(sa.func.pg_try_advisory_lock(key))))
        try:
            yield held
        finally:
            if held:
                connection.execute(sa.select(sa.func.pg_advisory_unlock(key)))
