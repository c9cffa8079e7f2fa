"""Heartbeats of workers, the worker that holds a row, and the earliest time at which a row may be resent."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
runs_from = "0011"


def upgrade() -> None:
    """Add a table and nullable columns. The previous release claims rows without them, and its leases stay valid."""
    op.create_table(
        "outbox_workers",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("since", sa.BigInteger, nullable=False),
        sa.Column("seen_at", sa.BigInteger, nullable=False),
    )
    op.add_column("outbox", sa.Column("worker", sa.String(16)))
    op.add_column("outbox", sa.Column("resend_at", sa.BigInteger))
