"""Acts of operators: what commands do and the desk does is the same, refusals and their words too.

Each says what is so from now on, or raises ActRefused; either way the audit log has a line of it.
"""

import logging
from collections.abc import Callable

import sqlalchemy as sa

from portal.acts import audit
from portal.acts.audit import By, Outcome, What
from portal.deliveries import operate
from portal.deliveries.accept import lane
from portal.errors import PortalError, StoreError
from portal.kinds import KINDS
from portal.outbox import queue
from portal.outbox.states import CLAIMABLE, State
from portal.parts import Parts
from portal.requests import owed
from portal.uploads.storing import delete_unclaimed

log = logging.getLogger(__name__)

_SENT = "only what waits or is dead can be sent now"
_LEFT = "only what is neither delivered nor being sent can be discarded"
_STANDS = {
    State.HELD: "is held",
    State.DUE: "is due, and a worker takes it next",
    State.SENDING: "is being sent just now",
    State.RETRY: "waits for its next try",
    State.AMBIGUOUS: "may have arrived, and is looked up at the service",
    State.DELIVERED: "is delivered",
    State.PURGED: "is delivered, and the portal's copy erased",
    State.DEAD: "is dead",
    State.DISCARDED: "is discarded",
}
_HELD_FOR = {
    "scanner": "is held for the scanner, and goes on when that has seen its file",
    "operator": "is held for a look",
    "person": "is held until its sender confirms it",
}
"""Of Overview.held_for."""


class ActRefused(PortalError):
    """What an operator wants done cannot be done to this one as it stands; nothing was changed."""


def retry(parts: Parts, by: By, reference: str) -> str:
    """Send one now that is dead or waiting. With a scanner its file is scanned again: that may be why it is dead."""
    noted = _noted(parts, by, What.RETRY, reference)
    if not operate.retry(parts.database, KINDS, reference, parts.clock, scanned=not parts.scans, noted=noted):
        raise _refused(parts, reference, _SENT)
    return f"{reference} is due now."


def release(parts: Parts, by: By, reference: str) -> str:
    """Send what is held for a look, because a program may have sent it, or for its sender's confirmation."""
    noted = _noted(parts, by, What.RELEASE, reference)
    if not operate.release(parts.database, reference, parts.clock, scanned=not parts.scans, noted=noted):
        raise _refused(parts, reference, "only what is held for a look, or for its sender, can be released")
    after = " once the scanner has seen its file" if parts.scans else " now"
    return f"{reference} is released: it is due{after}."


def discard(parts: Parts, by: By, reference: str) -> str:
    """Give one up that was not delivered: its data and its CV are erased."""
    noted = _noted(parts, by, What.DISCARD, reference)
    if not operate.discard(parts.database, KINDS, reference, parts.clock, noted=noted):
        raise _refused(parts, reference, _LEFT)
    try:
        delete_unclaimed(parts.database, parts.store, older_than=parts.settings.upload_ttl, clock=parts.clock)
    except StoreError as error:
        log.warning("a file of what was discarded is still there: %s", error)
        return f"{reference} is discarded and its data erased; its CV is deleted as soon as the store answers."
    finally:
        parts.database.truncate_log()
    return f"{reference} is discarded; its data and CV are erased."


def why_not_discarded(parts: Parts, reference: str) -> str:
    """The words with which discard() would refuse one that is in no state for it."""
    return str(_refused(parts, reference, _LEFT))


def done(parts: Parts, by: By, reference: str) -> str:
    """The tenant has done what was asked; the person is told, and their address forgotten."""
    noted = _noted(parts, by, What.DONE, reference)
    if not owed.done(parts.database, parts.seal, reference, parts.clock, noted=noted):
        raise ActRefused(f"no request {reference} waits for an answer")
    return f"{reference} is done; the person is told."


def wake(parts: Parts, by: By, tenant: str) -> str:
    """End the rest of a tenant's lane: its oldest goes now, and shows whether the service takes it."""
    with parts.database.write() as connection:
        woken = queue.wake(connection, lane(tenant), parts.clock.now())
        outcome = Outcome.DONE if woken else Outcome.REFUSED
        audit.write(connection, by, What.WAKE, outcome, parts.clock.now(), tenant=tenant)
    if not woken:
        raise ActRefused(f"nothing of {tenant} waits that could be tried")
    return "The oldest one is tried now; if it arrives, the others follow by themselves."


def _refused(parts: Parts, reference: str, rule: str) -> ActRefused:
    """With the state in which it is found now, and what may be done where."""
    found = operate.one(parts.database, KINDS, reference)
    if found is None:
        return ActRefused(f"there is no submission {reference}")
    if found.duplicate_of:
        same = f"is the same as {found.duplicate_of}, which is sent in its place"
        return ActRefused(f"{reference} {same}: look at that one")
    if found.state in {State.DEAD, *CLAIMABLE} and found.purged_at:
        return ActRefused(f"{reference} {_STANDS[found.state]}, and what it said is erased: nothing is left to send")
    if found.state in {State.DEAD, *CLAIMABLE} and rule == _SENT:
        later = "its person sent a later change of the record, which says everything that is to be"
        return ActRefused(f"{reference} {_STANDS[found.state]}, but {later}")
    stands = _HELD_FOR[found.held_for] if found.held_for else _STANDS[found.state]
    return ActRefused(f"{reference} {stands}: {rule}")


def _noted(parts: Parts, by: By, what: What, reference: str) -> Callable[[sa.Connection, bool], None]:
    def noted(connection: sa.Connection, is_done: bool) -> None:  # noqa: FBT001  what the act returns
        outcome = Outcome.DONE if is_done else Outcome.REFUSED
        audit.write(connection, by, what, outcome, parts.clock.now(), reference=reference)

    return noted
