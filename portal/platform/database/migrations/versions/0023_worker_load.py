"""When each worker started, and how busy its threads were at its last heartbeat."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Add columns, which the previous release leaves empty."""
    op.add_column("outbox_workers", sa.Column("started_at", sa.BigInteger))
    op.add_column("outbox_workers", sa.Column("load", sa.Text))
