"""Did an earlier attempt come through? Asked by §4.6 before what may have arrived is sent again.

To take a stranger's application for ours, or one that a recruiter entered, would lose ours. So it counts only as what
it is proven to be: of this address, to this vacancy, come in by itself, when ours may have, and not one that this
person sent before. Where that cannot be told it is sent again, under the same Idempotency-Key: loss outranks
duplication.
"""

from datetime import timedelta

from portal.applications.payload import ApplicationPayload
from portal.contract.applications import ApplicationSummary
from portal.deliveries.kinds import Asking, Delivery
from portal.deliveries.person import sent_before
from portal.errors import UpstreamError
from portal.sealing import folded
from portal.vacancies.identity import vacancy_id

PATIENCE = 4
"""Up to this attempt an answer is waited for; after it, a service whose list never answers gets the application."""
_CLOCKS_DIFFER = timedelta(minutes=10)
_CREATED = "applicationCreated"


def arrived(one: Delivery[ApplicationPayload], asking: Asking) -> bool:
    """Whether the service shows the application; unknown counts as no.

    Raises a transient UpstreamError as long as asking again is worth it.
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
