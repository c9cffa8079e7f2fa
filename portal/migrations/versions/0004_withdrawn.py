"""When a submission was withdrawn by its applicant."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the time."""
    op.add_column("submissions", sa.Column("withdrawn_at", sa.BigInteger))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("submissions", "withdrawn_at")
