"""Whether reading a stored CV failed, so that it is not tried again."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Add a column with a default, which the previous release ignores."""
    op.add_column("uploads", sa.Column("unreadable", sa.Boolean, nullable=False, server_default=sa.false()))
