"""Uploads that browsers send directly to file storage, and the number of pages of a stored file."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add a table, which the previous release ignores, and a column, which it leaves empty."""
    op.add_column("uploads", sa.Column("pages", sa.Integer))
    op.create_table(
        "asked_uploads",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("form_id", sa.String(32), nullable=False),
        sa.Column("key", sa.String(100), nullable=False),
        sa.Column("sealed", sa.Text, nullable=False),
        sa.Column("size", sa.BigInteger),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("checking_until", sa.BigInteger),
        sa.Column("refused", sa.String(50)),
        sa.Column("handle", sa.String(32)),
    )
    op.create_index("ix_asked_uploads_created_at", "asked_uploads", ["created_at"])
    op.create_index("ix_asked_uploads_form", "asked_uploads", ["form_id"])
