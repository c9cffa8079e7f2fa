"""Put rows into the outbox, read their status, and carry out operators' actions on them.

Functions that take a Connection are part of the caller's transaction.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime

import sqlalchemy as sa

from portal.background.outbox.states import REPLACED, RESTORED, UNFINISHED, HeldFor, OutboxState
from portal.background.outbox.tables import claimable, lanes, of_kinds, outbox, workers
from portal.platform.database.db import Database
from portal.platform.database.prepared import PreparedStatement


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """A row of the outbox as an operator sees it."""

    kind: str
    subject: str
    tenant: str
    state: OutboxState
    attempts: int
    created_at: datetime
    due_at: datetime
    settled_at: datetime | None
    outcome: str | None
    """Name of the class of the last PortalError; or an outcome of states.py, such as REPLACED or OVERTAKEN."""
    maybe_arrived: bool

    @property
    def replaceable(self) -> bool:
        """Whether a later row may replace this one: it waits, and certainly never reached its destination."""
        return self.state in _NOT_SENT and not self.maybe_arrived


_NOT_SENT = (OutboxState.HELD, OutboxState.DUE, OutboxState.RETRY)


_ENQUEUE = PreparedStatement(outbox.insert().inline())
_UNTIL_RELEASED = datetime(9999, 12, 31, tzinfo=UTC)
"""due_at of a row that is held for an operator or candidate: far in the future, so that the scanner never claims it."""


def enqueue(
    connection: sa.Connection,
    *,
    kind: str,
    subject: str,
    tenant: str,
    lane: str,
    now: datetime,
    order_key: str | None = None,
    held: bool = False,
    held_for: HeldFor | None = None,
    due_at: datetime | None = None,
) -> None:
    """Queue `subject` for the handler of `kind`. Rows with the same tenant and order_key are sent one after the other.

    held: until the scanner has checked its file. held_for: until an operator or the candidate releases it; meanwhile
    later rows of the same order_key are not blocked.
    """
    row = {
        "kind": kind,
        "subject": subject,
        "tenant": tenant,
        "lane": lane,
        "order_key": order_key,
        "state": OutboxState.HELD if held or held_for else OutboxState.DUE,
        "due_at": _UNTIL_RELEASED if held_for else due_at or now,
        "created_at": now,
        "held_for": held_for,
    }
    _ENQUEUE.run(connection, row)


def queued_since(connection: sa.Connection, kind: str, lane: str, since: datetime) -> int:
    """Count the rows of a kind that were queued for a lane after `since`, in any state."""
    c = outbox.c
    query = sa.select(sa.func.count()).where(c.kind == kind, c.lane == lane, c.created_at > since)
    return connection.scalar(query) or 0


def find(connection: sa.Connection, kind: str, subject: str) -> OutboxRow | None:
    """Return the row of a subject, or None."""
    columns = (outbox.c[field.name] for field in fields(OutboxRow))
    mine = (outbox.c.kind == kind, outbox.c.subject == subject)
    row = connection.execute(sa.select(*columns).where(*mine)).one_or_none()
    return OutboxRow(**{**row._asdict(), "state": OutboxState(row.state)}) if row else None


def retry(connection: sa.Connection, kind: str, subject: str, now: datetime, *, held: bool = False) -> bool:
    """Make a dead or waiting row due now, restart its expiry, and end the pause of its lane.

    held: hold the row for the scanner first. Return False if the row is neither dead nor waiting.
    """
    moved = _move(
        connection,
        kind,
        subject,
        [OutboxState.DEAD, OutboxState.RETRY, OutboxState.AMBIGUOUS, OutboxState.DUE],
        state=OutboxState.HELD if held else OutboxState.DUE,
        due_at=now,
        created_at=now,
        attempts=0,
        refusals=0,
        settled_at=None,
        held_for=None,
        resend_at=None,
    )
    if moved:
        lane = sa.select(outbox.c.lane).where(outbox.c.kind == kind, outbox.c.subject == subject).scalar_subquery()
        connection.execute(lanes.update().where(lanes.c.lane == lane).values(paused_until=None))
    return moved


def wake(connection: sa.Connection, lane: str, now: datetime) -> bool:
    """End the pause of a lane and make its oldest row due now, as a probe. Return False if no row can be the probe.

    A row that may have arrived keeps its pause: it cannot serve as a probe.
    """
    c = outbox.c
    waits = sa.select(c.id).where(claimable(), c.lane == lane, c.maybe_arrived.is_(False)).order_by(c.created_at, c.id)
    first = connection.execute(waits.limit(1)).scalar()
    if first is None:
        return False
    connection.execute(outbox.update().where(claimable(), c.id == first).values(due_at=now))
    connection.execute(lanes.update().where(lanes.c.lane == lane).values(paused_until=None))
    return True


def end_broken_pauses(db: Database, names: Collection[str], now: datetime) -> list[str]:
    """End the pauses of those of these lanes that are misconfigured, since that may be fixed; return their names.

    A pause that the destination asked for, or that follows an outage, is left as it is.
    """
    rests = sa.select(lanes.c.lane).where(lanes.c.broken_since.is_not(None), lanes.c.paused_until > now)
    found = [lane for lane in db.values(rests) if lane in names]
    if found:
        theirs = sa.and_(lanes.c.lane.in_(found), lanes.c.broken_since.is_not(None))
        db.run(lanes.update().where(theirs).values(paused_until=None))
    return found


def release(
    connection: sa.Connection, kind: str, subject: str, now: datetime, *, held: bool, waits_for: Collection[HeldFor]
) -> bool:
    """Release a row that is held for one of `waits_for`, and restart its expiry. held: the scanner checks it next.

    Return False if the row is not held, or is held for the scanner.
    """
    return _move(
        connection,
        kind,
        subject,
        [OutboxState.HELD],
        and_also=outbox.c.held_for.in_(waits_for),
        state=OutboxState.HELD if held else OutboxState.DUE,
        held_for=None,
        due_at=now,
        created_at=now,
    )


def discard(connection: sa.Connection, kind: str, subject: str, now: datetime, *, only_dead: bool = False) -> bool:
    """Discard a dead or waiting row on purpose; return False if it is being sent or finished."""
    waiting = [] if only_dead else [s for s in UNFINISHED if s != OutboxState.SENDING]
    states = [*waiting, OutboxState.DEAD]
    return _move(connection, kind, subject, states, state=OutboxState.DISCARDED, settled_at=now)


def discard_if_unsent(connection: sa.Connection, kind: str, subject: str, now: datetime) -> bool:
    """Discard a row because a later one replaces it.

    Return False if the row is being sent, may have arrived, or is finished.
    """
    return _move(
        connection,
        kind,
        subject,
        _NOT_SENT,
        and_also=outbox.c.maybe_arrived.is_(False),
        state=OutboxState.DISCARDED,
        settled_at=now,
        outcome=REPLACED,
    )


def discard_even_if_sending(connection: sa.Connection, kind: str, subject: str, now: datetime) -> bool:
    """Discard an undelivered row, even while it is being sent: the worker sending it can then record no result."""
    return _move(
        connection, kind, subject, [*UNFINISHED, OutboxState.DEAD], state=OutboxState.DISCARDED, settled_at=now
    )


@dataclass(frozen=True, slots=True)
class FinishedRow:
    """A row in a final state, about to be removed."""

    kind: str
    subject: str
    state: OutboxState
    outcome: str | None
    settled_at: datetime


def finished(
    connection: sa.Connection, kinds: Sequence[str], states: Sequence[OutboxState], *, before: datetime, limit: int
) -> list[FinishedRow]:
    """Return up to `limit` rows of these kinds that ended in one of these states before `before`, oldest first."""
    c = outbox.c
    query = (
        sa.select(c.kind, c.subject, c.state, c.outcome, c.settled_at)
        .where(c.settled_at < before, c.state.in_(states), of_kinds(kinds))
        .order_by(c.settled_at)
        .limit(limit)
    )
    return [
        FinishedRow(r.kind, r.subject, OutboxState(r.state), r.outcome, r.settled_at) for r in connection.execute(query)
    ]


def remove(connection: sa.Connection, kind: str, subjects: Sequence[str]) -> None:
    """Delete rows that are finished or dead, so that the outbox holds only work in progress."""
    gone = sa.and_(outbox.c.kind == kind, outbox.c.subject.in_(subjects), outbox.c.state.not_in(UNFINISHED))
    connection.execute(outbox.delete().where(gone))


@dataclass(frozen=True, slots=True)
class AfterRestore:
    """What a restore changed. asked_first: deliveries that may have arrived, so the service is queried first.

    not_sent: discarded emails. of_service: discarded emails of the service. erased: erasures that were lost and are
    done again. damaged: tombstones that cannot be read. damaged_copies: names of copies of tombstones in the folder of
    backups that are ignored because they are damaged.
    """

    asked_first: int
    not_sent: int
    of_service: int = 0
    erased: int = 0
    damaged: int = 0
    damaged_copies: tuple[str, ...] = ()


def after_restore(db: Database, now: datetime, *, deliveries: Collection[str], mails: str) -> AfterRestore:
    """Treat every unfinished row as possibly sent since the backup. Raises DatabaseUnavailable.

    deliveries: kinds that can be looked up at the service; held ones stay held. mails: the kind of mails, which cannot
    be looked up and are discarded.
    """
    unfinished = outbox.c.state.in_(UNFINISHED)
    fence = {"fence": outbox.c.fence + 1, "lease_until": None, "worker": None, "outcome": RESTORED}
    waiting = (unfinished, outbox.c.kind.in_(deliveries), outbox.c.state != OutboxState.HELD)
    with db.write() as connection:
        held = outbox.update().where(outbox.c.kind.in_(deliveries), outbox.c.state == OutboxState.HELD)
        connection.execute(held.values(maybe_arrived=True))
        asked = connection.execute(
            outbox.update()
            .where(*waiting)
            .values(state=OutboxState.AMBIGUOUS, maybe_arrived=True, due_at=now, resend_at=None, **fence)
        )
        dropped = connection.execute(
            outbox.update()
            .where(unfinished, outbox.c.kind == mails)
            .values(state=OutboxState.DISCARDED, settled_at=now, **fence)
        )
        connection.execute(workers.delete())
        waits = sa.select(sa.func.count()).where(outbox.c.kind.in_(deliveries), outbox.c.state == OutboxState.HELD)
        count = connection.scalar(waits) or 0
    return AfterRestore(asked.rowcount + count, dropped.rowcount)


def _move(
    connection: sa.Connection,
    kind: str,
    subject: str,
    states: Sequence[OutboxState],
    *,
    and_also: sa.ColumnElement[bool] | None = None,
    **values: object,
) -> bool:
    # A new fence value, so that a worker which still holds the row cannot settle it.
    changed = connection.execute(
        outbox.update()
        .where(
            outbox.c.kind == kind,
            outbox.c.subject == subject,
            outbox.c.state.in_(states),
            sa.true() if and_also is None else and_also,
        )
        .values(fence=outbox.c.fence + 1, lease_until=None, **values)
    )
    return changed.rowcount == 1
