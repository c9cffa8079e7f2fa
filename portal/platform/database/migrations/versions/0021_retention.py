"""Notices that failed deliveries will be deleted, and tombstones of people who were erased."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Add two tables, which the previous release ignores."""
    op.create_table(
        "deletion_notices",
        sa.Column("reference", sa.String(32), primary_key=True),
        sa.Column("letter", sa.String(32), nullable=False),
        sa.Column("queued_at", sa.BigInteger, nullable=False),
        sa.Column("told_at", sa.BigInteger),
    )
    op.create_table(
        "tombstones",
        sa.Column("key", sa.String(100), primary_key=True),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("erased_at", sa.BigInteger, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("stored_at", sa.BigInteger),
    )
