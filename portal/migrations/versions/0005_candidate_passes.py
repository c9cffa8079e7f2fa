"""When a pass over a tenant's candidates last succeeded, and how many have failed since."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add both; a pass that stands without an error succeeded when it was last made."""
    op.add_column("candidate_passes", sa.Column("succeeded_at", sa.BigInteger))
    op.add_column("candidate_passes", sa.Column("failures", sa.Integer, nullable=False, server_default="0"))
    op.execute("UPDATE candidate_passes SET succeeded_at = checked_at WHERE error IS NULL")


def downgrade() -> None:
    """Drop both."""
    op.drop_column("candidate_passes", "failures")
    op.drop_column("candidate_passes", "succeeded_at")
