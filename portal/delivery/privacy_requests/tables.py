"""Requests that a tenant must respond to, and tombstones; only this package writes them.

sealed_address is null once a request is done, and after a restore lost it.
"""

import sqlalchemy as sa

from portal.platform.database.db import Instant, metadata

owed_requests = sa.Table(
    "owed_requests",
    metadata,
    sa.Column("reference", sa.String(32), primary_key=True),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("kind", sa.String(10), nullable=False),
    sa.Column("about", sa.String(32)),
    sa.Column("address", sa.String(64), nullable=False),
    sa.Column("sealed_address", sa.Text),
    sa.Column("locale", sa.String(20), nullable=False),
    sa.Column("asked_at", Instant, nullable=False),
    sa.Column("due_at", Instant, nullable=False),
    sa.Column("done_at", Instant),
)
sa.Index("ix_owed_requests_address", owed_requests.c.tenant, owed_requests.c.address)
_open = sa.text("done_at IS NULL")
sa.Index("ix_owed_requests_open", owed_requests.c.due_at, sqlite_where=_open, postgresql_where=_open)

tombstones = sa.Table(
    "tombstones",
    metadata,
    sa.Column("key", sa.String(100), primary_key=True),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("erased_at", Instant, nullable=False),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("stored_at", Instant),
)
"""People who were erased, as keyed hashes. key: of its object in PORTAL_ERASURES; stored_at: null until it is there."""
