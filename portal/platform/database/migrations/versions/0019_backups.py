"""When the last backup was made, and which backups were restored."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Add two tables, which the previous release ignores."""
    op.create_table(
        "backups",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("taken_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "restores",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("taken_at", sa.BigInteger, nullable=False),
        sa.Column("restored_at", sa.BigInteger, nullable=False),
    )
