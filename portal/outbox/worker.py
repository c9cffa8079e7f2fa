"""Threads that claim, hand to a handler, settle.

An outcome is worth more than the thread that has it: while the database is away, recording it is tried again until the
lease ends, because an attempt whose outcome is lost may be made twice.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Protocol

import sqlalchemy as sa

from portal.clock import Clock
from portal.db import Database
from portal.errors import DatabaseUnavailable, PortalError, place_of
from portal.outbox import giveup
from portal.outbox.claim import Claim, claim, settle
from portal.outbox.decide import Policy, Verdict, decide
from portal.outbox.states import OVERTAKEN, Result, State

log = logging.getLogger(__name__)

IDLE = 0.5
"""Seconds between looks when nothing was due."""
_AWAY = 1.0
"""Seconds between tries to record an outcome."""


class Handler(Protocol):
    """Does the work of one kind of row."""

    def deliver(self, claimed: Claim) -> Result:
        """Make one attempt, or raise a PortalError."""
        ...

    def settled(self, connection: sa.Connection, subject: str, state: State, outcome: str | None) -> None:
        """Called in the transaction that records `state`, so that what follows from it is recorded with it."""
        ...


def step(db: Database, handlers: Mapping[str, Handler], policy: Policy, clock: Clock) -> bool:
    """Claim one row, attempt it, settle it. False if there was nothing to do."""
    claimed = claim(db, list(handlers), policy, clock.now())
    if claimed is not None:
        _attempt(db, claimed, handlers[claimed.kind], policy, clock)
    return claimed is not None


class Lookout:
    """One thread of a worker looks for work at a time; the others stand behind it, and cost the database nothing."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._looking = threading.Lock()
        self._changed = threading.Event()

    def next(self, look: Callable[[], Claim | None]) -> Claim | None:
        """What `look` finds; None after IDLE seconds, or sooner when an attempt of this worker has ended."""
        with self._looking:
            if self._stop.is_set():
                return None  # else each thread would wait its turn to see that there is nothing more to do
            self._changed.clear()
            found = look()
            if found is None:
                self._changed.wait(IDLE)
            return found

    def attempted(self) -> None:
        """A lane may have room again, and what waited behind it may go."""
        self._changed.set()


def _attempt(db: Database, claimed: Claim, handler: Handler, policy: Policy, clock: Clock) -> None:
    outcome: str | None = None
    try:
        if handler.deliver(claimed) is Result.DELIVERED:
            verdict = Verdict(State.DELIVERED, clock.now())
        else:
            verdict, outcome = Verdict(State.DISCARDED, clock.now()), OVERTAKEN
    except PortalError as error:
        verdict = decide(error, claimed.attempts, policy, clock.now())
        outcome = type(error).__name__
        log.warning("%s %s: %s; now %s", claimed.kind, claimed.subject, error, verdict.state)
    except Exception as error:  # noqa: BLE001  a fault of ours must not stop the other rows; it is logged and retried
        fault = PortalError(f"a fault in the handler ({type(error).__name__})")
        verdict = decide(fault, claimed.attempts, policy, clock.now())
        outcome = "Fault"
        log.error("%s %s: %s", claimed.kind, claimed.subject, place_of(error))  # noqa: TRY400  a traceback may hold personal data
    record(db, claimed, verdict, policy, clock, handler, outcome)


def run(
    db: Database,
    handlers: Mapping[str, Handler],
    policy: Policy,
    clock: Clock,
    stop: threading.Event,
    lookout: Lookout,
) -> None:
    """Step until `stop` is set; a database that is away is waited for, and a fault of ours ends no thread."""
    while not stop.is_set():
        try:
            claimed = lookout.next(lambda: claim(db, list(handlers), policy, clock.now()))
            if claimed is not None:
                _attempt(db, claimed, handlers[claimed.kind], policy, clock)
                lookout.attempted()
        except DatabaseUnavailable as error:
            log.error("%s; the worker waits", error)  # noqa: TRY400  expected while the database is away
            stop.wait(IDLE)
        except Exception as error:  # noqa: BLE001  whatever it was, the next row deserves its attempt
            log.error("a fault in the outbox: %s", place_of(error))  # noqa: TRY400  a traceback may hold personal data
            stop.wait(IDLE)


def give_up_overdue(db: Database, handlers: Mapping[str, Handler], policy: Policy, clock: Clock) -> int:
    """What is past its time is dead without waiting for its turn; returns how many."""
    given_up = 0
    while overdue := giveup.overdue(db, list(handlers), policy, clock.now()):
        before = given_up
        for one in overdue:
            with db.write() as connection:
                ended = giveup.give_up(connection, one, clock.now())
                if ended is not None:
                    log.warning("%s %s: given up", one.kind, one.subject)
                    handlers[one.kind].settled(connection, one.subject, *ended)
                    given_up += 1
        if given_up == before:
            break  # all of them moved meanwhile: the next look finds what they are by then
    return given_up


def record(
    db: Database,
    claimed: Claim,
    verdict: Verdict,
    policy: Policy,
    clock: Clock,
    handler: Handler,
    outcome: str | None,
) -> None:
    """Settle a claim with what follows from it; tried again while the database is away, until the lease ends."""

    def follow_up(connection: sa.Connection) -> None:
        handler.settled(connection, claimed.subject, verdict.state, outcome)

    recorded = None
    while recorded is None:
        try:
            recorded = settle(db, claimed, verdict, policy, clock.now(), outcome=outcome, in_same_transaction=follow_up)
        except DatabaseUnavailable as error:
            if clock.now() >= claimed.lease_until:
                raise
            log.error("%s %s is %s, and that waits: %s", claimed.kind, claimed.subject, verdict.state, error)  # noqa: TRY400
            clock.sleep(_AWAY)
        except Exception as error:  # noqa: BLE001  without a record the attempt would be made again, for ever
            log.error("%s %s: %s", claimed.kind, claimed.subject, place_of(error))  # noqa: TRY400  as above
            recorded = settle(db, claimed, verdict, policy, clock.now(), outcome="Fault")
    if not recorded:
        log.warning("%s %s: the lease ran out before the outcome was recorded", claimed.kind, claimed.subject)
