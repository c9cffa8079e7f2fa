"""Where a change stands, for the session that may know; and what it said, where it was overtaken."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.clock import Clock
from portal.contract.bodies import CandidateUpdate
from portal.db import Database
from portal.outbox import queue
from portal.outbox.queue import REPLACED, Entry
from portal.outbox.states import State
from portal.records.change import KIND
from portal.records.model import ChangeState, Record, record_of
from portal.records.tables import SEALED, record_changes
from portal.sealing import Seal, address_hashes

_OVERTAKEN_KEPT = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class ChangeReceipt:
    """wanted: what it would make of the record, as long as that is kept."""

    reference: str
    accepted_at: datetime
    delivered_at: datetime | None
    state: ChangeState
    wanted: Record | None = field(default=None, repr=False)


def find(db: Database, seal: Seal, *, tenant: str, candidate: str, reference: str) -> ChangeReceipt | None:
    """A change of this candidate's record, and of no other's."""
    c = record_changes.c
    query = sa.select(record_changes).where(c.tenant == tenant, c.candidate == candidate, c.reference == reference)
    with db.read() as connection:
        row = connection.execute(query).one_or_none()
        entry = queue.find(connection, KIND, reference) if row else None
    if row is None or entry is None:
        return None
    wanted = None
    if row.sealed_body is not None:
        wanted = record_of(CandidateUpdate.model_validate_json(seal.open(row.sealed_body)))
    state = _state(entry, overtaken=row.overtaken_at is not None, delivered=row.delivered_at is not None)
    return ChangeReceipt(reference, row.accepted_at, row.delivered_at, state, wanted)


@dataclass(frozen=True, slots=True)
class HeldChange:
    """A change as the portal still knows it. body: §4.10's, as long as it is kept, without the key of an attachment."""

    reference: str
    accepted_at: datetime
    delivered_at: datetime | None
    body: str | None = field(repr=False)


def held_about(db: Database, seal: Seal, *, tenant: str, email: str) -> list[HeldChange]:
    """Changes that were sent with this address, oldest first."""
    c = record_changes.c
    query = sa.select(c.reference, c.accepted_at, c.delivered_at, c.sealed_body).where(
        c.tenant == tenant, c.address.in_(address_hashes(seal, tenant, email))
    )
    with db.read() as connection:
        rows = connection.execute(query.order_by(c.accepted_at)).all()
    return [
        HeldChange(row.reference, row.accepted_at, row.delivered_at, row.sealed_body and _said(seal, row.sealed_body))
        for row in rows
    ]


def forget_overtaken(db: Database, clock: Clock) -> None:
    """What an overtaken change said is kept for a week, for its owner to look at; then it goes."""
    c = record_changes.c
    old = sa.and_(c.overtaken_at < clock.now() - _OVERTAKEN_KEPT, c.sealed_body.is_not(None))
    with db.read() as connection:
        if not connection.execute(sa.select(sa.exists().where(old))).scalar():
            return
    with db.write() as connection:
        connection.execute(record_changes.update().where(old).values(**dict.fromkeys(SEALED)))


def _said(seal: Seal, sealed_body: str) -> str:
    body = CandidateUpdate.model_validate_json(seal.open(sealed_body))
    return body.model_dump_json(by_alias=True, exclude_none=True, exclude={"latest_cv_attachment_id"})


def _state(entry: Entry, *, overtaken: bool, delivered: bool) -> ChangeState:
    if overtaken:
        return ChangeState.OVERTAKEN
    if delivered:
        return ChangeState.SENT
    if entry.state is State.DISCARDED and entry.outcome == REPLACED:
        return ChangeState.REPLACED
    return ChangeState.REFUSED if entry.state in {State.DEAD, State.DISCARDED} else ChangeState.RECEIVED
