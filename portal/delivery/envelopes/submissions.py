"""Deliveries as operators see them, and operators' actions on them, without any person or candidate id."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from portal.background.mails import queue as mail_queue
from portal.background.outbox import queue
from portal.background.outbox.states import CLAIMABLE, HeldFor, OutboxState
from portal.background.outbox.tables import in_state, outbox
from portal.delivery.envelopes import accept, consent
from portal.delivery.envelopes.consent import Consent
from portal.delivery.envelopes.kinds import Kinds
from portal.delivery.envelopes.receipt import Overview, deliveries_with_original, receipt_of, state_column
from portal.delivery.envelopes.repeats import SubmittedAgain, lock_order_key, submitted_again
from portal.delivery.envelopes.tables import ERASED, deliveries
from portal.delivery.envelopes.tables import opened as sources_opened
from portal.delivery.uploads import claims
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal, Unreadable
from portal.platform.database.db import Database
from portal.platform.logs import EventName, event

AuditHook = Callable[[sa.Connection, bool], None]
"""A function called in the transaction of an operator's action, with whether the action took effect."""
Job = tuple[str, str]
"""A tenant and the id of a posting."""
_PAGE = 500
_DISCARDED = sa.select(deliveries.c.reference).where(deliveries.c.ended == sa.literal_column("'discarded'"))


@dataclass(frozen=True, slots=True)
class _Chosen:
    state: OutboxState | None
    tenant: str | None
    kind: str | None
    newest_first: bool
    jobs: Collection[Job] | None
    begin: datetime | None
    end: datetime | None


def overview(
    db: Database,
    kinds: Kinds,
    *,
    state: OutboxState | None = None,
    tenant: str | None = None,
    kind: str | None = None,
    newest_first: bool = False,
    jobs: Collection[Job] | None = None,
    begin: datetime | None = None,
    end: datetime | None = None,
    after: str | None = None,
    limit: int | None = None,
) -> Iterator[Overview]:
    """Yield deliveries, oldest first by default, read page by page; a delivery and its repeats are one.

    state, tenant, kind, jobs: only deliveries with this value, or about one of these postings. begin, end: accepted
    from then on, and before then. after: start behind that reference. limit: the maximum number.
    """
    chosen = _Chosen(state, tenant, kind, newest_first, jobs, begin, end)
    left, last = limit, _place_of(db, after) if after else None
    while left is None or left > 0:
        page = _page(db, chosen, last, min(_PAGE, left or _PAGE))
        for row in page:
            yield _overview(kinds, row)
        if len(page) < min(_PAGE, left or _PAGE):
            return
        last = (page[-1].accepted_at, page[-1].reference)
        left = None if left is None else left - len(page)


def find(db: Database, kinds: Kinds, reference: str) -> Overview | None:
    """Return one delivery, or None."""
    row = db.row(deliveries_with_original(deliveries.c.suspicion).where(deliveries.c.reference == reference))
    return _overview(kinds, row) if row else None


def consent_of(db: Database, found: Overview) -> Consent | None:
    """Return the consent that was given with a delivery; None if none was."""
    if found.consent is None:
        return None
    with db.read() as connection:
        return consent.given(connection, tenant=found.tenant, version=found.consent, at=found.accepted_at)


def sent_again_as(db: Database, found: Overview) -> list[str]:
    """Return the references of a delivery's repeats, oldest first.

    These references were never shown: each response contained the first one.
    """
    d = deliveries.c
    query = sa.select(d.reference).where(d.duplicate_of == found.reference).order_by(d.accepted_at, d.reference)
    return db.values(query)


def sources_of(db: Database, seal: Seal, found: Overview) -> dict[str, str]:
    """Return where the candidate came from, by parameter of the form's URL; empty once it is erased."""
    query = sa.select(deliveries.c.sources).where(deliveries.c.reference == found.reference)
    return sources_opened(seal, db.value(query))


def no_audit(_connection: sa.Connection, _is_done: bool) -> None:  # noqa: FBT001  the action's result
    """Do nothing: the default where no action is logged."""


def retry(
    db: Database,
    seal: Seal,
    kinds: Kinds,
    reference: str,
    clock: Clock,
    *,
    scan_required: bool,
    noted: AuditHook = no_audit,
) -> bool:
    """Make a dead or waiting delivery due now. scan_required: holds one with a file until the scanner has checked it.

    Also return False if a later delivery of the same sender supersedes it. Raises SubmittedAgain, and Unreadable if no
    secret key decrypts it, after `noted` has recorded the refusal.
    """
    with db.write() as connection:
        row = connection.execute(sa.select(deliveries).where(deliveries.c.reference == reference)).one_or_none()
        refusal: SubmittedAgain | Unreadable | None = None
        is_done = False
        if row is not None and row.sealed is not None:
            try:
                refusal = submitted_again(connection, seal, kinds[row.kind], row)
            except Unreadable as error:
                refusal = error
            is_done = refusal is None and _retry(connection, kinds, row, clock.now(), scan_required=scan_required)
        noted(connection, is_done)
    if refusal is not None:
        raise refusal
    return is_done


def _retry(connection: sa.Connection, kinds: Kinds, row: sa.Row[Any], now: datetime, *, scan_required: bool) -> bool:
    kind = kinds[row.kind]
    if kind.supersedes:
        lock_order_key(connection, row.about)
        if connection.execute(_later(row)).first():
            return False
    held = scan_required and claims.key_of(connection, row.reference) is not None
    return queue.retry(connection, row.kind, row.reference, now, held=held)


def release(
    db: Database,
    reference: str,
    clock: Clock,
    *,
    scan_required: bool,
    waits_for: Collection[HeldFor] = tuple(HeldFor),
    noted: AuditHook = no_audit,
) -> bool:
    """Release a delivery that is held for one of `waits_for`; for a repeat, the first one is released.

    scan_required: makes the scanner check its file before it is sent. Return False if it is not held for one of them.
    """
    d = deliveries.c
    with db.write() as connection:
        asked = sa.select(d.tenant, d.kind, d.duplicate_of).where(d.reference == reference)
        found = connection.execute(asked).one_or_none()
        is_done = False
        if found is not None:
            first, now = found.duplicate_of or reference, clock.now()
            is_done = accept.release(
                connection, found.kind, first, now, scan_required=scan_required, waits_for=waits_for
            )
        noted(connection, is_done)
    if found is not None and is_done:
        event(EventName.RELEASED, tenant=found.tenant, reference=first, kind=found.kind)
    return is_done


def discard(db: Database, kinds: Kinds, reference: str, clock: Clock, *, noted: AuditHook = no_audit) -> bool:
    """Discard an undelivered delivery and erase its contents; return False if it is too late.

    Its file is deleted by the next housekeeping.
    """
    with db.write() as connection:
        row = _discarded(connection, kinds, reference, clock.now())
        noted(connection, row is not None)
    if row is None:
        return False
    event(EventName.DISCARDED, tenant=row.tenant, reference=reference, kind=row.kind)
    return True


def _discarded(connection: sa.Connection, kinds: Kinds, reference: str, now: datetime) -> sa.Row[Any] | None:
    """Discard a delivery and return its row; None if it is too late."""
    row = connection.execute(sa.select(deliveries).where(deliveries.c.reference == reference)).one_or_none()
    entry = row and queue.find(connection, row.kind, reference)
    if row is None or entry is None or not queue.discard(connection, row.kind, reference, now):
        return None
    erase(connection, reference, now)
    if entry.state is not OutboxState.DEAD:  # otherwise it was recorded when the delivery failed
        kinds[row.kind].on_settled(connection, row, OutboxState.DEAD, None, now)
    return row


def erase(connection: sa.Connection, reference: str, now: datetime) -> None:
    """Erase the contents of a delivery that will not be sent, with its file and the emails about it."""
    chosen = sa.and_(deliveries.c.reference == reference, deliveries.c.sealed.is_not(None))
    connection.execute(deliveries.update().where(chosen).values(**ERASED, erased_at=now))
    claims.orphan_file(connection, reference)
    mail_queue.withdraw(connection, about=[reference], now=now)


def _place_of(db: Database, reference: str) -> tuple[datetime, str] | None:
    with db.read() as connection:
        query = sa.select(deliveries.c.accepted_at).where(deliveries.c.reference == reference)
        at = connection.execute(query).scalar()
    return (at, reference) if at else None


def _page(db: Database, chosen: _Chosen, last: tuple[datetime, str] | None, limit: int) -> list[sa.Row[Any]]:
    d = deliveries.c
    order = (d.accepted_at.desc(), d.reference.desc()) if chosen.newest_first else (d.accepted_at, d.reference)
    query = _matching(chosen, last)
    if chosen.jobs is None:
        queries = [query]
    else:  # one query for each job: an index has a job's deliveries in order, so that reading stops at the limit
        queries = [query.where(d.tenant == tenant, d.about == about) for tenant, about in chosen.jobs]
    with db.read() as connection:
        rows = [row for one in queries for row in connection.execute(one.order_by(*order).limit(limit))]
    return sorted(rows, key=lambda row: (row.accepted_at, row.reference), reverse=chosen.newest_first)[:limit]


def _matching(chosen: _Chosen, last: tuple[datetime, str] | None) -> sa.Select[Any]:
    d, state = deliveries.c, chosen.state
    # An expression, because SQLite would otherwise use the index of repeats to read all that are no repeat, and sort
    # them.
    query = deliveries_with_original(d.suspicion).where(d.duplicate_of.concat("").is_(None))
    if last is not None:
        place = sa.tuple_(d.accepted_at, d.reference)
        behind = sa.tuple_(sa.literal(last[0], d.accepted_at.type), last[1])
        query = query.where(place < behind if chosen.newest_first else place > behind)
    if chosen.tenant is not None:
        query = query.where(d.tenant == chosen.tenant)
    if chosen.kind is not None:
        query = query.where(d.kind == chosen.kind)
    if chosen.begin is not None:
        query = query.where(d.accepted_at >= chosen.begin)
    if chosen.end is not None:
        query = query.where(d.accepted_at < chosen.end)
    if state is not None:
        query = query.where(state_column() == state)
    if state is not None and state is not OutboxState.PURGED:
        # Few deliveries are in the outbox, so the query starts there; most of the others are purged.
        there = sa.select(outbox.c.subject).where(in_state(state))
        named = (there.union_all(_DISCARDED) if state is OutboxState.DISCARDED else there).subquery()
        query = query.where(d.reference.in_(sa.select(named.c[0])))
    return query


def _later(row: sa.Row[Any]) -> sa.Select[Any]:
    """Return a query for a later delivery about the same that was not discarded."""
    d = deliveries.c
    same = (d.tenant == row.tenant, d.kind == row.kind, d.about == row.about)
    return (
        deliveries_with_original()
        .where(*same, d.accepted_at > row.accepted_at, state_column() != OutboxState.DISCARDED)
        .limit(1)
    )


def _overview(kinds: Kinds, row: sa.Row[Any]) -> Overview:
    kind = kinds[row.kind]
    return Overview(
        reference=row.reference,
        kind=kind.label,
        tenant=row.tenant,
        posting_id=row.about if kind.about_is_public else None,
        state=OutboxState(row.state),
        progress=receipt_of(row).last_step,
        accepted_at=row.accepted_at,
        again_at=row.again_at,
        delivered_at=row.delivered_at,
        purged_at=row.erased_at,
        attempts=row.attempts,
        next_attempt_at=row.due_at if row.state in CLAIMABLE else None,
        last_failure=row.outcome,
        duplicate_of=row.duplicate_of,
        consent=row.consent,
        held_for=(row.held_for or "scanner") if row.state == OutboxState.HELD else None,
        suspicion=row.suspicion,
        title=row.title if kind.about_is_public else None,
    )
