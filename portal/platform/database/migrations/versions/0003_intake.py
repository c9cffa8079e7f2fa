"""Why a delivery may come from a bot, what a held delivery waits for, and an index of uploads by their form."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add nullable columns and indexes, which the previous release ignores."""
    suspected = sa.text("suspicion IS NOT NULL")
    op.add_column("deliveries", sa.Column("suspicion", sa.String(60)))
    op.create_index(
        "ix_deliveries_suspicion",
        "deliveries",
        ["tenant", "suspicion"],
        sqlite_where=suspected,
        postgresql_where=suspected,
    )
    op.add_column("outbox", sa.Column("held_for", sa.String(12)))
    op.create_index("ix_uploads_form", "uploads", ["form_id"])
