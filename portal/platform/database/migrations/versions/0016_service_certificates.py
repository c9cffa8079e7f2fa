"""Expiry dates of the certificates of tenants' services."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Add a table, which the previous release ignores."""
    op.create_table(
        "service_certificates",
        sa.Column("tenant", sa.String(50), primary_key=True),
        sa.Column("valid_until", sa.BigInteger, nullable=False),
    )
