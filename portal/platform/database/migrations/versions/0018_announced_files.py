"""Which network announced a file, and how many bytes of it count for that network."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Columns that the release before leaves empty."""
    op.add_column("asked_uploads", sa.Column("network", sa.String(32)))
    op.add_column("asked_uploads", sa.Column("wide_network", sa.String(32)))
    op.add_column("asked_uploads", sa.Column("charged", sa.BigInteger))
    op.create_index("ix_asked_uploads_wide_network", "asked_uploads", ["wide_network"])


def downgrade() -> None:
    """There is no way back: the release before works beside them."""
