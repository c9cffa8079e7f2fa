"""Outbox rows and lanes; written by this package alone."""

from collections.abc import Collection

import sqlalchemy as sa

from portal.db import Instant, metadata
from portal.outbox.states import CLAIMABLE, State

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
# What waits, what is held, what is being sent and what is settled have an index each, so that none reads another's
# rows. A database takes such an index only for a condition that it finds in the query word for word: see in_state().
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
)

workers = sa.Table(
    "outbox_workers",
    metadata,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("since", Instant, nullable=False),
    sa.Column("seen_at", Instant, nullable=False),
)


def family(lane: str) -> str:
    """What all lanes of this name's first part lead to: `mail` of `mail:acme`. A row of `lanes` may be a family's."""
    return lane.partition(":")[0]


def of_kinds(kinds: Collection[str]) -> sa.ColumnElement[bool]:
    """A condition on `outbox`. As an expression, because SQLite would take the index of kind and subject for it, and
    read everything that is finished to find what waits.
    """
    return outbox.c.kind.concat("").in_(kinds)


def claimable() -> sa.ColumnElement[bool]:
    """A condition on `outbox`: it waits for an attempt."""
    return _literally(_CLAIMABLE)


def in_state(state: State) -> sa.ColumnElement[bool]:
    """A condition on `outbox`, with the words that the state's index wants."""
    if state is State.HELD:
        return _literally(_HELD)
    if state is State.SENDING:
        return _literally(_SENDING)
    among = _CLAIMABLE if state in CLAIMABLE else _SETTLED
    return sa.and_(_literally(among), outbox.c.state == state)


def _literally(condition: sa.TextClause) -> sa.ColumnElement[bool]:
    # Of no type: as a Boolean, SQLAlchemy would write `= 1` behind it for SQLite, and no index would be recognised.
    return sa.literal_column(f"outbox.{condition.text}")
