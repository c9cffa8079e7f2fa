"""Threads that claim, hand to a handler, settle.

An outcome is worth more than the thread that has it: while the database is away, recording it is tried again until the
lease ends, because an attempt whose outcome is lost may be made twice.
"""

import logging
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import groupby
from typing import Protocol

import sqlalchemy as sa

from portal.absence import Absences
from portal.clock import Clock
from portal.db import Database
from portal.errors import DatabaseUnavailable, PortalError, place_of
from portal.logs import request
from portal.outbox import giveup, telling
from portal.outbox.claim import Claim, claim, hand_back
from portal.outbox.crew import IDLE, Crew
from portal.outbox.decide import Policy, Verdict, decide
from portal.outbox.room import BATCH
from portal.outbox.settle import Ended, settle
from portal.outbox.states import OVERTAKEN, Result, State
from portal.tracing import Step
from portal.tracing import step as step_of

log = logging.getLogger(__name__)

_AWAY = 1.0
"""Seconds between tries to record an outcome."""


class Handler(Protocol):
    """Does the work of one kind of row."""

    def deliver(self, claimed: Claim) -> Result:
        """Make one attempt, or raise a PortalError."""
        ...

    def settled(self, connection: sa.Connection, subjects: Sequence[str], state: State, outcome: str | None) -> None:
        """Called in the transaction that records `state`, so that what follows from it is recorded with it."""
        ...


def step(
    db: Database,
    handlers: Mapping[str, Handler],
    policy: Policy,
    clock: Clock,
    *,
    absences: Absences | None = None,
) -> bool:
    """Claim one row, attempt it, settle it. False if there was nothing to do."""
    claims = claim(db, list(handlers), policy, clock.now())
    for claimed in claims:
        record(db, [_attempt(claimed, handlers[claimed.kind], policy, clock)], policy, clock, handlers, absences)
    return bool(claims)


def crew_of(
    db: Database,
    handlers: Mapping[str, Handler],
    policy: Policy,
    clock: Clock,
    stop: threading.Event,
    *,
    worker: str | None = None,
    absences: Absences | None = None,
    threads: int = BATCH,
) -> Crew:
    """What threads share that do these handlers' work. worker: the process's id, where it shows that it is alive."""
    return Crew(
        stop,
        policy,
        clock,
        claim=lambda most, holding, hopeful: claim(
            db, list(handlers), policy, clock.now(), most=most, holding=holding, hopeful=hopeful, worker=worker
        ),
        hand_back=lambda claims: hand_back(db, claims),
        record=lambda ended: record(db, ended, policy, clock, handlers, absences),
        threads=threads,
    )


def run(handlers: Mapping[str, Handler], policy: Policy, clock: Clock, stop: threading.Event, crew: Crew) -> None:
    """Step until `stop` is set; a database that is away is waited for, and a fault of ours ends no thread."""
    while not stop.is_set():
        _guarded(lambda: _turn(handlers, policy, clock, crew), stop)
    _guarded(crew.leave, stop)


def _turn(handlers: Mapping[str, Handler], policy: Policy, clock: Clock, crew: Crew) -> None:
    claimed = crew.next()
    if claimed is not None:
        crew.ended(_attempt(claimed, handlers[claimed.kind], policy, clock))


def _guarded(job: Callable[[], None], stop: threading.Event) -> None:
    try:
        job()
    except DatabaseUnavailable as error:
        log.error("%s; the worker waits", error)  # noqa: TRY400  expected while the database is away
        stop.wait(IDLE)
    except Exception as error:  # noqa: BLE001  whatever it was, the next row deserves its attempt
        log.error("a fault in the outbox: %s", place_of(error))  # noqa: TRY400  a traceback may hold personal data
        stop.wait(IDLE)


def _attempt(claimed: Claim, handler: Handler, policy: Policy, clock: Clock) -> Ended:
    request_id = request.made()
    with request.under(request_id), _told(claimed) as told:
        ended = replace(_attempted(claimed, handler, policy, clock), request=request_id)
        told.ends(state=ended.verdict.state, error=ended.outcome if ended.error else None)
        return ended


def _told(claimed: Claim) -> AbstractContextManager[Step]:
    return step_of(
        f"deliver {claimed.kind}",
        tenant=claimed.tenant,
        kind=claimed.kind,
        reference=telling.reference_of(claimed.lane, claimed.subject),
        attempt=claimed.attempts.made,
    )


def _attempted(claimed: Claim, handler: Handler, policy: Policy, clock: Clock) -> Ended:
    outcome, failed = None, None
    try:
        if handler.deliver(claimed) is Result.DELIVERED:
            verdict = Verdict(State.DELIVERED, clock.now())
        else:
            # Nothing was sent, so nothing is known of where it would have gone.
            verdict, outcome = Verdict(State.DISCARDED, clock.now(), lane_unseen=True), OVERTAKEN
    except PortalError as error:
        verdict, failed = decide(error, claimed.attempts, policy, clock.now()), error
        outcome = type(error).__name__
    except Exception as error:  # noqa: BLE001  a fault of ours must not stop the other rows; it is logged and retried
        failed = PortalError(f"a fault in the handler ({type(error).__name__})")
        verdict = decide(failed, claimed.attempts, policy, clock.now())
        outcome = "Fault"
        log.error("%s %s: %s", claimed.kind, claimed.subject, place_of(error))  # noqa: TRY400  a traceback may hold personal data
    return Ended(claimed, verdict, outcome, failed)


def give_up_overdue(db: Database, handlers: Mapping[str, Handler], policy: Policy, clock: Clock) -> int:
    """What is past its time is dead without waiting for its turn; returns how many."""
    given_up = 0
    while overdue := giveup.overdue(db, list(handlers), policy, clock.now()):
        before = given_up
        for one in overdue:
            with db.write() as connection:
                ended = giveup.give_up(connection, one, clock.now())
                if ended is not None:
                    handlers[one.kind].settled(connection, [one.subject], *ended)
                    given_up += 1
            if ended is not None:
                telling.given_up(one, ended[0], clock.now())
        if given_up == before:
            break  # all of them moved meanwhile: the next look finds what they are by then
    return given_up


def record(
    db: Database,
    ended: Sequence[Ended],
    policy: Policy,
    clock: Clock,
    handlers: Mapping[str, Handler],
    absences: Absences | None = None,
) -> None:
    """Settle claims with what follows from it; tried again while the database is away, until their leases end.

    absences: which lanes this process has told the log are away; None: each is told anew.
    """
    told = absences or Absences(clock)
    left = list(ended)
    while left:
        try:
            _settled(db, left, policy, clock, told, _follow_up(handlers))
        except DatabaseUnavailable as error:
            left = [one for one in left if clock.now() < one.claimed.lease_until]
            if not left:
                raise
            log.error("%d outcomes wait to be recorded: %s", len(left), error)  # noqa: TRY400  expected while it is away
            clock.sleep(_AWAY)
        except Exception as error:  # noqa: BLE001  without a record the attempt would be made again, for ever
            if len(left) == 1:
                one = left[0]
                log.error("%s %s: %s", one.claimed.kind, one.claimed.subject, place_of(error))  # noqa: TRY400  as above
                return _settled(db, [replace(one, outcome="Fault")], policy, clock, told, None)
            for one in left:  # the others' record is not to wait for the one that cannot be made
                record(db, [one], policy, clock, handlers, absences)
            return None
        else:
            return None
    return None


_Then = Callable[[sa.Connection, list[Ended]], None]


def _settled(
    db: Database, ended: list[Ended], policy: Policy, clock: Clock, absences: Absences, then: _Then | None
) -> None:
    settled = settle(db, ended, policy, clock.now(), in_same_transaction=then)
    telling.recorded(settled.ours, settled.turned, clock.now(), absences)
    for one in ended:
        if one not in settled.ours:
            kind, subject = one.claimed.kind, one.claimed.subject
            log.warning("%s %s: the lease ran out before the outcome was recorded", kind, subject)


def _follow_up(handlers: Mapping[str, Handler]) -> _Then:
    def follow_up(connection: sa.Connection, ours: Collection[Ended]) -> None:
        for (kind, state, outcome), group in groupby(sorted(ours, key=_alike), key=_alike):
            subjects = [one.claimed.subject for one in group]
            handlers[kind].settled(connection, subjects, State(state), outcome or None)

    return follow_up


def _alike(one: Ended) -> tuple[str, str, str]:
    return one.claimed.kind, one.verdict.state, one.outcome or ""
