"""Workers that show that they are alive, whose rows are whose, and what may be asked for but not sent again yet."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None
runs_from = "0011"


def upgrade() -> None:
    """A table and columns that may be empty; the release before claims without them, and its leases hold."""
    op.create_table(
        "outbox_workers",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("since", sa.BigInteger, nullable=False),
        sa.Column("seen_at", sa.BigInteger, nullable=False),
    )
    op.add_column("outbox", sa.Column("worker", sa.String(16)))
    op.add_column("outbox", sa.Column("resend_at", sa.BigInteger))


def downgrade() -> None:
    """There is no way back: the release before works beside them."""
