"""Until when the certificates of tenants' services are valid."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """A new table; the release before does not know it."""
    op.create_table(
        "service_certificates",
        sa.Column("tenant", sa.String(50), primary_key=True),
        sa.Column("valid_until", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    """There is no way back: the release before works beside it."""
