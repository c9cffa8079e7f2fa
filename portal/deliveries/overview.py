"""One delivery as an operator sees it: neither a person nor a candidate's id."""

from dataclasses import dataclass
from datetime import datetime

from portal.deliveries.receipt import Standing
from portal.outbox.states import State


@dataclass(frozen=True, slots=True)
class Overview:
    """One delivery, without its person. kind: as operators read it; posting_id: None where it is about no posting.

    attempts: None once it left the outbox. duplicate_of: the delivery of the same content that is sent in its place.
    """

    reference: str
    kind: str
    tenant: str
    posting_id: str | None
    state: State
    standing: Standing
    """The same as its person is told."""
    accepted_at: datetime
    again_at: datetime | None
    """When its person last sent the same again."""
    delivered_at: datetime | None
    purged_at: datetime | None
    attempts: int | None
    next_attempt_at: datetime | None
    last_failure: str | None
    duplicate_of: str | None
    consent: str | None
    """The version of the text that was agreed to."""
    held_for: str | None = None
    """Who has to let it go on while it is held: "scanner", "operator", or "person", who confirms it by mail."""
    suspicion: str | None = None
    """Why a program may have sent it."""

    def as_json(self) -> dict[str, str | int | None]:
        """The same for machines; times in ISO 8601."""
        return {
            "reference": self.reference,
            "kind": self.kind,
            "tenant": self.tenant,
            "postingId": self.posting_id,
            "state": self.state.value,
            "standing": self.standing.value,
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
