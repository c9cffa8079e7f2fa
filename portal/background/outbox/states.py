"""The states of an outbox row.

held ──→ due ──→ sending ──→ delivered ──→ purged (its row is gone by then)
                    │
                    ├──→ retry      ──→ sending
                    ├──→ ambiguous  ──→ sending     may have arrived: sent again only after a longer pause
                    ├──→ discarded                  no longer needed when its turn came
                    └──→ dead       ──→ due (an operator's retry) or discarded
"""

from enum import StrEnum


class OutboxState(StrEnum):
    """The state of an outbox row."""

    HELD = "held"
    DUE = "due"
    SENDING = "sending"
    RETRY = "retry"
    AMBIGUOUS = "ambiguous"
    DELIVERED = "delivered"
    PURGED = "purged"
    DEAD = "dead"
    DISCARDED = "discarded"


class HeldFor(StrEnum):
    """Who must release a held row; a held row without one waits for the malware scanner."""

    OPERATOR = "operator"
    """A bot may have sent it, so an operator reviews it."""
    CANDIDATE = "person"
    """The candidate confirms it by email."""


CLAIMABLE = (OutboxState.DUE, OutboxState.RETRY, OutboxState.AMBIGUOUS)
UNFINISHED = (OutboxState.HELD, OutboxState.DUE, OutboxState.SENDING, OutboxState.RETRY, OutboxState.AMBIGUOUS)
FINISHED = (OutboxState.DELIVERED, OutboxState.DISCARDED)
"""Final states: these rows never change again and are removed from the outbox after a while."""

REPLACED = "Replaced"
"""Outcome of a row that a later one replaced before it was sent."""
OVERTAKEN = "Overtaken"
"""Outcome of a row that was not sent, because it was no longer needed when its turn came.

For a change of a candidate's record: somebody else changed the same data meanwhile.
"""
RESTORED = "Restored"
"""Outcome of a row that was restored from a backup and not tried since, or that is not sent again because of that."""
UNCONFIRMED = "Unconfirmed"
"""Outcome of a row that the candidate did not confirm in time."""
NOT_REVIEWED = "NotLookedAt"
"""Outcome of a row that was held for an operator's review, and that expired before it was reviewed."""

UNREADABLE = "Unreadable"
"""Outcome of a row whose data no secret key can decrypt: the class name of the error in platform.crypto.sealing."""


class Result(StrEnum):
    """The result of an attempt that raised no error."""

    DELIVERED = "delivered"
    OVERTAKEN = "overtaken"
    """Nothing was sent, and nothing will be."""
