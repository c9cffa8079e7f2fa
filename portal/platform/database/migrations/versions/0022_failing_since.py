"""Since when a part or a service has been failing, whichever process met it; submissions by tenant and by job."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """A table and indexes that the release before does not know, and a column that it leaves empty."""
    op.create_table(
        "part_failures",
        sa.Column("part", sa.String(20), primary_key=True),
        sa.Column("since", sa.BigInteger, nullable=False),
    )
    op.add_column("outbox_lanes", sa.Column("failing_since", sa.BigInteger))
    op.create_index("ix_deliveries_tenant", "deliveries", ["tenant", "accepted_at", "reference"])
    op.create_index("ix_deliveries_job", "deliveries", ["tenant", "about", "accepted_at", "reference"])


def downgrade() -> None:
    """There is no way back: the release before works beside it."""
