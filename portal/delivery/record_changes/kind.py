"""Profile changes as a kind of delivery: §4.10, which never overwrites a change that somebody else made meanwhile.

Before each attempt the record is read again (§4.2). If it is neither the state on which the change was based nor the
state that the change produces, nothing is sent: the change is overtaken, and its owner is notified and shown both.
Otherwise the full desired state is sent, so sending it twice does no harm.

A change that was undone is not sent. An undo is never overtaken: it is computed from the record as it is now.
"""

from dataclasses import replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from portal.adapters.tracker_client.client import TrackerClient
from portal.adapters.tracker_client.errors import RecordNotFound
from portal.background.outbox.states import OutboxState
from portal.delivery.envelopes.kinds import (
    CheckContext,
    Contents,
    Delivery,
    DeliveryCheck,
    DeliveryKind,
    MailTemplates,
    OrderedBy,
)
from portal.delivery.record_changes import readdressing, undo_links
from portal.delivery.record_changes.model import (
    ChangePayload,
    addresses_restored,
    digest,
    fetch,
    fingerprint,
    record_of,
    update_of,
)
from portal.people.index import history, index
from portal.people.index.history import HistoryEventKind
from portal.people.index.index import IndexedCandidate
from portal.platform.crypto.sealing import Seal

_HISTORY = {
    OutboxState.DELIVERED: HistoryEventKind.DELIVERED,
    OutboxState.DISCARDED: HistoryEventKind.OVERTAKEN,
    OutboxState.DEAD: HistoryEventKind.REFUSED,
}


class ChangeKind(DeliveryKind[ChangePayload]):
    """The kind of delivery for profile changes. about: the candidate's key."""

    name = "record"
    label = "profile change"
    plural = "changes"
    mail_templates = MailTemplates(refused="change_refused", overtaken="change_overtaken", dead="change_dead")
    ordered_by = OrderedBy.ABOUT
    supersedes = True
    forgotten_on_delivery = True
    about_is_public = False
    payload = ChangePayload

    def check_before_send(
        self, one: Delivery[ChangePayload], context: CheckContext
    ) -> DeliveryCheck | Delivery[ChangePayload]:
        """Check whether the record is still as the change expects it.

        Raises RecordNotFound if the service no longer has the record.
        """
        change, resend_at = one.payload, context.claimed.resend_at
        if change.restored is None and undo_links.is_undone(context.db, one.reference):
            # Wait until an attempt that may still be in transit has arrived: the undo has to be sent after it.
            is_over = resend_at is None or context.now >= resend_at
            return DeliveryCheck.OVERTAKEN if is_over else DeliveryCheck.SEND
        now = fetch(context.service, _candidate(one, context))
        if now is None:
            raise RecordNotFound("the candidate is no longer at the service", operation="4.10", status=404)
        # A list that the service does not have compares as empty, whether it is absent or sent empty.
        if change.restored is not None:
            after = addresses_restored(now.record, record_of(change.update), **change.restored.model_dump())
            if digest(after) == digest(now.record):
                return DeliveryCheck.ARRIVED
            return replace(one, payload=change.model_copy(update={"update": update_of(after)}))
        current = digest(now.record)
        is_based = change.based_on_digest == current or change.based_on in fingerprint(context.seal, now.record)
        return (
            DeliveryCheck.SEND if is_based or digest(record_of(change.update)) == current else DeliveryCheck.OVERTAKEN
        )

    def send(self, service: TrackerClient, one: Delivery[ChangePayload]) -> None:
        """Send the update (§4.10)."""
        body = one.payload.update.model_copy(update={"latest_cv_attachment_id": one.attachment_id})
        service.update_candidate(one.payload.candidate_id, body, reference=one.reference)

    def on_delivered(self, connection: sa.Connection, seal: Seal, row: sa.Row[Any]) -> None:
        """Update the index and the sessions, which follow the record's addresses at once.

        Deliveries of a former address are reassigned only once the change can no longer be undone.
        """
        if row.sealed is None:
            return
        contents = Contents.opened(seal, self, row.sealed)
        readdressing.follow_delivery(connection, seal, tenant=row.tenant, key=row.about, contents=contents)

    def on_settled(
        self,
        connection: sa.Connection,
        row: sa.Row[Any],
        state: OutboxState,
        outcome: str | None,  # noqa: ARG002  the history does not record why
        now: datetime,
    ) -> None:
        """Record the final state in the profile's history, for its owner."""
        history.note(
            connection,
            tenant=row.tenant,
            candidate=row.about,
            address=row.person,
            what=_HISTORY[state],
            now=now,
            reference=row.reference,
        )


def _candidate(one: Delivery[ChangePayload], context: CheckContext) -> IndexedCandidate:
    """Return whose record to read, from the latest modification that is known.

    The first attempt may have arrived, or somebody else may have changed the record: it is behind all records that were
    modified since the change was made, which may be too many to read.
    """
    change = one.payload
    seen = index.modified_at(context.db, context.seal, context.tenant.slug, change.candidate_id)
    latest = max((at for at in (change.based_at, seen) if at is not None), default=None)
    return IndexedCandidate(one.about, change.candidate_id, latest)


CHANGE = ChangeKind()
