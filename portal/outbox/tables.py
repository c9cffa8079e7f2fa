"""Outbox rows and lanes; written by this package alone."""

import sqlalchemy as sa

from portal.db import Instant, metadata

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
    sa.UniqueConstraint("kind", "subject"),
)
sa.Index("ix_outbox_state_due_at", outbox.c.state, outbox.c.due_at)
_claimable = sa.text("state IN ('due', 'retry', 'ambiguous')")
sa.Index("ix_outbox_claimable", outbox.c.due_at, outbox.c.id, sqlite_where=_claimable, postgresql_where=_claimable)
"""What waits, in the order in which it is claimed; the rest, which grows for ever, is not in it."""
sa.Index("ix_outbox_state_lease_until", outbox.c.state, outbox.c.lease_until)
sa.Index("ix_outbox_state_settled_at", outbox.c.state, outbox.c.settled_at)
sa.Index("ix_outbox_order_key", outbox.c.tenant, outbox.c.order_key)

lanes = sa.Table(
    "outbox_lanes",
    metadata,
    sa.Column("lane", sa.String(100), primary_key=True),
    sa.Column("failures", sa.Integer, nullable=False, server_default="0"),
    sa.Column("paused_until", Instant),
    sa.Column("broken_since", Instant),
    sa.Column("reason", sa.String(40)),
)
