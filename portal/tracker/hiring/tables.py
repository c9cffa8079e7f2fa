"""Tables of the hiring pages; only this package writes them."""

import sqlalchemy as sa

from portal.platform.database.db import Instant
from portal.tracker.tables import ID, metadata

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

applications_seen = sa.Table(
    "applications_seen",
    metadata,
    sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), primary_key=True),
    sa.Column("vacancy_id", ID, primary_key=True),
    sa.Column("email", sa.String(320), primary_key=True),
    sa.Column("at", Instant, nullable=False),
)
"""at: up to this arrival (applications.turn), a colleague marked a job's applications as seen. Later ones are new."""


def _of_application() -> sa.ForeignKeyConstraint:
    """An application that is erased takes along what colleagues thought of it."""
    there = ["applications.tenant_id", "applications.id"]
    return sa.ForeignKeyConstraint(["tenant_id", "application_id"], there, ondelete="CASCADE")


notes = sa.Table(
    "notes",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("tenant_id", sa.Integer, nullable=False),
    sa.Column("application_id", ID, nullable=False),
    sa.Column("by", sa.String(320), nullable=False),
    sa.Column("at", Instant, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    _of_application(),
    sqlite_autoincrement=True,
)
sa.Index("ix_notes_application", notes.c.tenant_id, notes.c.application_id, notes.c.id)

ratings = sa.Table(
    "ratings",
    metadata,
    sa.Column("tenant_id", sa.Integer, primary_key=True),
    sa.Column("application_id", ID, primary_key=True),
    sa.Column("by", sa.String(320), primary_key=True),
    sa.Column("at", Instant, nullable=False),
    sa.Column("rating", sa.Integer, nullable=False),
    _of_application(),
)
"""rating: from 1 to 5."""
