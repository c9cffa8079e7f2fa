"""Posting ids that a vacancy had while it was public, and has no more."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "vacancy_former_ids",
        sa.Column("tenant", sa.String(50), primary_key=True),
        sa.Column("posting_id", sa.Text, primary_key=True),
        sa.Column("row", sa.Integer, sa.ForeignKey("vacancies.row", ondelete="CASCADE"), nullable=False),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("vacancy_former_ids")
