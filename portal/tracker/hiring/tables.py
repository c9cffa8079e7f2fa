"""Tables of the hiring pages; only this package writes them."""

import sqlalchemy as sa

from portal.platform.database.db import Instant
from portal.tracker.tables import metadata

colleagues = sa.Table(
    "colleagues",
    metadata,
    sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), primary_key=True),
    sa.Column("email", sa.String(320), primary_key=True),
    sa.Column("role", sa.String(10), nullable=False),
    sa.Column("notify", sa.String(10), nullable=False),
    sa.Column("locale", sa.String(20)),
    sa.Column("added_at", Instant, nullable=False),
    sa.Column("seen_at", Instant),
)
"""email: in lower case. locale: the language of pages and emails, if chosen. seen_at: last signed in."""

hiring_log = sa.Table(
    "hiring_log",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), nullable=False),
    sa.Column("at", Instant, nullable=False),
    sa.Column("by", sa.String(320), nullable=False),
    sa.Column("what", sa.String(30), nullable=False),
    sa.Column("about", sa.String(320)),
    sqlite_autoincrement=True,
)
"""by: a colleague's address. about: another colleague's address, or the id of a job or application."""
sa.Index("ix_hiring_log_tenant", hiring_log.c.tenant_id, hiring_log.c.id)
