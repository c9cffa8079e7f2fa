"""Applications as a kind of delivery: the request of §4.8, exactly its body and nothing more."""

from datetime import timedelta

from portal.adapters.tracker_client.client import TrackerClient
from portal.adapters.tracker_client.errors import Rejected, TrackerError
from portal.contract.applications import ApplicationSummary
from portal.contract.bodies import LocationBody, Submission
from portal.delivery.applications.payload import ApplicationPayload
from portal.delivery.envelopes.kinds import (
    CheckContext,
    Delivery,
    DeliveryCheck,
    DeliveryKind,
    MailTemplates,
    OrderedBy,
)
from portal.delivery.envelopes.person import sent_before
from portal.jobs.posting import vacancy_id
from portal.platform.crypto.sealing import folded

_LIST_ATTEMPTS = 4
"""Up to this attempt, errors of the list are retried; after it, the application is sent without the check."""
_CLOCKS_DIFFER = timedelta(minutes=10)
_CREATED = "applicationCreated"


def is_at_service(one: Delivery[ApplicationPayload], context: CheckContext) -> bool:
    """Return whether the service lists the application; if that is unknown, return False.

    Raises a transient TrackerError while the request is worth retrying.
    """
    vacancy = vacancy_id(context.db, context.tenant, one.about)
    if vacancy is None or sent_before(context.db, context.seal, one):
        return False
    try:
        known = context.service.applications(vacancy).applications
    except TrackerError as error:
        if error.transient and context.claimed.attempts.made <= _LIST_ATTEMPTS:
            raise
        return False
    return any(_is_ours(found, one) for found in known)


def _is_ours(found: ApplicationSummary, one: Delivery[ApplicationPayload]) -> bool:
    person, latest = found.candidate, found.latest_activity
    if person is None or folded(one.email) not in {folded(address) for address in person.emails or ()}:
        return False
    if latest is None or latest.date is None or latest.type != _CREATED:
        return False
    by_itself = latest.is_inbound is True and latest.triggered_by_user_id is None
    return by_itself and latest.date >= one.accepted_at - _CLOCKS_DIFFER


class ApplicationKind(DeliveryKind[ApplicationPayload]):
    """The kind of delivery for applications. about: the posting's id; title: the posting's title."""

    name = "application"
    label = "application"
    plural = "applications"
    mail_templates = MailTemplates(
        received="receipt", unproven="confirm", refused="refused", unsafe="unsafe", dead="dead"
    )
    ordered_by = OrderedBy.PERSON
    repeats_within = timedelta(days=30)
    payload = ApplicationPayload

    def check_before_send(self, one: Delivery[ApplicationPayload], context: CheckContext) -> DeliveryCheck:
        """If an earlier attempt may have arrived, check whether it did."""
        if context.claimed.maybe_arrived and is_at_service(one, context):
            return DeliveryCheck.ARRIVED
        return DeliveryCheck.SEND

    def send(self, service: TrackerClient, one: Delivery[ApplicationPayload]) -> None:
        """Submit the application (§4.8)."""
        service.submit(one.about, body_of(one), reference=one.reference)


def body_of(one: Delivery[ApplicationPayload]) -> Submission:
    """Return the body of §4.8: every field whose name occurs in the body, or in its location, is copied there."""
    if one.attachment_id is None:
        raise Rejected("the application's file is gone", operation="4.8")
    fields = one.payload.model_dump()
    where = {name: fields[name] for name in LocationBody.model_fields if fields.get(name) is not None}
    return Submission(
        **{name: fields[name] for name in Submission.model_fields if name in fields},
        cv_attachment_id=one.attachment_id,
        location=LocationBody(type="primary_home", **where),
    )


APPLICATION = ApplicationKind()
