"""Where a delivery stands, for its person: nothing personal."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from portal.db import Database
from portal.deliveries.tables import deliveries
from portal.outbox.states import OVERTAKEN, REPLACED, UNCONFIRMED, HeldFor, State
from portal.outbox.tables import outbox


class ReceiptState(StrEnum):
    """What a receipt tells."""

    RECEIVED = "received"
    SENT = "sent"
    REFUSED = "refused"
    """The company's service could not take it: the tenant was told, and its person has mail."""
    WITHDRAWN = "withdrawn"
    """At its person's wish; the company may still have to answer."""
    OVERTAKEN = "overtaken"
    """What it would have changed was changed by somebody else meanwhile; nothing was sent."""
    TO_CONFIRM = "to-confirm"
    """Received, and waits until its person confirms it by mail."""
    UNCONFIRMED = "unconfirmed"
    """They did not, so it was not sent."""
    REPLACED = "replaced"
    """Its person sent a later one in its place, before it was sent."""


class Standing(StrEnum):
    """How far something has come: one vocabulary for receipts, self-service, letters and operators."""

    RECEIVED = "received"
    WITH_COMPANY = "with-company"
    WITHDRAWN = "withdrawn"
    NOT_DELIVERED = "not-delivered"
    NOT_CONFIRMED = "not-confirmed"
    NOT_SENT = "not-sent"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the way. at: when it was reached, None where nobody wrote it down; still_to_come: it was not."""

    standing: Standing
    at: datetime | None = None
    still_to_come: bool = False


@dataclass(frozen=True, slots=True)
class Receipt:
    """about: a posting's id, or a candidate's key. A duplicate follows the delivery that it repeats.

    repeats: the reference of that one. again_at: when the same was last sent again.
    """

    reference: str
    about: str
    title: str
    accepted_at: datetime
    delivered_at: datetime | None
    state: ReceiptState
    withdrawn_at: datetime | None = None
    again_at: datetime | None = None
    repeats: str | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """Its way so far, and the step that comes next if one does."""
        received = Step(Standing.RECEIVED, self.accepted_at)
        reached = Step(Standing.WITH_COMPANY, self.delivered_at)
        if self.state in {ReceiptState.RECEIVED, ReceiptState.TO_CONFIRM}:
            return received, Step(Standing.WITH_COMPANY, still_to_come=True)
        if self.state is ReceiptState.SENT:
            return received, reached
        if self.state is ReceiptState.WITHDRAWN:
            withdrawn = Step(Standing.WITHDRAWN, self.withdrawn_at)
            return (received, reached, withdrawn) if self.delivered_at else (received, withdrawn)
        return received, Step(_ENDS[self.state])

    @property
    def standing(self) -> Standing:
        """The last step that it reached."""
        return [step.standing for step in self.steps if not step.still_to_come][-1]


def find(db: Database, *, tenant: str, kind: str, reference: str) -> Receipt | None:
    """The receipt of that reference, in letters of any case, or None."""
    query = following().where(
        deliveries.c.tenant == tenant, deliveries.c.kind == kind, deliveries.c.reference == reference.upper()
    )
    with db.read() as connection:
        row = connection.execute(query).one_or_none()
    return receipt_of(row) if row else None


def following(*columns: sa.ColumnElement[Any]) -> sa.Select[Any]:
    """Deliveries, each with the one that it follows (itself, or what it repeats) and that one's state.

    state, outcome and the outbox's figures (attempts, due_at, held_for; None once the row is gone) are the followed
    one's.
    """
    d, f, o = deliveries.c, _FOLLOWED.c, outbox.c
    told = (d.reference, d.kind, d.tenant, d.about, d.title, d.accepted_at, d.withdrawn_at, d.duplicate_of, d.consent)
    return (
        sa.select(
            *told,
            *columns,
            f.delivered_at,
            _AGAIN.label("again_at"),
            d.erased_at,
            state_column().label("state"),
            sa.func.coalesce(o.outcome, f.outcome).label("outcome"),
            o.attempts,
            o.due_at,
            o.held_for,
        )
        .join(_FOLLOWED, f.reference == sa.func.coalesce(d.duplicate_of, d.reference))
        .outerjoin(outbox, sa.and_(o.kind == f.kind, o.subject == f.reference))
    )


def state_column() -> sa.ColumnElement[str]:
    """For a condition on following()."""
    return sa.func.coalesce(_FOLLOWED.c.ended, outbox.c.state)


def receipt_of(row: sa.Row[Any]) -> Receipt:
    """From a row of following()."""
    return Receipt(
        reference=row.reference,
        about=row.about,
        title=row.title or "",
        accepted_at=row.accepted_at,
        delivered_at=row.delivered_at,
        state=_shown(row),
        withdrawn_at=row.withdrawn_at,
        again_at=row.again_at,
        repeats=row.duplicate_of,
    )


def _shown(row: sa.Row[Any]) -> ReceiptState:
    if row.withdrawn_at:
        return ReceiptState.WITHDRAWN
    if row.state == State.DISCARDED:
        return _BY_OUTCOME.get(row.outcome, ReceiptState.REFUSED)
    if row.state == State.HELD and row.held_for == HeldFor.PERSON:
        return ReceiptState.TO_CONFIRM
    ends = {State.DELIVERED: ReceiptState.SENT, State.PURGED: ReceiptState.SENT, State.DEAD: ReceiptState.REFUSED}
    return ends.get(State(row.state), ReceiptState.RECEIVED)


_BY_OUTCOME = {
    OVERTAKEN: ReceiptState.OVERTAKEN,
    REPLACED: ReceiptState.REPLACED,
    UNCONFIRMED: ReceiptState.UNCONFIRMED,
}
_ENDS = {
    ReceiptState.REFUSED: Standing.NOT_DELIVERED,
    ReceiptState.UNCONFIRMED: Standing.NOT_CONFIRMED,
    ReceiptState.OVERTAKEN: Standing.NOT_SENT,
    ReceiptState.REPLACED: Standing.NOT_SENT,
}
_FOLLOWED = deliveries.alias("followed")
_REPEAT = deliveries.alias("repeat")
_AGAIN = (
    sa.select(sa.func.max(_REPEAT.c.accepted_at, type_=_REPEAT.c.accepted_at.type))
    .where(_REPEAT.c.duplicate_of == deliveries.c.reference)
    .scalar_subquery()
)
