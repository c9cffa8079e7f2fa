"""The status of a delivery as the candidate and as operators see it, without any person or candidate id."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from portal.background.outbox.states import OVERTAKEN, REPLACED, UNCONFIRMED, HeldFor, OutboxState
from portal.background.outbox.tables import outbox
from portal.delivery.envelopes.tables import deliveries
from portal.platform.database.db import Database


class ReceiptState(StrEnum):
    """The state that a receipt shows."""

    RECEIVED = "received"
    SENT = "sent"
    REFUSED = "refused"
    """The company's service could not accept it: the tenant and the candidate have been notified by email."""
    WITHDRAWN = "withdrawn"
    """At the candidate's request; the company may still have to respond."""
    OVERTAKEN = "overtaken"
    """No longer needed when its turn came, so nothing was sent: somebody else changed the same data meanwhile."""
    TO_CONFIRM = "to-confirm"
    """Received, and held until the candidate confirms it by email."""
    UNCONFIRMED = "unconfirmed"
    """The candidate did not confirm it, so it was not sent."""
    REPLACED = "replaced"
    """The candidate sent a later one in its place, before it was sent."""


class DeliveryProgress(StrEnum):
    """The progress of a delivery in one word, for receipts, self-service, emails and operators.

    OutboxState is the technical state of the row; ReceiptState also says why a delivery ended, so that its page can
    explain it; DeliveryProgress is the short form of both, shown to everybody.
    """

    RECEIVED = "received"
    WITH_COMPANY = "with-company"
    WITHDRAWN = "withdrawn"
    NOT_DELIVERED = "not-delivered"
    NOT_CONFIRMED = "not-confirmed"
    NOT_SENT = "not-sent"


@dataclass(frozen=True, slots=True)
class ReceiptStep:
    """One step of the progress. at: when it was reached, None if unrecorded; still_to_come: it is not reached yet."""

    progress: DeliveryProgress
    at: datetime | None = None
    still_to_come: bool = False


@dataclass(frozen=True, slots=True)
class Receipt:
    """The status of one delivery. about: a posting's id, or a candidate's key.

    A repeat shows the status of the delivery that it repeats. repeats: the reference of that one. again_at: when the
    same content was last sent again. ended_at: when it ended without delivery; None once that is no longer recorded.
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
    ended_at: datetime | None = None

    @property
    def steps(self) -> tuple[ReceiptStep, ...]:
        """The steps so far, and the next one if there is one."""
        received = ReceiptStep(DeliveryProgress.RECEIVED, self.accepted_at)
        reached = ReceiptStep(DeliveryProgress.WITH_COMPANY, self.delivered_at)
        if self.state in {ReceiptState.RECEIVED, ReceiptState.TO_CONFIRM}:
            return received, ReceiptStep(DeliveryProgress.WITH_COMPANY, still_to_come=True)
        if self.state is ReceiptState.SENT:
            return received, reached
        if self.state is ReceiptState.WITHDRAWN:
            withdrawn = ReceiptStep(DeliveryProgress.WITHDRAWN, self.withdrawn_at)
            return (received, reached, withdrawn) if self.delivered_at else (received, withdrawn)
        return received, ReceiptStep(_ENDS[self.state], self.ended_at)

    @property
    def last_step(self) -> DeliveryProgress:
        """The last step that was reached."""
        return [step.progress for step in self.steps if not step.still_to_come][-1]


def find(db: Database, *, tenant: str, kind: str, reference: str) -> Receipt | None:
    """Return the receipt of that reference, in upper or lower case, or None."""
    query = deliveries_with_original().where(
        deliveries.c.tenant == tenant, deliveries.c.kind == kind, deliveries.c.reference == reference.upper()
    )
    row = db.row(query)
    return receipt_of(row) if row else None


def deliveries_with_original(*columns: sa.ColumnElement[Any]) -> sa.Select[Any]:
    """Return a query for deliveries, each joined with its original: the delivery that it repeats, or itself.

    state, outcome and the columns of the outbox (attempts, due_at, held_for, settled_at; None once the row is removed)
    are those of the original.
    """
    d, original, o = deliveries.c, _ORIGINAL.c, outbox.c
    own = (d.reference, d.kind, d.tenant, d.about, d.title, d.accepted_at, d.withdrawn_at, d.duplicate_of, d.consent)
    return (
        sa.select(
            *own,
            *columns,
            original.delivered_at,
            _AGAIN.label("again_at"),
            d.erased_at,
            state_column().label("state"),
            sa.func.coalesce(o.outcome, original.outcome).label("outcome"),
            o.attempts,
            o.due_at,
            o.held_for,
            o.settled_at,
        )
        .join(_ORIGINAL, original.reference == sa.func.coalesce(d.duplicate_of, d.reference))
        .outerjoin(outbox, sa.and_(o.kind == original.kind, o.subject == original.reference))
    )


def state_column() -> sa.ColumnElement[str]:
    """Return the state, for a condition on deliveries_with_original()."""
    return sa.func.coalesce(_ORIGINAL.c.ended, outbox.c.state)


def not_given_up() -> sa.ColumnElement[bool]:
    """Return a condition on deliveries_with_original(): it was delivered, or it may still be."""
    return state_column().not_in([OutboxState.DEAD, OutboxState.DISCARDED])


def receipt_of(row: sa.Row[Any]) -> Receipt:
    """Return the receipt for a row of deliveries_with_original()."""
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
        ended_at=row.settled_at,
    )


def _shown(row: sa.Row[Any]) -> ReceiptState:
    if row.withdrawn_at:
        return ReceiptState.WITHDRAWN
    if row.state == OutboxState.DISCARDED:
        return _BY_OUTCOME.get(row.outcome, ReceiptState.REFUSED)
    if row.state == OutboxState.HELD and row.held_for == HeldFor.CANDIDATE:
        return ReceiptState.TO_CONFIRM
    ends = {
        OutboxState.DELIVERED: ReceiptState.SENT,
        OutboxState.PURGED: ReceiptState.SENT,
        OutboxState.DEAD: ReceiptState.REFUSED,
    }
    return ends.get(OutboxState(row.state), ReceiptState.RECEIVED)


_BY_OUTCOME = {
    OVERTAKEN: ReceiptState.OVERTAKEN,
    REPLACED: ReceiptState.REPLACED,
    UNCONFIRMED: ReceiptState.UNCONFIRMED,
}
_ENDS = {
    ReceiptState.REFUSED: DeliveryProgress.NOT_DELIVERED,
    ReceiptState.UNCONFIRMED: DeliveryProgress.NOT_CONFIRMED,
    ReceiptState.OVERTAKEN: DeliveryProgress.NOT_SENT,
    ReceiptState.REPLACED: DeliveryProgress.NOT_SENT,
}
_ORIGINAL = deliveries.alias("original")
_REPEAT = deliveries.alias("repeat")
_AGAIN = (
    sa.select(sa.func.max(_REPEAT.c.accepted_at, type_=_REPEAT.c.accepted_at.type))
    .where(_REPEAT.c.duplicate_of == deliveries.c.reference)
    .scalar_subquery()
)


@dataclass(frozen=True, slots=True)
class Overview:
    """One delivery, without its sender."""

    reference: str
    kind: str
    """The kind's label for operators."""
    tenant: str
    posting_id: str | None
    """None if it is about no posting."""
    state: OutboxState
    progress: DeliveryProgress
    """The same progress as the candidate sees."""
    accepted_at: datetime
    again_at: datetime | None
    """When the candidate last sent the same again."""
    delivered_at: datetime | None
    purged_at: datetime | None
    attempts: int | None
    """None once it left the outbox."""
    next_attempt_at: datetime | None
    last_failure: str | None
    duplicate_of: str | None
    """The delivery of the same content that is sent in its place."""
    consent: str | None
    """The version of the text that was agreed to."""
    held_for: str | None = None
    """Who must release it while it is held: "scanner", "operator", or "person", the candidate, who confirms it by
    email.
    """
    suspicion: str | None = None
    """Why a bot may have sent it."""
    title: str | None = None
    """The posting's, when it was sent."""

    def as_json(self) -> dict[str, str | int | None]:
        """Return the same as JSON values; times in ISO 8601."""
        return {
            "reference": self.reference,
            "kind": self.kind,
            "tenant": self.tenant,
            "postingId": self.posting_id,
            "state": self.state.value,
            "standing": self.progress.value,
            "acceptedAt": self.accepted_at.isoformat(),
            "sentAgainAt": self.again_at.isoformat() if self.again_at else None,
            "deliveredAt": self.delivered_at.isoformat() if self.delivered_at else None,
            "purgedAt": self.purged_at.isoformat() if self.purged_at else None,
            "attempts": self.attempts,
            "nextAttemptAt": self.next_attempt_at.isoformat() if self.next_attempt_at else None,
            "lastFailure": self.last_failure,
            "duplicateOf": self.duplicate_of,
            "consentVersion": self.consent,
            "heldFor": self.held_for,
            "suspicion": self.suspicion,
        }
