"""Check with §4.6 whether an earlier attempt arrived, before an application that may have arrived is sent again.

If somebody else's application, or one that a recruiter entered, were taken for ours, ours would be lost. So a match
counts only with proof: it has this address, is for this vacancy, was submitted rather than entered, at a time when ours
may have arrived, and this person sent no other one before. Without proof the application is sent again with the same
Idempotency-Key: a loss is worse than a duplicate.
"""

from datetime import timedelta

from portal.contract.applications import ApplicationSummary
from portal.delivery.applications.payload import ApplicationPayload
from portal.delivery.envelopes.kinds import CheckContext, Delivery
from portal.delivery.envelopes.person import sent_before
from portal.jobs.posting import vacancy_id
from portal.platform.crypto.sealing import folded
from portal.platform.errors import UpstreamError

PATIENCE = 4
"""Up to this attempt, errors of the list are retried; after it, the application is sent without the check."""
_CLOCKS_DIFFER = timedelta(minutes=10)
_CREATED = "applicationCreated"


def arrived(one: Delivery[ApplicationPayload], asking: CheckContext) -> bool:
    """Return whether the service shows the application; unknown counts as no.

    Raises a transient UpstreamError as long as asking again is worthwhile.
    """
    vacancy = vacancy_id(asking.db, asking.tenant, one.about)
    if vacancy is None or sent_before(asking.db, asking.seal, one):
        return False
    try:
        known = asking.service.applications(vacancy).applications
    except UpstreamError as error:
        if error.transient and asking.claimed.attempts.made <= PATIENCE:
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
