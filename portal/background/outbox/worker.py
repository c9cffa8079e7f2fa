"""Threads that claim rows, call their handlers, and settle the results.

While the database is unavailable, recording a result is retried until the lease ends, because an attempt whose result
is lost may be made twice.
"""

import logging
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Protocol

import sqlalchemy as sa

from portal.background.outbox import event_log
from portal.background.outbox.batching import IDLE, WorkBatcher
from portal.background.outbox.claim import Claim, claim, hand_back
from portal.background.outbox.concurrency import BATCH
from portal.background.outbox.retry_policy import Policy, Verdict, decide
from portal.background.outbox.settle import AttemptResult, give_up, overdue, settle
from portal.background.outbox.states import OVERTAKEN, UNREADABLE, OutboxState, Result
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Unreadable
from portal.platform.database.db import Database
from portal.platform.errors import DatabaseUnavailable, PortalError, error_location
from portal.platform.logs import request
from portal.platform.logs.outage_log import Outages
from portal.platform.tracing import TraceStep
from portal.platform.tracing import step as step_of

log = logging.getLogger(__name__)

_RETRY_SECONDS = 1.0
"""Seconds between tries to record a result while the database is unavailable."""


class Handler(Protocol):
    """The handler of one kind of row."""

    def deliver(self, claimed: Claim) -> Result:
        """Make one attempt; return its result or raise a PortalError."""

    def settled(
        self, connection: sa.Connection, subjects: Sequence[str], state: OutboxState, outcome: str | None
    ) -> None:
        """Carry out the consequences of `state`, in the transaction that records it.

        May raise Unreadable; then it is called again in another transaction, with the outcome UNREADABLE.
        """


def step(
    db: Database,
    handlers: Mapping[str, Handler],
    policy: Policy,
    clock: Clock,
    *,
    outages: Outages | None = None,
) -> bool:
    """Claim, attempt and settle one row; return False if there was none."""
    claims = claim(db, list(handlers), policy, clock.now())
    for claimed in claims:
        record(db, [_attempt(claimed, handlers[claimed.kind], policy, clock)], policy, clock, handlers, outages)
    return bool(claims)


def batcher_of(
    db: Database,
    handlers: Mapping[str, Handler],
    policy: Policy,
    clock: Clock,
    stop: threading.Event,
    *,
    worker: str | None = None,
    outages: Outages | None = None,
    threads: int = BATCH,
) -> WorkBatcher:
    """Return the batcher that the handlers' threads share. worker: this process's id, if it sends heartbeats."""
    return WorkBatcher(
        stop,
        policy,
        clock,
        claim=lambda most, holding, skip_precheck: claim(
            db,
            list(handlers),
            policy,
            clock.now(),
            most=most,
            holding=holding,
            skip_precheck=skip_precheck,
            worker=worker,
        ),
        hand_back=lambda claims: hand_back(db, claims),
        record=lambda ended: record(db, ended, policy, clock, handlers, outages),
        threads=threads,
    )


def run(
    handlers: Mapping[str, Handler], policy: Policy, clock: Clock, stop: threading.Event, batcher: WorkBatcher
) -> None:
    """Attempt rows until `stop` is set. Waits for an unavailable database; internal errors do not end the thread."""
    while not stop.is_set():
        _guarded(lambda: _turn(handlers, policy, clock, batcher), stop)
    _guarded(batcher.leave, stop)


def _turn(handlers: Mapping[str, Handler], policy: Policy, clock: Clock, batcher: WorkBatcher) -> None:
    claimed = batcher.next()
    if claimed is not None:
        batcher.ended(_attempt(claimed, handlers[claimed.kind], policy, clock))


def _guarded(job: Callable[[], None], stop: threading.Event) -> None:
    try:
        job()
    except DatabaseUnavailable as error:
        log.error("%s; the worker waits", error)  # noqa: TRY400  expected during an outage of the database
        stop.wait(IDLE)
    except Exception as error:  # noqa: BLE001  an internal error must not prevent attempts of other rows
        log.error("internal error in the outbox: %s", error_location(error))  # noqa: TRY400  a traceback may hold personal data
        stop.wait(IDLE)


def _attempt(claimed: Claim, handler: Handler, policy: Policy, clock: Clock) -> AttemptResult:
    request_id = request.new_id()
    with request.logging_request(request_id), _traced(claimed) as span:
        ended = replace(_attempted(claimed, handler, policy, clock), request=request_id)
        span.set_result(state=ended.verdict.state, error=ended.outcome if ended.error else None)
        return ended


def _traced(claimed: Claim) -> AbstractContextManager[TraceStep]:
    return step_of(
        f"deliver {claimed.kind}",
        tenant=claimed.tenant,
        kind=claimed.kind,
        reference=event_log.reference_of(claimed.lane, claimed.subject),
        attempt=claimed.attempts.made,
    )


def _attempted(claimed: Claim, handler: Handler, policy: Policy, clock: Clock) -> AttemptResult:
    outcome, failed = None, None
    try:
        if handler.deliver(claimed) is Result.DELIVERED:
            verdict = Verdict(OutboxState.DELIVERED, clock.now())
        else:
            # Nothing was sent, so the attempt says nothing about the lane.
            verdict, outcome = Verdict(OutboxState.DISCARDED, clock.now(), destination_untried=True), OVERTAKEN
    except PortalError as error:
        verdict, failed = decide(error, claimed.attempts, policy, clock.now()), error
        outcome = type(error).__name__
    except Exception as error:  # noqa: BLE001  an internal error must not stop the other rows; it is logged and retried
        failed = PortalError(f"a fault in the handler ({type(error).__name__})")
        verdict = decide(failed, claimed.attempts, policy, clock.now())
        outcome = "Fault"
        log.error("%s %s: %s", claimed.kind, claimed.subject, error_location(error))  # noqa: TRY400  a traceback may hold personal data
    return AttemptResult(claimed, verdict, outcome, failed)


def give_up_overdue(db: Database, handlers: Mapping[str, Handler], policy: Policy, clock: Clock) -> int:
    """End every row that has expired, without waiting for its turn; return how many.

    Each row has its own transaction: one that fails is left for the next call, and the others are given up. Rows that
    no secret key can decrypt are given up too, and one log line says how many they were.
    """
    given_up, unreadable, last = 0, 0, 0
    while late := overdue(db, list(handlers), policy, clock.now(), after=last):
        last = late[-1].id
        for one in late:
            ended = _given_up(db, handlers[one.kind], one, clock.now())
            if ended is not None:
                given_up += 1
                unreadable += ended[1] == UNREADABLE
                event_log.log_given_up(one, ended[0], clock.now())
    event_log.log_unreadable(unreadable)
    return given_up


def _given_up(db: Database, handler: Handler, one: Claim, now: datetime) -> tuple[OutboxState, str] | None:
    """Return the row's state and outcome; None if it changed in the meantime, or if giving it up failed."""

    def write(outcome: str | None = None) -> tuple[OutboxState, str] | None:
        with db.write() as connection:
            ended = give_up(connection, one, now, outcome=outcome)
            if ended is not None:
                handler.settled(connection, [one.subject], *ended)
        return ended

    try:
        try:
            return write()
        except Unreadable:
            return write(UNREADABLE)
    except DatabaseUnavailable:
        raise
    except Exception as error:  # noqa: BLE001  an error with one row must not keep the others from being given up
        log.error("%s %s has expired and cannot be ended: %s", one.kind, one.subject, error_location(error))  # noqa: TRY400  a traceback may hold personal data
        return None


def record(
    db: Database,
    ended: Sequence[AttemptResult],
    policy: Policy,
    clock: Clock,
    handlers: Mapping[str, Handler],
    outages: Outages | None = None,
) -> None:
    """Settle rows and carry out the consequences, retrying during an outage of the database until their leases end.

    outages: the outages that this process has logged already; None: each outage is logged anew. Each dead row gets its
    own transaction: its email takes the lock of a mailbox (mails/quota.py), and two workers that locked the same
    mailboxes in different orders would wait for each other.
    """
    outage_log = outages or Outages(clock)
    dead = [[one] for one in ended if one.verdict.state is OutboxState.DEAD]
    for together in ([one for one in ended if one.verdict.state is not OutboxState.DEAD], *dead):
        _record(db, together, policy, clock, handlers, outage_log)


def _record(
    db: Database,
    ended: list[AttemptResult],
    policy: Policy,
    clock: Clock,
    handlers: Mapping[str, Handler],
    outages: Outages,
) -> None:
    """Record the results in one transaction, or each in its own if that fails."""
    left = ended
    while left:
        try:
            _settled(db, left, policy, clock, outages, _follow_up(handlers))
        except DatabaseUnavailable as error:
            left = [one for one in left if clock.now() < one.claimed.lease_until]
            if not left:
                raise
            log.error("%d outcomes wait to be recorded: %s", len(left), error)  # noqa: TRY400  expected during the outage
            clock.sleep(_RETRY_SECONDS)
        except Exception as error:  # noqa: BLE001  without a record the attempt would be repeated again and again
            if len(left) == 1:
                one = left[0]
                if isinstance(error, Unreadable) and one.outcome != UNREADABLE:
                    event_log.log_unreadable(1)
                    return _record(db, [replace(one, outcome=UNREADABLE)], policy, clock, handlers, outages)
                log.error("%s %s: %s", one.claimed.kind, one.claimed.subject, error_location(error))  # noqa: TRY400  as above
                return _settled(db, [replace(one, outcome="Fault")], policy, clock, outages, None)
            for one in left:  # the other results must not wait for the one that cannot be recorded
                _record(db, [one], policy, clock, handlers, outages)
            return None
        else:
            return None
    return None


_Then = Callable[[sa.Connection, list[AttemptResult]], None]


def _settled(
    db: Database, ended: list[AttemptResult], policy: Policy, clock: Clock, outages: Outages, then: _Then | None
) -> None:
    settled = settle(db, ended, policy, clock.now(), in_same_transaction=then)
    event_log.log_settled(settled.ours, settled.transitions, clock.now(), outages)
    for one in ended:
        if one not in settled.ours:
            kind, subject = one.claimed.kind, one.claimed.subject
            log.warning("%s %s: the lease ran out before the outcome was recorded", kind, subject)


def _follow_up(handlers: Mapping[str, Handler]) -> _Then:
    def follow_up(connection: sa.Connection, ours: Collection[AttemptResult]) -> None:
        for (kind, state, outcome), group in groupby(sorted(ours, key=_outcome_key), key=_outcome_key):
            subjects = [one.claimed.subject for one in group]
            handlers[kind].settled(connection, subjects, OutboxState(state), outcome or None)

    return follow_up


def _outcome_key(one: AttemptResult) -> tuple[str, str, str]:
    return one.claimed.kind, one.verdict.state, one.outcome or ""
