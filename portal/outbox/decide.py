"""An error → what happens to the row and to its lane. The outcome table of the delivery promise, as code."""

import random
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from portal import errors
from portal.outbox.states import State

STEPS = (1, 4, 20, 60, 120, 240, 480)
"""Pauses between tries, in units of the retry base; every LAST_STEP after them."""
LAST_STEP = 720
GONE_STEPS = (20, 240)
"""A posting that is gone: three spaced tries."""
REFUSED_STEPS = (120, 2_760)
"""A request that is refused as it is: three tries over a day."""
TROUBLE = 3
"""Failures, probes that were in vain among them, from which on an outage is more than a blip and shows in /metrics."""
LANE_STEPS = (1, 1, 2, 4, 8, 16, 32, 64, 120)
"""Pauses of a lane that failed, in units of the first: about as long as it has been away by then, up to ten minutes."""
BROKEN_STEP = 20


@dataclass(frozen=True, slots=True)
class Policy:
    """Seconds, from the settings."""

    retry_base: float = 30
    lease: float = 180
    ambiguous_delay: float = 900
    give_up: float = 604_800
    begin_within: float = 30
    """Of the lease: what is claimed and not begun by then goes back as it was."""
    first_probe: float = 5
    """After a lane's first failure; one row goes, and shows whether it was a blip."""


@dataclass(frozen=True, slots=True)
class Attempts:
    """What was tried with a row so far. made: this one included; refusals: the other side's, for good."""

    since: datetime
    made: int
    refusals: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to happen. lane_pause: until when the lane rests; None: it does not.

    lane_unseen: nothing was learned of the lane, because it never came to an exchange. lane_shared: what failed is what
    all lanes of this one's family lead to (tables.py).
    """

    state: State
    due_at: datetime
    attempt_counts: bool = True
    refusal: bool = False
    maybe_arrived: bool = False
    lane_fails: bool = False
    lane_broken: bool = False
    lane_pause: float | None = None
    lane_unseen: bool = False
    lane_shared: bool = False

    @property
    def stops_lane(self) -> bool:
        """Whether nothing more is to be begun there before this is recorded."""
        return self.lane_fails or self.lane_broken or self.lane_pause is not None


def decide(error: errors.PortalError, attempts: Attempts, policy: Policy, now: datetime) -> Verdict:
    """The verdict on one failed attempt."""
    verdict = _by_kind(error, attempts, policy, now)
    if verdict.state in {State.RETRY, State.AMBIGUOUS}:
        last_moment = attempts.since + timedelta(seconds=policy.give_up)
        if now >= last_moment:
            return replace(verdict, state=State.DEAD, due_at=now)
    return verdict


def _by_kind(  # noqa: PLR0911  one return a row of the outcome table
    error: errors.PortalError, attempts: Attempts, policy: Policy, now: datetime
) -> Verdict:
    base = policy.retry_base
    match error:
        case errors.Throttled():
            return Verdict(State.RETRY, now, attempt_counts=False, lane_pause=error.retry_after)
        case errors.MayHaveArrived():
            later = now + timedelta(seconds=policy.ambiguous_delay)
            return Verdict(State.AMBIGUOUS, later, maybe_arrived=True, lane_fails=True)
        case errors.NotSentAgainYet():
            return Verdict(State.AMBIGUOUS, error.until, attempt_counts=False, lane_unseen=True)
        case errors.NotTheService():
            later = now + timedelta(seconds=policy.ambiguous_delay)
            if attempts.refusals >= 1:
                return Verdict(State.DEAD, now, refusal=True, maybe_arrived=True, lane_fails=True)
            return Verdict(State.AMBIGUOUS, later, refusal=True, maybe_arrived=True, lane_fails=True)
        case errors.Redirected() | errors.KeyRefused():
            return Verdict(State.RETRY, now, attempt_counts=False, lane_broken=True, lane_pause=base * BROKEN_STEP)
        case errors.NotThere():
            return _refused(GONE_STEPS, attempts, base, now)
        case errors.Rejected() | errors.Conflicting() | errors.MailRefused():
            return _refused(REFUSED_STEPS, attempts, base, now)
        case _:
            step = STEPS[attempts.made - 1] if attempts.made <= len(STEPS) else LAST_STEP
            # A fault of ours, or a tenant's file that is gone, says nothing about who would have been asked.
            asked = isinstance(error, errors.UpstreamError | errors.MailError)
            later = now + _pause(step * base)
            # One recipient's 4xx is that letter's own; a server that is away is so for every tenant.
            fails = asked and not isinstance(error, errors.MailDelayed)
            shared = isinstance(error, errors.MailUnavailable)
            return Verdict(State.RETRY, later, lane_fails=fails, lane_unseen=not asked, lane_shared=shared)


def _refused(steps: tuple[int, ...], attempts: Attempts, base: float, now: datetime) -> Verdict:
    if attempts.refusals >= len(steps):
        return Verdict(State.DEAD, now, refusal=True)
    return Verdict(State.RETRY, now + _pause(steps[attempts.refusals] * base), refusal=True)


def _pause(seconds: float) -> timedelta:
    # Jitter only lengthens, so that a pause that was promised is kept.
    return timedelta(seconds=seconds * (1 + random.random() * 0.2))  # noqa: S311  spreads load, keeps no secret
