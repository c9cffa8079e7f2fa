"""Since when a part or a tenant's service has been failing, for all processes; indexes of submissions."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Add a table and indexes, which the previous release ignores, and a column, which it leaves empty."""
    op.create_table(
        "part_failures",
        sa.Column("part", sa.String(20), primary_key=True),
        sa.Column("since", sa.BigInteger, nullable=False),
    )
    op.add_column("outbox_lanes", sa.Column("failing_since", sa.BigInteger))
    op.create_index("ix_deliveries_tenant", "deliveries", ["tenant", "accepted_at", "reference"])
    op.create_index("ix_deliveries_job", "deliveries", ["tenant", "about", "accepted_at", "reference"])
