"""Links that undo changes of email addresses: until when, by whom, and what is postponed until then.

A former address can undo its change within WINDOW after the change was accepted. Meanwhile what was sent with that
address stays with it, and somebody who got access through the change cannot erase the record.
"""

import logging
import secrets
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict

from portal.background.outbox.states import UNFINISHED
from portal.background.outbox.tables import outbox
from portal.contract.bodies import CandidateUpdate
from portal.delivery.envelopes.kinds import Contents
from portal.delivery.envelopes.repeats import lock_order_key
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.record_changes import readdressing
from portal.delivery.record_changes.model import ChangePayload
from portal.platform.crypto.sealing import Seal, Unreadable, address_hash, address_hashes
from portal.platform.database.db import Database, Instant, delete_old, metadata

log = logging.getLogger(__name__)

WINDOW = timedelta(hours=72)
_KEPT = timedelta(days=30)
"""How long after its window a row is kept, so that its link can show the outcome."""
_BATCH = 100
address_undos = sa.Table(
    "address_undos",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("candidate", sa.String(64), nullable=False),
    sa.Column("reference", sa.String(32), nullable=False),
    sa.Column("token", sa.String(64), nullable=False, unique=True),
    sa.Column("address", sa.String(64), nullable=False),
    sa.Column("sealed", sa.Text),
    sa.Column("accepted_at", Instant, nullable=False),
    sa.Column("expires_at", Instant, nullable=False),
    sa.Column("undone_by", sa.String(32)),
    sa.Column("moved_at", Instant),
)
_c = address_undos.c
sa.Index("ix_address_undos_candidate", _c.tenant, _c.candidate)
sa.Index("ix_address_undos_address", _c.tenant, _c.address)
sa.Index("ix_address_undos_reference", _c.reference)
sa.Index("ix_address_undos_undone_by", _c.undone_by)
sa.Index("ix_address_undos_expires_at", _c.expires_at)
_u = address_undos.c


class Undoable(BaseModel):
    """The sealed contents of a row. recipient: who got the link. email: the address that sent the change.

    before: the record before the change, as §4.10's body.
    """

    model_config = ConfigDict(frozen=True)

    recipient: str = field(repr=False)
    email: str = field(repr=False)
    change: ChangePayload = field(repr=False)
    before: CandidateUpdate = field(repr=False)


@dataclass(frozen=True, slots=True)
class UndoRow:
    """One link, decrypted. undoable: None once there is nothing left to undo."""

    id: int
    tenant: str
    candidate: str
    reference: str
    address: str
    accepted_at: datetime
    expires_at: datetime
    is_undone: bool
    undoable: Undoable | None = field(repr=False)


def offer(
    connection: sa.Connection,
    seal: Seal,
    *,
    tenant: str,
    candidate: str,
    reference: str,
    undoable: Undoable,
    now: datetime,
) -> str:
    """Store that the recipient may undo this change; return the token for their link. Only its hash is stored."""
    token = secrets.token_urlsafe(32)
    connection.execute(
        address_undos.insert().values(
            tenant=tenant,
            candidate=candidate,
            reference=reference,
            token=seal.hash("undo", tenant, token),
            address=address_hash(seal, tenant, undoable.recipient),
            sealed=seal.seal(undoable.model_dump_json(by_alias=True, exclude_none=True)),
            accepted_at=now,
            expires_at=now + WINDOW,
        )
    )
    return token


def find(connection: sa.Connection, seal: Seal, tenant: str, token: str) -> UndoRow | None:
    """Return the change that a link leads to; None if the link is not this tenant's, or was deleted since."""
    query = sa.select(address_undos).where(_u.tenant == tenant, _u.token.in_(seal.hashes("undo", tenant, token)))
    row = connection.execute(query).one_or_none()
    return None if row is None else _row(seal, row)


def chain(connection: sa.Connection, seal: Seal, row: UndoRow, keys: Collection[str]) -> list[UndoRow]:
    """Return this change and every later one of the same record that was not undone, oldest first, one row each."""
    later = (_u.tenant == row.tenant, _u.candidate.in_(keys), _u.id >= row.id, _u.undone_by.is_(None))
    rows = connection.execute(sa.select(address_undos).where(*later).order_by(_u.id)).all()
    return list({one.reference: _row(seal, one) for one in reversed(rows)}.values())[::-1]


def end(connection: sa.Connection, references: Collection[str], undone_by: str) -> int:
    """Mark these changes as undone, which ends their links; return how many links ended."""
    theirs = (_u.reference.in_(references), _u.undone_by.is_(None), _u.moved_at.is_(None))
    return connection.execute(address_undos.update().where(*theirs).values(undone_by=undone_by, sealed=None)).rowcount


def is_undone(db: Database, reference: str) -> bool:
    """Return whether this change was undone, so that it must not be sent any more."""
    query = sa.select(_u.id).where(_u.reference == reference, _u.undone_by.is_not(None)).limit(1)
    return db.exists(query)


def is_an_undo(connection: sa.Connection, reference: str) -> bool:
    """Return whether this delivery undoes a change; no later change replaces an undo."""
    return connection.execute(sa.select(_u.id).where(_u.undone_by == reference).limit(1)).first() is not None


def is_open_for(db: Database, seal: Seal, tenant: str, email: str, now: datetime) -> bool:
    """Return whether this address can undo a change, or its undo is on its way.

    Until then the address still gives access to what was sent with it.
    """
    mine = (_u.tenant == tenant, _u.address.in_(address_hashes(seal, tenant, email)))
    query = sa.select(_u.id).where(*mine, _is_undoable(now)).limit(1)
    return db.exists(query)


def holds_up_erasing(
    connection: sa.Connection, seal: Seal, *, tenant: str, email: str, keys: Collection[str], now: datetime
) -> datetime | None:
    """Return until when this address must not erase the record, because others can still undo a change; None if it may.

    An address that was in the record before every such change may erase it at any time.
    """
    query = sa.select(_u.reference, _u.address, _u.expires_at).where(
        _u.tenant == tenant, _u.candidate.in_(keys), _is_undoable(now)
    )
    mine, by_reference, until = set(address_hashes(seal, tenant, email)), dict[str, set[str]](), dict[str, datetime]()
    for reference, address, expires_at in connection.execute(query):
        by_reference.setdefault(reference, set()).add(address)
        until[reference] = expires_at
    return max((until[one] for one, addresses in by_reference.items() if mine.isdisjoint(addresses)), default=None)


def _is_undoable(now: datetime) -> sa.ColumnElement[bool]:
    """Return a condition: a change can still be undone, or its undo is not delivered yet."""
    d, o = deliveries.c, outbox.c
    its_undo = (d.reference == _u.undone_by, o.kind == d.kind, o.subject == d.reference)
    in_hand = sa.exists().where(*its_undo, o.state.in_(UNFINISHED))
    return sa.or_(sa.and_(_u.undone_by.is_(None), _u.expires_at > now), in_hand)


def forget(connection: sa.Connection, *, tenant: str, addresses: Collection[str], keys: Collection[str]) -> None:
    """Delete the undo links of addresses (keyed hashes) and records, because everything about them is erased."""
    theirs = sa.or_(_u.address.in_(addresses), _u.candidate.in_(keys))
    connection.execute(address_undos.delete().where(_u.tenant == tenant, theirs))


def settle_expired(db: Database, seal: Seal, now: datetime) -> None:
    """Assign what a former address sent to the new one, once the change is delivered and its window is over."""
    delivered = sa.exists().where(deliveries.c.reference == _u.reference, deliveries.c.delivered_at.is_not(None))
    stands = (_u.undone_by.is_(None), _u.moved_at.is_(None), _u.expires_at <= now)
    due = sa.select(_u.reference).where(*stands, delivered).group_by(_u.reference).order_by(sa.func.min(_u.id))
    references = db.values(due.limit(_BATCH))
    for reference in references:
        try:
            with db.write() as connection:
                _move(connection, seal, reference, now)
        except Unreadable:
            log.error("%s: a change of addresses cannot be read: its secret key is missing", reference)  # noqa: TRY400  a failure must not stop the others
    delete_old(db, address_undos, _u.expires_at < now - _KEPT)


def _move(connection: sa.Connection, seal: Seal, reference: str, now: datetime) -> None:
    """Finalise one change under its lock: a concurrent undo either came first, or finds that the window is over."""
    first = connection.execute(sa.select(_u.candidate).where(_u.reference == reference).limit(1)).scalar_one()
    lock_order_key(connection, first)
    rows = connection.execute(
        sa.select(address_undos).where(_u.reference == reference, _u.undone_by.is_(None), _u.moved_at.is_(None))
    ).all()
    if not rows:
        return
    row = _row(seal, rows[0])
    connection.execute(
        address_undos.update()
        .where(_u.reference == reference, _u.undone_by.is_(None), _u.moved_at.is_(None))
        .values(moved_at=now, sealed=None)
    )
    if row.undoable is not None:
        contents = Contents(row.undoable.email, row.undoable.change)
        readdressing.move(connection, seal, tenant=row.tenant, key=row.candidate, contents=contents)


def _row(seal: Seal, row: sa.Row[*tuple[object, ...]]) -> UndoRow:
    return UndoRow(
        row.id,
        row.tenant,
        row.candidate,
        row.reference,
        row.address,
        row.accepted_at,
        row.expires_at,
        row.undone_by is not None,
        Undoable.model_validate_json(seal.open(row.sealed)) if row.sealed else None,
    )
