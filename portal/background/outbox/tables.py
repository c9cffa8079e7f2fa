"""The tables of the outbox: rows, lanes and workers. Only this package writes them.

fence: a number raised with every claim, so that a worker whose claim is outdated can no longer change the row.
"""

from collections.abc import Collection

import sqlalchemy as sa

from portal.background.outbox.states import CLAIMABLE, UNFINISHED, OutboxState
from portal.platform.database.db import Instant, metadata

outbox = sa.Table(
    "outbox",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("subject", sa.String(64), nullable=False),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("lane", sa.String(100), nullable=False),
    sa.Column("order_key", sa.String(64)),
    sa.Column("state", sa.String(12), nullable=False),
    sa.Column("due_at", Instant, nullable=False),
    sa.Column("lease_until", Instant),
    sa.Column("fence", sa.Integer, nullable=False, server_default="0"),
    sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
    sa.Column("refusals", sa.Integer, nullable=False, server_default="0"),
    sa.Column("maybe_arrived", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("settled_at", Instant),
    sa.Column("outcome", sa.String(40)),
    sa.Column("held_for", sa.String(12)),
    sa.Column("worker", sa.String(16)),
    sa.Column("resend_at", Instant),
    sa.UniqueConstraint("kind", "subject"),
)
# Rows that wait, are held, are being sent, or are settled have one partial index each, so that no query reads rows of
# another group. A database uses a partial index only if the query repeats its condition word for word: see in_state().
_CLAIMABLE, _HELD, _SENDING, _SETTLED = (
    sa.text(condition)
    for condition in (
        "state IN ('due', 'retry', 'ambiguous')",
        "state = 'held'",
        "state = 'sending'",
        "settled_at IS NOT NULL",
    )
)
_c = outbox.c
for _name, _columns, _where in (
    ("claimable", (_c.due_at, _c.id), _CLAIMABLE),
    ("claimable_by_kind", (_c.kind, _c.due_at, _c.id), _CLAIMABLE),
    ("held", (_c.due_at, _c.id), _HELD),
    ("sending", (_c.lease_until,), _SENDING),
    ("settled", (_c.settled_at,), _SETTLED),
):
    sa.Index(f"ix_outbox_{_name}", *_columns, sqlite_where=_where, postgresql_where=_where)
sa.Index("ix_outbox_order_key", _c.tenant, _c.order_key)

lanes = sa.Table(
    "outbox_lanes",
    metadata,
    sa.Column("lane", sa.String(100), primary_key=True),
    sa.Column("failures", sa.Integer, nullable=False, server_default="0"),
    sa.Column("paused_until", Instant),
    sa.Column("broken_since", Instant),
    sa.Column("reason", sa.String(40)),
    sa.Column("failing_since", Instant),
)
"""failing_since: when its first failure was recorded; NULL where the previous release recorded it."""

workers = sa.Table(
    "outbox_workers",
    metadata,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("since", Instant, nullable=False),
    sa.Column("seen_at", Instant, nullable=False),
    sa.Column("started_at", Instant),
    sa.Column("load", sa.Text),
)


def family(lane: str) -> str:
    """Return the first part of a lane's name, shared by all lanes to one destination: `mail` for `mail:acme`.

    A row of `outbox_lanes` may be for a family instead of a single lane.
    """
    return lane.partition(":")[0]


def is_first() -> sa.ColumnElement[bool]:
    """Return a condition on `outbox`: no earlier row of the same order_key is unfinished."""
    c, earlier = outbox.c, outbox.alias("earlier")
    unfinished = (
        sa.select(earlier.c.id)
        .where(
            earlier.c.tenant == c.tenant,
            earlier.c.order_key == c.order_key,
            earlier.c.id < c.id,
            earlier.c.state.in_(UNFINISHED),
            # Otherwise a bot that uses a person's address would block that person's deliveries.
            earlier.c.held_for.is_(None),
        )
        .limit(1)  # looked up per row: with a join, PostgreSQL would read all waiting rows to find a few
        .correlate(outbox)
        .scalar_subquery()
    )
    return sa.or_(c.order_key.is_(None), unfinished.is_(None))


def of_kinds(kinds: Collection[str]) -> sa.ColumnElement[bool]:
    """Return a condition on `outbox`: the row is of one of these kinds.

    The column is wrapped in an expression because SQLite would otherwise use the unique index of kind and subject, and
    read every finished row to find those that wait.
    """
    return outbox.c.kind.concat("").in_(kinds)


def claimable() -> sa.ColumnElement[bool]:
    """Return a condition on `outbox`: the row waits for an attempt."""
    return _literally(_CLAIMABLE)


def in_state(state: OutboxState) -> sa.ColumnElement[bool]:
    """Return a condition on `outbox`: the row is in this state. It repeats the words of the partial index."""
    if state is OutboxState.HELD:
        return _literally(_HELD)
    if state is OutboxState.SENDING:
        return _literally(_SENDING)
    among = _CLAIMABLE if state in CLAIMABLE else _SETTLED
    return sa.and_(_literally(among), outbox.c.state == state)


def _literally(condition: sa.TextClause) -> sa.ColumnElement[bool]:
    # Untyped: for a Boolean, SQLAlchemy would append `= 1` on SQLite, and the index would no longer be recognised.
    return sa.literal_column(f"outbox.{condition.text}")
