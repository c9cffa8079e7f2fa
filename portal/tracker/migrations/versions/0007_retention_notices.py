"""Which jobs' applications will be erased, and when owners were notified."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "retention_notices",
        sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), primary_key=True),
        sa.Column("vacancy_id", sa.String(200), primary_key=True),
        sa.Column("told_at", sa.BigInteger, nullable=False),
    )
