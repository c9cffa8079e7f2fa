"""Put something into the outbox, see where it stands, and an operator's hand on it.

Functions that take a Connection are part of the caller's transaction.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import sqlalchemy as sa

from portal.outbox.states import REPLACED, UNFINISHED, HeldFor, State
from portal.outbox.tables import claimable, lanes, of_kinds, outbox
from portal.straight import Step, Straight, together


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the outbox as an operator sees it."""

    kind: str
    subject: str
    tenant: str
    state: State
    attempts: int
    created_at: datetime
    due_at: datetime
    settled_at: datetime | None
    outcome: str | None
    """Class name of the last failure, from portal.errors; or REPLACED, OVERTAKEN of states.py."""
    maybe_arrived: bool

    @property
    def gives_way(self) -> bool:
        """Whether it waits, and certainly never arrived."""
        return self.state in _NOT_SENT and not self.maybe_arrived


_NOT_SENT = (State.HELD, State.DUE, State.RETRY)


_ENQUEUE = Straight(outbox.insert().inline())
_UNTIL_RELEASED = datetime(9999, 12, 31, tzinfo=UTC)
"""When what is held for somebody is due for the scanner: it is not, however long it takes them."""


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
    after: Sequence[Step] = (),
) -> None:
    """Queue `subject` for the handler of `kind`. Rows of one tenant and order_key go out one after the other.

    held: until the scanner has seen it. held_for: until somebody lets it go on; nothing waits behind it meanwhile.
    after: what is written before it, in the same question to the database.
    """
    row = {
        "kind": kind,
        "subject": subject,
        "tenant": tenant,
        "lane": lane,
        "order_key": order_key,
        "state": State.HELD if held or held_for else State.DUE,
        "due_at": _UNTIL_RELEASED if held_for else due_at or now,
        "created_at": now,
        "held_for": held_for,
    }
    together(connection, [*after, (_ENQUEUE, row)])


def queued_since(connection: sa.Connection, kind: str, lane: str, since: datetime) -> int:
    """How many rows of a kind were queued for a lane since then, whatever became of them."""
    c = outbox.c
    query = sa.select(sa.func.count()).where(c.kind == kind, c.lane == lane, c.created_at > since)
    return connection.scalar(query) or 0


def find(connection: sa.Connection, kind: str, subject: str) -> Entry | None:
    """Where one thing stands."""
    row = connection.execute(_entries().where(outbox.c.kind == kind, outbox.c.subject == subject)).one_or_none()
    return _entry(row) if row else None


def retry(connection: sa.Connection, kind: str, subject: str, now: datetime, *, held: bool = False) -> bool:
    """Send now what is dead or waiting; its age for giving up starts anew, and its lane's rest ends.

    held: until it is released again. False if it is neither dead nor waiting.
    """
    moved = _move(
        connection,
        kind,
        subject,
        [State.DEAD, State.RETRY, State.AMBIGUOUS, State.DUE],
        state=State.HELD if held else State.DUE,
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
    """End a lane's rest and make its oldest due now, which shows how the other side is. False if nothing waits there.

    What may have arrived keeps its pause: it is no probe.
    """
    c = outbox.c
    waits = sa.select(c.id).where(claimable(), c.lane == lane, c.maybe_arrived.is_(False)).order_by(c.created_at, c.id)
    first = connection.execute(waits.limit(1)).scalar()
    if first is None:
        return False
    connection.execute(outbox.update().where(claimable(), c.id == first).values(due_at=now))
    connection.execute(lanes.update().where(lanes.c.lane == lane).values(paused_until=None))
    return True


def release(
    connection: sa.Connection, kind: str, subject: str, now: datetime, *, held: bool, waits_for: Collection[HeldFor]
) -> bool:
    """Let go on what is held for one of these; its age for giving up starts anew. held: the scanner comes next.

    False if it is not held, or for the scanner.
    """
    return _move(
        connection,
        kind,
        subject,
        [State.HELD],
        and_also=outbox.c.held_for.in_(waits_for),
        state=State.HELD if held else State.DUE,
        held_for=None,
        due_at=now,
        created_at=now,
    )


def discard(connection: sa.Connection, kind: str, subject: str, now: datetime) -> bool:
    """Give up on purpose what is dead or waiting; False while it is being sent or when it is done."""
    states = [s for s in (*UNFINISHED, State.DEAD) if s != State.SENDING]
    return _move(connection, kind, subject, states, state=State.DISCARDED, settled_at=now)


def give_way(connection: sa.Connection, kind: str, subject: str, now: datetime) -> bool:
    """A later one takes its place; False while it is being sent, when it may have arrived, or when it is done."""
    return _move(
        connection,
        kind,
        subject,
        _NOT_SENT,
        and_also=outbox.c.maybe_arrived.is_(False),
        state=State.DISCARDED,
        settled_at=now,
        outcome=REPLACED,
    )


def abandon(connection: sa.Connection, kind: str, subject: str, now: datetime) -> bool:
    """Give up what is not delivered, even while it is being sent: whoever sends it records nothing any more."""
    return _move(connection, kind, subject, [*UNFINISHED, State.DEAD], state=State.DISCARDED, settled_at=now)


@dataclass(frozen=True, slots=True)
class Finished:
    """A row that nothing moves any more, on its way out."""

    kind: str
    subject: str
    state: State
    outcome: str | None
    settled_at: datetime


def finished(
    connection: sa.Connection, kinds: Sequence[str], states: Sequence[State], *, before: datetime, limit: int
) -> list[Finished]:
    """Rows that ended in one of these states before then, the oldest first."""
    c = outbox.c
    query = (
        sa.select(c.kind, c.subject, c.state, c.outcome, c.settled_at)
        .where(c.settled_at < before, c.state.in_(states), of_kinds(kinds))
        .order_by(c.settled_at)
        .limit(limit)
    )
    return [Finished(r.kind, r.subject, State(r.state), r.outcome, r.settled_at) for r in connection.execute(query)]


def remove(connection: sa.Connection, kind: str, subjects: Sequence[str]) -> None:
    """Rows that are over leave the outbox, so that it holds only what is in hand."""
    gone = sa.and_(outbox.c.kind == kind, outbox.c.subject.in_(subjects), outbox.c.state.not_in(UNFINISHED))
    connection.execute(outbox.delete().where(gone))


def _move(
    connection: sa.Connection,
    kind: str,
    subject: str,
    states: Sequence[State],
    *,
    and_also: sa.ColumnElement[bool] | None = None,
    **values: object,
) -> bool:
    # A new fence, so that a worker which still holds the row settles nothing.
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


def _entries() -> sa.Select[tuple[object, ...]]:
    c = outbox.c
    told = (c.kind, c.subject, c.tenant, c.state, c.attempts, c.created_at, c.due_at)
    return sa.select(*told, c.settled_at, c.outcome, c.maybe_arrived)


def _entry(row: sa.Row[tuple[object, ...]]) -> Entry:
    values = row._asdict()
    return Entry(**{**values, "state": State(values["state"])})
