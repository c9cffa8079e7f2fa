"""Code requests and sessions; only this package writes them, and soon deletes them: see sessions.forget_expired."""

import sqlalchemy as sa

from portal.platform.database.db import Instant, metadata

code_requests = sa.Table(
    "code_requests",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("purpose", sa.String(10), nullable=False),
    sa.Column("holder", sa.String(64), nullable=False),
    sa.Column("address", sa.String(64), nullable=False),
    sa.Column("sealed_address", sa.Text, nullable=False),
    sa.Column("locale", sa.String(20), nullable=False),
    sa.Column("asked_at", Instant, nullable=False),
    sa.Column("expires_at", Instant, nullable=False),
    sa.Column("code", sa.String(64)),
    sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
    sa.Column("used_at", Instant),
    # The outbox may still refer to a deleted request by its id, so ids are never reused.
    sqlite_autoincrement=True,
)
sa.Index("ix_code_requests_holder", code_requests.c.tenant, code_requests.c.holder)
sa.Index("ix_code_requests_address", code_requests.c.tenant, code_requests.c.address)

sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("token", sa.String(64), primary_key=True),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("address", sa.String(64), nullable=False),
    sa.Column("sealed_address", sa.Text, nullable=False),
    sa.Column("candidate", sa.String(64)),
    sa.Column("opened_at", Instant, nullable=False),
    sa.Column("used_at", Instant, nullable=False),
)
sa.Index("ix_sessions_address", sessions.c.tenant, sessions.c.address)
