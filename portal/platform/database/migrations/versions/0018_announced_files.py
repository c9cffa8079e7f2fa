"""The network that announced a file, and how many bytes of the file count against that network's limit."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Add columns, which the previous release leaves empty."""
    op.add_column("asked_uploads", sa.Column("network", sa.String(32)))
    op.add_column("asked_uploads", sa.Column("wide_network", sa.String(32)))
    op.add_column("asked_uploads", sa.Column("charged", sa.BigInteger))
    op.create_index("ix_asked_uploads_wide_network", "asked_uploads", ["wide_network"])
