"""Log events about rows, once each, after they are recorded.

Every step of a delivery to a tenant's service is logged. Emails, codes and pushes to search engines are many and small:
their deliveries are logged at debug level.
"""

import logging
from collections.abc import Sequence
from datetime import datetime

from portal.background.outbox.claim import Claim
from portal.background.outbox.settle import AttemptResult, LaneTransition
from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import family
from portal.platform.errors import PortalError
from portal.platform.logs import EventName, Part, event, request
from portal.platform.logs.outage_log import Outages

_PARTS = {"service": Part.SERVICE, "mail": Part.MAIL, "webhook": Part.WEBHOOK}


def log_settled(
    results: Sequence[AttemptResult], transitions: Sequence[LaneTransition], now: datetime, outages: Outages
) -> None:
    """Log recorded results, and outages of lanes that began or ended with them."""
    for one in results:
        with request.logging_request(one.request):
            _log_result(one, now)
    for lane in transitions:
        outage = outages.of(_PARTS.get(family(lane.lane), Part.SEARCH_ENGINE), lane.tenant)
        if lane.reason:
            outage.begins(lane.reason, force_new=True)
        else:
            outage.record_recovery(lane.failures or 0)


def reference_of(lane: str, subject: str) -> str | None:
    """Return the reference by which people and operators know a row.

    None for emails, codes and pushes, which have no reference that people see.
    """
    return subject if family(lane) == "service" else None


def log_given_up(one: Claim, state: OutboxState, now: datetime) -> None:
    """Log that a row expired.

    A row that the candidate never confirmed is logged at info level, because it needs no action.
    """
    is_dead = state is OutboxState.DEAD
    _log(
        EventName.GAVE_UP if is_dead else EventName.DISCARDED,
        one,
        now,
        level=logging.ERROR if is_dead else logging.INFO,
    )


def log_unreadable(count: int) -> None:
    """Log that this many rows were settled although no secret key can decrypt their data."""
    if count:
        event(EventName.UNREADABLE, count=count, part=Part.WORKER, level=logging.ERROR)


def _log_result(one: AttemptResult, now: datetime) -> None:
    state, refused = one.verdict.state, one.verdict.refusal
    if state is OutboxState.DELIVERED:
        is_tracker_delivery = family(one.claimed.lane) == "service"
        _log(EventName.DELIVERED, one.claimed, now, level=logging.INFO if is_tracker_delivery else logging.DEBUG)
    elif state is OutboxState.DISCARDED:
        _log(EventName.DISCARDED, one.claimed, now)
    elif state is OutboxState.DEAD:
        _log(EventName.DEAD, one.claimed, now, because=one.error, level=logging.ERROR)
    elif state in {OutboxState.RETRY, OutboxState.AMBIGUOUS}:
        what = EventName.REFUSED if refused else EventName.POSTPONED
        _log(what, one.claimed, now, because=one.error, level=logging.WARNING)


def _log(
    what: EventName, one: Claim, now: datetime, *, because: PortalError | None = None, level: int = logging.INFO
) -> None:
    event(
        what,
        tenant=one.tenant,
        reference=reference_of(one.lane, one.subject),
        kind=one.kind,
        attempt=one.attempts.made,
        seconds=(now - one.attempts.since).total_seconds(),
        because=because,
        level=level,
    )
