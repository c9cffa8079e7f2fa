"""Table of the sync state of each list of a tenant's service."""

import sqlalchemy as sa
from alembic import op


def create() -> None:
    """Create the table of background/sync."""
    instant = sa.BigInteger
    op.create_table(
        "passes",
        sa.Column("list", sa.String(20), primary_key=True),
        sa.Column("tenant", sa.String(50), primary_key=True),
        sa.Column("owner", sa.String(32)),
        sa.Column("watermark", instant),
        sa.Column("checked_at", instant),
        sa.Column("succeeded_at", instant),
        sa.Column("full_at", instant),
        sa.Column("full_due_at", instant),
        sa.Column("failed_at", instant),
        sa.Column("failing_since", instant),
        sa.Column("failures", sa.Integer, nullable=False, server_default="0"),
        sa.Column("not_before", instant),
        sa.Column("rules", sa.String(32)),
        sa.Column("error", sa.Text),
        sa.Column("alarm", sa.Text),
    )
