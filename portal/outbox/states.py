"""The states of an outbox row.

held ──→ due ──→ sending ──→ delivered ──→ purged (its row is gone by then)
                    │
                    ├──→ retry      ──→ sending
                    ├──→ ambiguous  ──→ sending     may have arrived: sent again only after a longer pause
                    ├──→ discarded                  of no use any more when its turn came
                    └──→ dead       ──→ due (an operator's retry) or discarded
"""

from enum import StrEnum


class State(StrEnum):
    """Where a row stands."""

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
    """Who has to let a held row go on; where nobody is named, the scanner."""

    OPERATOR = "operator"
    """It may come from a program: somebody looks at it."""
    PERSON = "person"
    """Its sender confirms it by mail."""


CLAIMABLE = (State.DUE, State.RETRY, State.AMBIGUOUS)
UNFINISHED = (State.HELD, State.DUE, State.SENDING, State.RETRY, State.AMBIGUOUS)
FINISHED = (State.DELIVERED, State.DISCARDED)
"""Nothing moves these any more: their rows leave the outbox after a while."""

REPLACED = "Replaced"
"""The outcome of what a later one took the place of."""
OVERTAKEN = "Overtaken"
"""The outcome of what was of no use any more when its turn came."""
UNCONFIRMED = "Unconfirmed"
"""The outcome of what its sender did not confirm in time."""
NOT_LOOKED_AT = "NotLookedAt"
"""The outcome of what was held for an operator until its time was over."""


class Result(StrEnum):
    """How an attempt ended that raised nothing."""

    DELIVERED = "delivered"
    OVERTAKEN = "overtaken"
    """Nothing was sent, and nothing will be."""
