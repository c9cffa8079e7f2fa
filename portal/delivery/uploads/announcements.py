"""Bytes that networks have announced but not sent: they count against the network's limit, and are released if unused.

The browser itself may send an announced file to the storage, so its bytes count against its network's limit until they
have arrived, or certainly will not. They do not count against the tenant's limit, so that nobody can block a tenant's
forms by announcing files.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.adapters.storage.store import Store
from portal.delivery.uploads.tables import asked
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database
from portal.platform.errors import AttachmentMissing
from portal.platform.rate_limits import network_of, wide_network_of

log = logging.getLogger(__name__)

SECONDS = 600
"""Seconds within which sending must begin; it must end within as many again, so with a connection of at least 17 kB/s.
"""
_HELD = timedelta(hours=1)
_LOOKED_FOR = 20
"""Files that one request looks for in the storage."""
_HASH = 32


@dataclass(frozen=True, slots=True)
class Announcer:
    """The announcer of files, as stored: keyed hashes of a network and of the wide network around it."""

    network: str
    wide_network: str


def announcer(seal: Seal, remote_address: str | None) -> Announcer:
    """Return the announcer at this address."""
    own, around = network_of(remote_address), wide_network_of(remote_address)
    return Announcer(seal.hash("announcer", own)[:_HASH], seal.hash("announcer around", around)[:_HASH])


def bytes_announced(db: Database, *, tenant: str, by: Announcer, now: datetime) -> tuple[int, int]:
    """Return the bytes announced within an hour and neither sent nor released.

    The first number is the network's, the second that of the wide network around it. Raises DatabaseUnavailable.
    """
    own = sa.case((asked.c.network == by.network, asked.c.charged), else_=0)
    sums = sa.select(sa.func.coalesce(sa.func.sum(own), 0), sa.func.coalesce(sa.func.sum(asked.c.charged), 0))
    with db.read() as connection:
        found = connection.execute(sums.where(*_open(tenant, by, now))).one()
    return int(found[0]), int(found[1])


def give_back(db: Database, store: Store, *, tenant: str, by: Announcer, now: datetime) -> list[int]:
    """Release the bytes of some files that can no longer be sent; return the sizes of those that arrived.

    Those are in the quarantine, unchecked: the caller counts them as stored. Raises StoreError, DatabaseUnavailable.
    """
    over = asked.c.expires_at <= now - timedelta(seconds=SECONDS)
    query = sa.select(asked.c.id, asked.c.key).where(*_open(tenant, by, now), over).order_by(asked.c.created_at)
    rows = db.rows(query.limit(_LOOKED_FOR))
    there = []
    for row in rows:
        try:
            with store.open_pinned(row.key) as found:
                size = found.size
        except AttachmentMissing:
            size = 0
        if release(db, row.id) and size:
            there.append(size)
    return there


def release(db: Database, one: str) -> bool:
    """Release the bytes reserved for an announced file. Return True to one caller only, which counts them as stored."""
    holding = (asked.c.id == one, asked.c.charged > 0)
    return db.run(asked.update().where(*holding).values(charged=0)) == 1


def _open(tenant: str, by: Announcer, now: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    a = asked.c
    return (a.wide_network == by.wide_network, a.tenant == tenant, a.charged > 0, a.created_at > now - _HELD)
