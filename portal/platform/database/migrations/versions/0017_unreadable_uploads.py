"""Whether reading a stored CV failed, so that it is not tried again."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """A column with a default; the release before neither reads nor writes it."""
    op.add_column("uploads", sa.Column("unreadable", sa.Boolean, nullable=False, server_default=sa.false()))


def downgrade() -> None:
    """There is no way back: the release before works beside it."""
