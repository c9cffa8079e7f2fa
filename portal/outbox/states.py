"""The states of an outbox row.

held ──→ due ──→ sending ──→ delivered ──→ purged
                    │
                    ├──→ retry      ──→ sending
                    ├──→ ambiguous  ──→ sending     may have arrived: sent again only after a longer pause
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


CLAIMABLE = (State.DUE, State.RETRY, State.AMBIGUOUS)
UNFINISHED = (State.HELD, State.DUE, State.SENDING, State.RETRY, State.AMBIGUOUS)
