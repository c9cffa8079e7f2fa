"""Decides from an error when a row is tried again, and whether and how long its destination (lane) is paused.

A delay concerns one row: the time until its next try. A pause concerns a lane: meanwhile none of its rows is sent.
"""

import random
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from portal.adapters.tracker_client import errors as tracker_errors
from portal.background.outbox.states import OutboxState
from portal.platform import errors
from portal.platform.config.settings import Settings

DELAY_FACTORS = (1, 4, 20, 60, 120, 240, 480)
"""Delays between tries, in multiples of PORTAL_DELIVERY_RETRY_BASE; then LAST_DELAY_FACTOR."""
LAST_DELAY_FACTOR = 720
NOT_FOUND_DELAY_FACTORS = (20, 240)
"""Delays where the service reports that the posting no longer exists: three tries, spaced out."""
REJECTED_DELAY_FACTORS = (120, 2_760)
"""Delays for a request that the service rejects as invalid: three tries over a day."""
CONFLICT_DELAY_FACTORS = (2, 8, 20, 2_760)
"""Delays for a request that conflicts with the service's data: the conflict may be resolved minutes later; the last try
is a day later.
"""
OUTAGE_AFTER_FAILURES = 3
"""Failures in a row, failed probes included, after which an outage counts as more than brief and shows in /metrics."""
LANE_PAUSE_FACTORS = (1, 1, 2, 4, 8, 16, 32, 64, 120)
"""Pauses of a lane that fails, in multiples of the first: about as long as the outage has lasted, up to ten minutes."""
MAIL_LANE_PAUSE_FACTORS = LANE_PAUSE_FACTORS[:5]
"""Pauses of the mail server's lanes, up to 40 s: sign-in codes are valid for ten minutes, and people wait for them."""
MISCONFIGURED_PAUSE_FACTOR = 20
"""The pause of a lane that somebody has to fix, as a multiple of PORTAL_DELIVERY_RETRY_BASE."""
DEFERS_ALL = errors.MailDefersAll.__name__
"""The `reason` of a lane whose mail server accepts no message."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The values of the retry policy, in seconds, from the settings."""

    retry_base: float = 30
    lease: float = 180
    ambiguous_delay: float = 900
    give_up: float = 604_800
    begin_within: float = 30
    """Seconds of the lease: a row that is claimed and not begun by then is handed back unchanged."""
    first_probe: float = 5
    """The pause after a lane's first failure; then one row is sent, to see whether the failure was brief."""


@dataclass(frozen=True, slots=True)
class Attempts:
    """The attempts with a row so far. made: including this one; refusals: final refusals by the destination."""

    since: datetime
    made: int
    refusals: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What happens next. lane_pause: seconds for which the lane is paused; None: it is not.

    destination_untried: no request was made, so the attempt says nothing about the lane. lane_misconfigured: somebody
    has to fix its configuration. whole_family_fails: the failure concerns the destination that all lanes of this family
    share (tables.py). is_outage: the failure counts as an outage immediately, without further probes. message_deferred:
    the mail server deferred one message; while it defers every message, that counts as one more failure of the family.
    """

    state: OutboxState
    due_at: datetime
    attempt_counts: bool = True
    refusal: bool = False
    maybe_arrived: bool = False
    lane_fails: bool = False
    lane_misconfigured: bool = False
    lane_pause: float | None = None
    destination_untried: bool = False
    whole_family_fails: bool = False
    is_outage: bool = False
    message_deferred: bool = False

    @property
    def stops_lane(self) -> bool:
        """Whether no further attempt may begin in this lane before this result is recorded."""
        return self.lane_fails or self.lane_misconfigured or self.lane_pause is not None


def decide(error: errors.PortalError, attempts: Attempts, policy: Policy, now: datetime) -> Verdict:
    """Return what follows from one failed attempt; a retry past the give-up time becomes dead."""
    verdict = _verdict_of(error, attempts, policy, now)
    if verdict.state in {OutboxState.RETRY, OutboxState.AMBIGUOUS}:
        last_moment = attempts.since + timedelta(seconds=policy.give_up)
        if now >= last_moment:
            return replace(verdict, state=OutboxState.DEAD, due_at=now)
    return verdict


def _verdict_of(  # noqa: PLR0911  one return per row of the outcome table
    error: errors.PortalError, attempts: Attempts, policy: Policy, now: datetime
) -> Verdict:
    base = policy.retry_base
    match error:
        case tracker_errors.Throttled():
            return Verdict(OutboxState.RETRY, now, attempt_counts=False, lane_pause=error.retry_after)
        case tracker_errors.MayHaveArrived():
            later = now + timedelta(seconds=policy.ambiguous_delay)
            return Verdict(OutboxState.AMBIGUOUS, later, maybe_arrived=True, lane_fails=True)
        case errors.NotSentAgainYet():
            return Verdict(OutboxState.AMBIGUOUS, error.until, attempt_counts=False, destination_untried=True)
        case tracker_errors.ProxyAnswered() if error.nothing_sent:
            soon = now + timedelta(seconds=policy.first_probe)
            return Verdict(OutboxState.RETRY, soon, attempt_counts=False, lane_fails=True)
        case tracker_errors.NotTheService():
            # A proxy's response ended the exchange, so the service can soon be queried for the request.
            is_page = isinstance(error, tracker_errors.ProxyAnswered)
            later = now + timedelta(seconds=policy.first_probe if is_page else policy.ambiguous_delay)
            if attempts.refusals >= 1:
                return Verdict(OutboxState.DEAD, now, refusal=True, maybe_arrived=True, lane_fails=True)
            return Verdict(OutboxState.AMBIGUOUS, later, refusal=True, maybe_arrived=True, lane_fails=True)
        case tracker_errors.Redirected() | tracker_errors.KeyRefused():
            return Verdict(
                OutboxState.RETRY,
                now,
                attempt_counts=False,
                lane_misconfigured=True,
                lane_pause=base * MISCONFIGURED_PAUSE_FACTOR,
            )
        case (
            tracker_errors.RecordNotFound()
            | tracker_errors.Conflicting()
            | tracker_errors.Rejected()
            | errors.MailRefused()
        ):
            return _after_rejection(_delays_after(error), attempts, base, now)
        case _:
            return _retry_later(error, attempts, base, now)


def _retry_later(error: errors.PortalError, attempts: Attempts, base: float, now: datetime) -> Verdict:
    """Retry after a delay that grows with the number of attempts."""
    factor = DELAY_FACTORS[attempts.made - 1] if attempts.made <= len(DELAY_FACTORS) else LAST_DELAY_FACTOR
    # An internal error, or a missing tenant file, says nothing about the destination.
    destination_tried = isinstance(error, tracker_errors.TrackerError | errors.MailError)
    later = now + _delay(factor * base)
    # A 4xx for one recipient concerns that message only; an unreachable server concerns every tenant.
    deferred = isinstance(error, errors.MailDelayed)
    whole_family_fails = isinstance(error, errors.MailUnavailable | errors.MailDefersAll)
    return Verdict(
        OutboxState.RETRY,
        later,
        lane_fails=destination_tried and not deferred,
        destination_untried=not destination_tried,
        whole_family_fails=whole_family_fails,
        is_outage=isinstance(error, errors.MailDefersAll),
        message_deferred=deferred,
    )


def _delays_after(error: errors.PortalError) -> tuple[int, ...]:
    """Return the delays between tries after a rejection, in multiples of the retry base."""
    if isinstance(error, tracker_errors.RecordNotFound):
        return NOT_FOUND_DELAY_FACTORS
    return CONFLICT_DELAY_FACTORS if isinstance(error, tracker_errors.Conflicting) else REJECTED_DELAY_FACTORS


def _after_rejection(delays: tuple[int, ...], attempts: Attempts, base: float, now: datetime) -> Verdict:
    if attempts.refusals >= len(delays):
        return Verdict(OutboxState.DEAD, now, refusal=True)
    return Verdict(OutboxState.RETRY, now + _delay(delays[attempts.refusals] * base), refusal=True)


def _delay(seconds: float) -> timedelta:
    # Jitter only lengthens the delay, so that it is never shorter than the policy states.
    return timedelta(seconds=seconds * (1 + random.random() * 0.2))  # noqa: S311  spreads load, protects no secret


def policy_of(settings: Settings) -> Policy:
    """Return the policy that the settings state."""
    return Policy(
        retry_base=settings.delivery_retry_base,
        lease=settings.delivery_lease,
        ambiguous_delay=settings.delivery_ambiguous_delay,
        give_up=settings.delivery_give_up,
        begin_within=(settings.delivery_lease - settings.delivery_deadline) / 4,
        first_probe=min(Policy().first_probe, settings.delivery_retry_base),
    )
