"""Logos and header pictures, fetched and checked by a worker and served by the portal."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add a table, which the previous release ignores."""
    op.create_table(
        "pictures",
        sa.Column("tenant", sa.String(50), primary_key=True),
        sa.Column("kind", sa.String(10), primary_key=True),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("due_at", sa.BigInteger, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False, server_default="0"),
        sa.Column("problem", sa.Text),
        sa.Column("digest", sa.String(32)),
        sa.Column("media_type", sa.String(30)),
        sa.Column("width", sa.Integer),
        sa.Column("height", sa.Integer),
        sa.Column("body", sa.LargeBinary),
    )
