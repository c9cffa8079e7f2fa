"""Which secret keys were ever used, so that a missing one is noticed."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Add a table, which the previous release ignores."""
    op.create_table(
        "secret_keys",
        sa.Column("fingerprint", sa.String(16), primary_key=True),
        sa.Column("first_used_at", sa.BigInteger, nullable=False),
    )
