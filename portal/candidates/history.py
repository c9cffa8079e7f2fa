"""What was done to a record lately, for its owner: a misuse that is seen can be stopped."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

import sqlalchemy as sa

from portal.candidates.tables import record_history
from portal.db import Database

KEPT = timedelta(days=90)
_SHOWN = 20


class What(StrEnum):
    """An event."""

    SIGNED_IN = "signed_in"
    CHANGED = "changed"
    DELIVERED = "delivered"
    OVERTAKEN = "overtaken"
    REFUSED = "refused"
    REPLACED = "replaced"
    ADDRESS = "address"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened. reference: of the change or request, where there is one."""

    what: What
    at: datetime
    reference: str | None


def note(
    connection: sa.Connection,
    *,
    tenant: str,
    candidate: str,
    address: str,
    what: What,
    now: datetime,
    reference: str | None = None,
) -> None:
    """Write it down. candidate: the index's key; address: a keyed hash."""
    connection.execute(
        record_history.insert().values(
            tenant=tenant, candidate=candidate, address=address, what=what, at=now, reference=reference
        )
    )


def lately(db: Database, *, tenant: str, keys: Collection[str]) -> list[Event]:
    """The latest events of one record, newest first. keys: what its candidate is called, under every secret key."""
    h = record_history.c
    query = sa.select(h.what, h.at, h.reference).where(h.tenant == tenant, h.candidate.in_(keys))
    with db.read() as connection:
        rows = connection.execute(query.order_by(h.id.desc()).limit(_SHOWN))
        return [Event(What(row.what), row.at, row.reference) for row in rows]


def addresses(connection: sa.Connection, *, tenant: str, keys: Collection[str]) -> frozenset[str]:
    """Keyed hashes of the addresses from which something was done to a record: each was proven, and led to it."""
    h = record_history.c
    query = sa.select(h.address).where(h.tenant == tenant, h.candidate.in_(keys)).distinct()
    return frozenset(connection.scalars(query))


def erase(connection: sa.Connection, *, tenant: str, addresses: Collection[str], keys: Collection[str]) -> None:
    """Delete what was done from these addresses, or to these records."""
    h = record_history.c
    connection.execute(
        record_history.delete().where(h.tenant == tenant, sa.or_(h.address.in_(addresses), h.candidate.in_(keys)))
    )


def forget_old(db: Database, now: datetime) -> None:
    """Delete what is older than KEPT."""
    old = record_history.c.at < now - KEPT
    with db.read() as connection:
        if not connection.execute(sa.select(sa.exists().where(old))).scalar():
            return
    with db.write() as connection:
        connection.execute(record_history.delete().where(old))
