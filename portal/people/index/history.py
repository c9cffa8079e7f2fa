"""Recent events of a record, shown to its owner, who can notice and stop misuse."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa

from portal.people.index.tables import record_history
from portal.platform.database.db import Database, delete_old
from portal.tenants.retention import Cutoffs

_SHOWN = 20


class HistoryEventKind(StrEnum):
    """The kind of an event."""

    SIGNED_IN = "signed_in"
    CHANGED = "changed"
    DELIVERED = "delivered"
    OVERTAKEN = "overtaken"
    REFUSED = "refused"
    REPLACED = "replaced"
    ADDRESS = "address"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """One event. reference: of the change or request, if there is one."""

    what: HistoryEventKind
    at: datetime
    reference: str | None


def note(
    connection: sa.Connection,
    *,
    tenant: str,
    candidate: str,
    address: str,
    what: HistoryEventKind,
    now: datetime,
    reference: str | None = None,
) -> None:
    """Record an event. candidate: the index's key; address: a keyed hash."""
    connection.execute(
        record_history.insert().values(
            tenant=tenant, candidate=candidate, address=address, what=what, at=now, reference=reference
        )
    )


def lately(db: Database, *, tenant: str, keys: Collection[str]) -> list[HistoryEvent]:
    """Return the latest events of one record, newest first. keys: its candidate's keys, under every secret key."""
    h = record_history.c
    query = sa.select(h.what, h.at, h.reference).where(h.tenant == tenant, h.candidate.in_(keys))
    with db.read() as connection:
        rows = connection.execute(query.order_by(h.id.desc()).limit(_SHOWN))
        return [HistoryEvent(HistoryEventKind(row.what), row.at, row.reference) for row in rows]


def addresses(connection: sa.Connection, *, tenant: str, keys: Collection[str]) -> frozenset[str]:
    """Return keyed hashes of the proven addresses that caused events of a record."""
    h = record_history.c
    query = sa.select(h.address).where(h.tenant == tenant, h.candidate.in_(keys)).distinct()
    return frozenset(connection.scalars(query))


def erase(connection: sa.Connection, *, tenant: str, addresses: Collection[str], keys: Collection[str]) -> None:
    """Delete the events caused by these addresses, or about these records."""
    h = record_history.c
    connection.execute(
        record_history.delete().where(h.tenant == tenant, sa.or_(h.address.in_(addresses), h.candidate.in_(keys)))
    )


def forget_old(db: Database, old: Cutoffs) -> None:
    """Delete old events."""
    h = record_history.c
    delete_old(db, record_history, old.passed(h.tenant, h.at))
