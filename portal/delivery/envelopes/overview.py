"""One delivery as operators see it, without any person or candidate id."""

from dataclasses import dataclass
from datetime import datetime

from portal.background.outbox.states import OutboxState
from portal.delivery.envelopes.receipt import DeliveryProgress


@dataclass(frozen=True, slots=True)
class Overview:
    """One delivery, without its sender. kind: the label for operators; posting_id: None if it is about no posting.

    attempts: None once it left the outbox. duplicate_of: the delivery of the same content that is sent in its place.
    """

    reference: str
    kind: str
    tenant: str
    posting_id: str | None
    state: OutboxState
    standing: DeliveryProgress
    """The same progress as the candidate sees."""
    accepted_at: datetime
    again_at: datetime | None
    """When the candidate last sent the same again."""
    delivered_at: datetime | None
    purged_at: datetime | None
    attempts: int | None
    next_attempt_at: datetime | None
    last_failure: str | None
    duplicate_of: str | None
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
