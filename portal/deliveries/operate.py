"""What an operator sees of deliveries, and can do: neither a person nor a candidate's id is shown."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from portal.clock import Clock
from portal.db import Database
from portal.deliveries import accept, consent
from portal.deliveries.accept import one_at_a_time
from portal.deliveries.consent import Consent
from portal.deliveries.kinds import Kinds
from portal.deliveries.overview import Overview
from portal.deliveries.receipt import following, receipt_of, state_column
from portal.deliveries.sources import opened as sources_opened
from portal.deliveries.tables import ERASED, deliveries
from portal.letters import queue as letters
from portal.logs import Happened, event
from portal.outbox import queue
from portal.outbox.states import CLAIMABLE, HeldFor, State
from portal.outbox.tables import in_state, outbox
from portal.sealing import Seal
from portal.uploads import claims

Noted = Callable[[sa.Connection, bool], None]
"""Called in the transaction of an operator's act, with whether it was done."""
_PAGE = 500
_DISCARDED = sa.select(deliveries.c.reference).where(deliveries.c.ended == sa.literal_column("'discarded'"))


@dataclass(frozen=True, slots=True)
class _Chosen:
    state: State | None
    tenant: str | None
    kind: str | None
    newest_first: bool


def overview(
    db: Database,
    kinds: Kinds,
    *,
    state: State | None = None,
    tenant: str | None = None,
    kind: str | None = None,
    newest_first: bool = False,
    after: str | None = None,
    limit: int | None = None,
) -> Iterator[Overview]:
    """Deliveries, oldest first where nothing else is said, read a page at a time; what was sent again is one.

    state, tenant, kind: of that one alone. after: those behind that reference. limit: no more than so many.
    """
    chosen = _Chosen(state, tenant, kind, newest_first)
    left, last = limit, _place_of(db, after) if after else None
    while left is None or left > 0:
        page = _page(db, chosen, last, min(_PAGE, left or _PAGE))
        for row in page:
            yield _overview(kinds, row)
        if len(page) < min(_PAGE, left or _PAGE):
            return
        last = (page[-1].accepted_at, page[-1].reference)
        left = None if left is None else left - len(page)


def one(db: Database, kinds: Kinds, reference: str) -> Overview | None:
    """One delivery."""
    with db.read() as connection:
        row = connection.execute(
            following(deliveries.c.suspicion).where(deliveries.c.reference == reference)
        ).one_or_none()
    return _overview(kinds, row) if row else None


def consent_of(db: Database, found: Overview) -> Consent | None:
    """What was agreed to when it was sent."""
    if found.consent is None:
        return None
    with db.read() as connection:
        return consent.given(connection, tenant=found.tenant, version=found.consent, at=found.accepted_at)


def sent_again_as(db: Database, found: Overview) -> list[str]:
    """References under which the same came again, oldest first: nobody was given them, and each led to this one."""
    d = deliveries.c
    query = sa.select(d.reference).where(d.duplicate_of == found.reference).order_by(d.accepted_at, d.reference)
    with db.read() as connection:
        return list(connection.scalars(query))


def sources_of(db: Database, seal: Seal, found: Overview) -> dict[str, str]:
    """Where its person came from, by the parameters of their form's address; empty once it is erased."""
    query = sa.select(deliveries.c.sources).where(deliveries.c.reference == found.reference)
    with db.read() as connection:
        return sources_opened(seal, connection.execute(query).scalar())


def unnoted(_connection: sa.Connection, _is_done: bool) -> None:  # noqa: FBT001  what the act returns
    """Nobody keeps a log of it."""


def retry(db: Database, kinds: Kinds, reference: str, clock: Clock, *, scanned: bool, noted: Noted = unnoted) -> bool:
    """Make a dead or waiting one due now. scanned: False holds one with a file until the scanner has seen it.

    False also where a later one says everything that is to be: that is what its person wants by now.
    """
    with db.write() as connection:
        is_done = _retry(connection, kinds, reference, clock.now(), scanned=scanned)
        noted(connection, is_done)
    return is_done


def _retry(connection: sa.Connection, kinds: Kinds, reference: str, now: datetime, *, scanned: bool) -> bool:
    row = connection.execute(sa.select(deliveries).where(deliveries.c.reference == reference)).one_or_none()
    if row is None or row.sealed is None:
        return False
    kind = kinds[row.kind]
    if kind.supersedes:
        one_at_a_time(connection, row.about)
        if connection.execute(_later(row)).first():
            return False
    held = not scanned and claims.key_of(connection, reference) is not None
    return queue.retry(connection, row.kind, reference, now, held=held)


def release(
    db: Database,
    reference: str,
    clock: Clock,
    *,
    scanned: bool,
    waits_for: Collection[HeldFor] = tuple(HeldFor),
    noted: Noted = unnoted,
) -> bool:
    """Let go on what is held for one of these; a duplicate is where the first one is.

    scanned: False has the scanner see its file before it is sent. False where it is not held, or for the scanner.
    """
    d = deliveries.c
    with db.write() as connection:
        asked = sa.select(d.tenant, d.kind, d.duplicate_of).where(d.reference == reference)
        found = connection.execute(asked).one_or_none()
        is_done = False
        if found is not None:
            first, now = found.duplicate_of or reference, clock.now()
            is_done = accept.release(connection, found.kind, first, now, scanned=scanned, waits_for=waits_for)
        noted(connection, is_done)
    if found is not None and is_done:
        event(Happened.RELEASED, tenant=found.tenant, reference=first, kind=found.kind)
    return is_done


def discard(db: Database, kinds: Kinds, reference: str, clock: Clock, *, noted: Noted = unnoted) -> bool:
    """Give up what was not delivered: what it said goes, and its file with the next housekeeping. False: too late."""
    with db.write() as connection:
        row = _discarded(connection, kinds, reference, clock.now())
        noted(connection, row is not None)
    if row is None:
        return False
    event(Happened.DISCARDED, tenant=row.tenant, reference=reference, kind=row.kind)
    return True


def _discarded(connection: sa.Connection, kinds: Kinds, reference: str, now: datetime) -> sa.Row[Any] | None:
    """The row of what was discarded just now."""
    row = connection.execute(sa.select(deliveries).where(deliveries.c.reference == reference)).one_or_none()
    entry = row and queue.find(connection, row.kind, reference)
    if row is None or entry is None or not queue.discard(connection, row.kind, reference, now):
        return None
    erase(connection, reference, now)
    if entry.state is not State.DEAD:  # else it was noted when it died
        kinds[row.kind].noted(connection, row, State.DEAD, None, now)
    return row


def erase(connection: sa.Connection, reference: str, now: datetime) -> None:
    """What one that will not be sent said, its file and the letters about it go."""
    chosen = sa.and_(deliveries.c.reference == reference, deliveries.c.sealed.is_not(None))
    connection.execute(deliveries.update().where(chosen).values(**ERASED, erased_at=now))
    claims.let_go(connection, reference)
    letters.withdraw(connection, about=[reference], now=now)


def _place_of(db: Database, reference: str) -> tuple[datetime, str] | None:
    with db.read() as connection:
        query = sa.select(deliveries.c.accepted_at).where(deliveries.c.reference == reference)
        at = connection.execute(query).scalar()
    return (at, reference) if at else None


def _page(db: Database, chosen: _Chosen, last: tuple[datetime, str] | None, limit: int) -> list[sa.Row[Any]]:
    d, state = deliveries.c, chosen.state
    order = (d.accepted_at.desc(), d.reference.desc()) if chosen.newest_first else (d.accepted_at, d.reference)
    query = following(d.suspicion).where(d.duplicate_of.is_(None)).order_by(*order).limit(limit)
    if last is not None:
        place = sa.tuple_(d.accepted_at, d.reference)
        behind = sa.tuple_(sa.literal(last[0], d.accepted_at.type), last[1])
        query = query.where(place < behind if chosen.newest_first else place > behind)
    if chosen.tenant is not None:
        query = query.where(d.tenant == chosen.tenant)
    if chosen.kind is not None:
        query = query.where(d.kind == chosen.kind)
    if state is not None:
        query = query.where(state_column() == state)
    if state is not None and state is not State.PURGED:
        # Few are in hand, so they are looked up from the outbox; of all that ever were, most are purged.
        there = sa.select(outbox.c.subject).where(in_state(state))
        named = (there.union_all(_DISCARDED) if state is State.DISCARDED else there).subquery()
        query = query.where(d.reference.in_(sa.select(named.c[0])))
    with db.read() as connection:
        return list(connection.execute(query))


def _later(row: sa.Row[Any]) -> sa.Select[Any]:
    """A later delivery about the same that is not given up."""
    d = deliveries.c
    same = (d.tenant == row.tenant, d.kind == row.kind, d.about == row.about)
    return following().where(*same, d.accepted_at > row.accepted_at, state_column() != State.DISCARDED).limit(1)


def _overview(kinds: Kinds, row: sa.Row[Any]) -> Overview:
    kind = kinds[row.kind]
    return Overview(
        reference=row.reference,
        kind=kind.label,
        tenant=row.tenant,
        posting_id=row.about if kind.about_is_public else None,
        state=State(row.state),
        standing=receipt_of(row).standing,
        accepted_at=row.accepted_at,
        again_at=row.again_at,
        delivered_at=row.delivered_at,
        purged_at=row.erased_at,
        attempts=row.attempts,
        next_attempt_at=row.due_at if row.state in CLAIMABLE else None,
        last_failure=row.outcome,
        duplicate_of=row.duplicate_of,
        consent=row.consent,
        held_for=(row.held_for or "scanner") if row.state == State.HELD else None,
        suspicion=row.suspicion,
    )
