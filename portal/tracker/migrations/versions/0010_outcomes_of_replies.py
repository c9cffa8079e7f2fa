"""Whether a reply was sent, stored for longer than in the outbox."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
runs_from = "0009"


def upgrade() -> None:
    """Add the column."""
    op.add_column("replies", sa.Column("outcome", sa.String(10)))
