"""What looked like a program, what a delivery is held for, and the file of a form found by its form."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nullable columns and indexes alone: the release before goes on beside them."""
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


def downgrade() -> None:
    """A release goes back without it: what it does not know is null."""
