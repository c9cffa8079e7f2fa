"""The last notice to search engines about each posting."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add tables, which the previous release ignores."""
    op.create_table(
        "pushes",
        sa.Column("tenant", sa.String(50), primary_key=True),
        sa.Column("channel", sa.String(20), primary_key=True),
        sa.Column("posting_id", sa.Text, primary_key=True),
        sa.Column("is_open", sa.Boolean, nullable=False),
        sa.Column("changed_at", sa.BigInteger, nullable=False),
        sa.Column("batch", sa.String(32), nullable=False),
    )
    op.create_index("ix_pushes_batch", "pushes", ["batch"])
    op.create_table(
        "push_looks",
        sa.Column("tenant", sa.String(50), primary_key=True),
        sa.Column("channel", sa.String(20), primary_key=True),
        sa.Column("version", sa.String(64), nullable=False),
    )
