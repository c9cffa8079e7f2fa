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
from portal.parts import Parts
from portal.requests import owed
from portal.uploads.storing import delete_unclaimed

log = logging.getLogger(__name__)


class ActRefused(PortalError):
    """What an operator wants done cannot be done to this one as it stands; nothing was changed."""


def retry(parts: Parts, by: By, reference: str) -> str:
    """Send one now that is dead or waiting. With a scanner its file is scanned again: that may be why it is dead."""
    noted = _noted(parts, by, What.RETRY, reference)
    if not operate.retry(parts.database, KINDS, reference, parts.clock, scanned=not parts.scans, noted=noted):
        why = "is not waiting and not dead, or its person sent a later change of the record"
        raise ActRefused(f"{reference} {why}")
    return f"{reference} is due now."


def release(parts: Parts, by: By, reference: str) -> str:
    """Send what is held for a look, because a program may have sent it, or for its sender's confirmation."""
    noted = _noted(parts, by, What.RELEASE, reference)
    if not operate.release(parts.database, reference, parts.clock, scanned=not parts.scans, noted=noted):
        why = "is not held for a look; what is held for the scanner goes on when the scanner has seen it"
        raise ActRefused(f"{reference} {why}")
    after = " once the scanner has seen its file" if parts.scans else " now"
    return f"{reference} is released: it is due{after}."


def discard(parts: Parts, by: By, reference: str) -> str:
    """Give one up that was not delivered: its data and its CV are erased."""
    noted = _noted(parts, by, What.DISCARD, reference)
    if not operate.discard(parts.database, KINDS, reference, parts.clock, noted=noted):
        raise ActRefused(f"{reference} is delivered, being sent, or unknown: nothing was discarded")
    try:
        delete_unclaimed(parts.database, parts.store, older_than=parts.settings.upload_ttl, clock=parts.clock)
    except StoreError as error:
        log.warning("a file of what was discarded is still there: %s", error)
        return f"{reference} is discarded and its data erased; its CV is deleted as soon as the store answers."
    finally:
        parts.database.truncate_log()
    return f"{reference} is discarded; its data and CV are erased."


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


def _noted(parts: Parts, by: By, what: What, reference: str) -> Callable[[sa.Connection, bool], None]:
    def noted(connection: sa.Connection, is_done: bool) -> None:  # noqa: FBT001  what the act returns
        outcome = Outcome.DONE if is_done else Outcome.REFUSED
        audit.write(connection, by, what, outcome, parts.clock.now(), reference=reference)

    return noted
