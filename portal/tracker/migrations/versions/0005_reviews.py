"""Notes and ratings of applications."""

import sqlalchemy as sa
from alembic import op

from portal.platform.database.db import NAMING

revision = "0005"
down_revision = "0004"

_ID = sa.String(200)
_metadata = sa.MetaData(naming_convention=NAMING)
_applications = sa.Table(
    "applications",
    _metadata,
    sa.Column("tenant_id", sa.Integer, primary_key=True),
    sa.Column("id", _ID, primary_key=True),
)


def _of_application() -> sa.ForeignKeyConstraint:
    there = ["applications.tenant_id", "applications.id"]
    return sa.ForeignKeyConstraint(["tenant_id", "application_id"], there, ondelete="CASCADE")


def upgrade() -> None:
    """Create the tables."""
    notes = sa.Table(
        "notes",
        _metadata,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("tenant_id", sa.Integer, nullable=False),
        sa.Column("application_id", _ID, nullable=False),
        sa.Column("by", sa.String(320), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        _of_application(),
        sqlite_autoincrement=True,
    )
    sa.Index("ix_notes_application", notes.c.tenant_id, notes.c.application_id, notes.c.id)
    ratings = sa.Table(
        "ratings",
        _metadata,
        sa.Column("tenant_id", sa.Integer, primary_key=True),
        sa.Column("application_id", _ID, primary_key=True),
        sa.Column("by", sa.String(320), primary_key=True),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("rating", sa.Integer, nullable=False),
        _of_application(),
    )
    _metadata.create_all(op.get_bind(), tables=[notes, ratings])
