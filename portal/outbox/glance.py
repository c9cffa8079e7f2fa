"""What the desk shows of rows, lanes and workers; of all tenants in one question each."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sa

from portal.db import Database
from portal.outbox.alive import GONE
from portal.outbox.decide import TROUBLE
from portal.outbox.states import UNFINISHED, HeldFor, State
from portal.outbox.tables import lanes, of_kinds, outbox, workers


@dataclass(frozen=True, slots=True)
class InHand:
    """One row while it is there. refusals: by the other side, for good. lease_until: of the worker that sends it."""

    lane: str
    state: State
    attempts: int
    refusals: int
    maybe_arrived: bool
    lease_until: datetime | None
    worker: str | None
    resend_at: datetime | None


@dataclass(frozen=True, slots=True)
class Lane:
    """The way to one other side. broken_since: time alone will not mend it. reason: the failure's class name."""

    failures: int
    rests_until: datetime | None
    broken_since: datetime | None
    reason: str | None

    @property
    def in_trouble(self) -> bool:
        """Whether it is more than a blip."""
        return self.broken_since is not None or self.failures >= TROUBLE


@dataclass(slots=True)
class Queue:
    """What one tenant has in the outbox. oldest: since when the one waits that waits longest and is held for nobody.

    looks: how many are held until an operator has looked at them.
    """

    counts: Counter[State] = field(default_factory=Counter)
    oldest: datetime | None = None
    looks: int = 0

    @property
    def waiting(self) -> int:
        """How many are not delivered yet, and are not dead."""
        return sum(self.counts[state] for state in UNFINISHED)


def in_hand(db: Database, kind: str, subject: str) -> InHand | None:
    """The row of one subject; None once it is gone."""
    c = outbox.c
    columns = (c.lane, c.state, c.attempts, c.refusals, c.maybe_arrived, c.lease_until, c.worker, c.resend_at)
    with db.read() as connection:
        row = connection.execute(sa.select(*columns).where(c.kind == kind, c.subject == subject)).one_or_none()
    return InHand(**{**row._asdict(), "state": State(row.state)}) if row else None


def all_lanes(db: Database) -> dict[str, Lane]:
    """By name; one that was never in trouble has no row."""
    with db.read() as connection:
        return {
            row.lane: Lane(row.failures, row.paused_until, row.broken_since, row.reason)
            for row in connection.execute(sa.select(lanes))
        }


def queues(db: Database, kinds: Collection[str]) -> dict[str, Queue]:
    """By tenant."""
    c = outbox.c
    waits = sa.and_(c.state.in_(UNFINISHED), c.held_for.is_(None))
    query = (
        sa.select(
            c.tenant,
            c.state,
            c.held_for,
            sa.func.count().label("how_many"),
            sa.func.min(sa.case((waits, c.created_at)), type_=c.created_at.type).label("oldest"),
        )
        .where(of_kinds(kinds))
        .group_by(c.tenant, c.state, c.held_for)
    )
    found: dict[str, Queue] = {}
    with db.read() as connection:
        for row in connection.execute(query):
            queue = found.setdefault(row.tenant, Queue())
            queue.counts[State(row.state)] += row.how_many
            queue.looks += row.how_many if row.held_for == HeldFor.OPERATOR and row.state == State.HELD else 0
            queue.oldest = min(filter(None, (queue.oldest, row.oldest)), default=None)
    return found


def workers_alive(db: Database, now: datetime) -> tuple[int, datetime | None]:
    """How many workers show that they are there, and when one did last."""
    with db.read() as connection:
        seen = [*connection.execute(sa.select(workers.c.seen_at)).scalars()]
    return sum(now - at <= GONE for at in seen), max(seen, default=None)
