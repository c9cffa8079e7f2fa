"""Manual actions of operators. Console and commands call the same functions and show the same texts.

Each returns a sentence about the new state or raises ActRefused; either way it writes one entry to the audit log.
"""

import logging
from collections.abc import Callable

import sqlalchemy as sa

from portal.adapters.storage.store import Store
from portal.background.outbox import queue
from portal.background.outbox.states import CLAIMABLE, OutboxState
from portal.delivery.envelopes import submissions
from portal.delivery.envelopes.kinds import lane
from portal.delivery.envelopes.repeats import SubmittedAgain
from portal.delivery.kinds import KINDS
from portal.delivery.privacy_requests import requests
from portal.delivery.uploads.storing import delete_unclaimed
from portal.operations.actions import audit
from portal.operations.actions.audit import Action, ActionOutcome, Actor
from portal.people.index import index
from portal.people.signin import sessions
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal, Unreadable, address_hashes
from portal.platform.database.db import Database
from portal.platform.errors import PortalError, StoreError

log = logging.getLogger(__name__)

_SENT = "only what is waiting or has failed can be sent now"
_LEFT = "only what is neither delivered nor being sent can be discarded"
_STANDS = {
    OutboxState.HELD: "is held",
    OutboxState.DUE: "is queued, and a worker will send it next",
    OutboxState.SENDING: "is being sent right now",
    OutboxState.RETRY: "is waiting for its next attempt",
    OutboxState.AMBIGUOUS: "may have arrived, and the portal is checking the service",
    OutboxState.DELIVERED: "is delivered",
    OutboxState.PURGED: "is delivered, and the portal's copy has been erased",
    OutboxState.DEAD: "has failed",
    OutboxState.DISCARDED: "is discarded",
}
_HELD_FOR = {
    "scanner": "is held for the scanner, and continues after its file is scanned",
    "operator": "is held for review",
    "person": "is held until the candidate confirms it",
}
"""Keyed by the values of Overview.held_for."""


class ActRefused(PortalError):
    """The action is not possible in the current state; nothing was changed."""


class OperatorActions:
    """The manual actions. upload_ttl: seconds, of a file.

    scanner_enabled: whether files are scanned before they are sent.
    """

    def __init__(
        self, database: Database, store: Store, seal: Seal, clock: Clock, *, scanner_enabled: bool, upload_ttl: float
    ) -> None:
        self._database = database
        self._store = store
        self._seal = seal
        self._clock = clock
        self._scanner_enabled = scanner_enabled
        self._upload_ttl = upload_ttl

    def retry(self, by: Actor, reference: str) -> str:
        """Send a submission now that has failed or is waiting.

        If a scanner is configured, its file is scanned again, because a scan may have been the cause of the failure.
        """
        noted = self._noted(by, Action.RETRY, reference)
        db, scan_required = self._database, self._scanner_enabled
        try:
            is_done = submissions.retry(
                db, self._seal, KINDS, reference, self._clock, scan_required=scan_required, noted=noted
            )
        except SubmittedAgain as again:
            same = f"its content was submitted again as {again.reference}, which {_STANDS[again.state]}"
            raise ActRefused(f"{reference} is not sent: {same}, and the company would have it twice") from again
        except Unreadable as locked:
            keys = "neither PORTAL_SECRET_KEY nor PORTAL_SECRET_KEY_FALLBACKS decrypts it"
            raise ActRefused(f"{reference} is not sent: {keys}. Add the secret that is missing, then retry") from locked
        if not is_done:
            raise self._refused(reference, _SENT)
        return f"{reference} is queued."

    def release(self, by: Actor, reference: str) -> str:
        """Release a submission held for review, because a bot may have sent it, or for its sender's confirmation."""
        noted = self._noted(by, Action.RELEASE, reference)
        if not submissions.release(
            self._database, reference, self._clock, scan_required=self._scanner_enabled, noted=noted
        ):
            raise self._refused(reference, "only what is held for review, or for the candidate, can be released")
        after = " once its file has been scanned" if self._scanner_enabled else " now"
        return f"{reference} is released: it will be sent{after}."

    def discard(self, by: Actor, reference: str) -> str:
        """Discard a submission that was not delivered: its data and its CV are erased."""
        noted = self._noted(by, Action.DISCARD, reference)
        if not submissions.discard(self._database, KINDS, reference, self._clock, noted=noted):
            raise self._refused(reference, _LEFT)
        try:
            delete_unclaimed(self._database, self._store, older_than=self._upload_ttl, clock=self._clock)
        except StoreError as error:
            log.warning("the file of a discarded submission is still there: %s", error)
            later = "its CV will be deleted as soon as file storage responds"
            return f"{reference} is discarded and its data erased; {later}."
        finally:
            self._database.truncate_log()
        return f"{reference} is discarded; its data and CV are erased."

    def why_not_discarded(self, reference: str) -> str:
        """Return the message with which discard() would refuse a submission that cannot be discarded."""
        return str(self._refused(reference, _LEFT))

    def done(self, by: Actor, reference: str) -> str:
        """Mark a privacy request as done by the tenant; the candidate is notified, and their address is erased."""
        noted = self._noted(by, Action.DONE, reference)
        if not requests.done(self._database, self._seal, reference, self._clock, noted=noted):
            raise ActRefused(f"no request {reference} is waiting for a response")
        return f"{reference} is done; the candidate is notified."

    def wake(self, by: Actor, tenant: str) -> str:
        """End the pause of a tenant's queue: its oldest item is sent now and shows whether the service accepts it."""
        with self._database.write() as connection:
            woken = queue.wake(connection, lane(tenant), self._clock.now())
            outcome = ActionOutcome.DONE if woken else ActionOutcome.REFUSED
            audit.write(connection, by, Action.WAKE, outcome, self._clock.now(), tenant=tenant)
        if not woken:
            raise ActRefused(f"nothing is waiting to be sent to {tenant}")
        return "The oldest one is sent now; if it arrives, the others follow automatically."

    def sign_out(self, by: Actor, tenant: str, email: str | None) -> str:
        """End a candidate's sessions, opened with any address of the record; email: None for everybody's."""
        addresses = address_hashes(self._seal, tenant, email) if email else None
        with self._database.write() as connection:
            ended = sessions.forget(connection, tenant=tenant, addresses=addresses)
            if email:
                records = index.at_address(connection, self._seal, tenant, email)
                keys = [key for one in records for key in one.keys]
                ended += sessions.forget_of_candidates(connection, tenant=tenant, candidates=keys)
            audit.write(connection, by, Action.SIGN_OUT, ActionOutcome.DONE, self._clock.now(), tenant=tenant)
        return f"Sessions that ended: {ended}."

    def _noted(self, by: Actor, what: Action, reference: str) -> Callable[[sa.Connection, bool], None]:
        def noted(connection: sa.Connection, is_done: bool) -> None:  # noqa: FBT001  what the action returns
            outcome = ActionOutcome.DONE if is_done else ActionOutcome.REFUSED
            audit.write(connection, by, what, outcome, self._clock.now(), reference=reference)

        return noted

    def _refused(self, reference: str, rule: str) -> ActRefused:
        """Return a refusal with the current state of the submission and the rule that was broken."""
        found = submissions.find(self._database, KINDS, reference)
        if found is None:
            return ActRefused(f"there is no submission {reference}")
        if found.duplicate_of:
            same = f"is a duplicate of {found.duplicate_of}, which is sent instead"
            return ActRefused(f"{reference} {same}: see that one")
        if found.state in {OutboxState.DEAD, *CLAIMABLE} and found.purged_at:
            return ActRefused(
                f"{reference} {_STANDS[found.state]}, and its content has been erased: nothing is left to send"
            )
        if found.state in {OutboxState.DEAD, *CLAIMABLE} and rule == _SENT:
            later = "the candidate sent a later profile change, which replaces it"
            return ActRefused(f"{reference} {_STANDS[found.state]}, but {later}")
        stands = _HELD_FOR[found.held_for] if found.held_for else _STANDS[found.state]
        return ActRefused(f"{reference} {stands}: {rule}")
