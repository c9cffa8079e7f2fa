"""What the log says of rows: once each, after it is recorded.

What goes to a tenant's service is told of with each step. Letters, codes and pushes are many and small: those that
arrive are told of at debug level.
"""

import logging
from collections.abc import Sequence
from datetime import datetime

from portal.absence import Absences
from portal.errors import PortalError
from portal.logs import Happened, Part, event, request
from portal.outbox.claim import Claim
from portal.outbox.settle import Ended, LaneTurned
from portal.outbox.states import State
from portal.outbox.tables import family

_PARTS = {"service": Part.SERVICE, "mail": Part.MAIL}


def recorded(ended: Sequence[Ended], turned: Sequence[LaneTurned], now: datetime, absences: Absences) -> None:
    """Outcomes that are in the database by now, and what they say of their lanes."""
    for one in ended:
        with request.under(one.request):
            _ended(one, now)
    for lane in turned:
        absence = absences.of(_PARTS.get(family(lane.lane), Part.SEARCH_ENGINE), lane.tenant)
        if lane.reason:
            absence.begins(lane.reason, anew=True)
        else:
            absence.is_over(lane.failures or 0)


def reference_of(lane: str, subject: str) -> str | None:
    """By which people and operators know it; what letters, codes and pushes are called is nobody's to follow."""
    return subject if family(lane) == "service" else None


def given_up(one: Claim, state: State, now: datetime) -> None:
    """What is past its time. What its sender never confirmed nobody has to act on."""
    is_dead = state is State.DEAD
    _told(
        Happened.GAVE_UP if is_dead else Happened.DISCARDED, one, now, level=logging.ERROR if is_dead else logging.INFO
    )


def _ended(one: Ended, now: datetime) -> None:
    state, refused = one.verdict.state, one.verdict.refusal
    if state is State.DELIVERED:
        is_small = family(one.claimed.lane) != "service"
        _told(Happened.DELIVERED, one.claimed, now, level=logging.DEBUG if is_small else logging.INFO)
    elif state is State.DISCARDED:
        _told(Happened.DISCARDED, one.claimed, now)
    elif state is State.DEAD:
        _told(Happened.DEAD, one.claimed, now, because=one.error, level=logging.ERROR)
    elif state in {State.RETRY, State.AMBIGUOUS}:
        what = Happened.REFUSED if refused else Happened.POSTPONED
        _told(what, one.claimed, now, because=one.error, level=logging.WARNING)


def _told(
    what: Happened, one: Claim, now: datetime, *, because: PortalError | None = None, level: int = logging.INFO
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
