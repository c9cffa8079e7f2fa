"""With which CV an application came, so that the CV is erased with it."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
runs_from = "0010"


def upgrade() -> None:
    """Add the column and its index."""
    op.add_column("applications", sa.Column("cv", sa.Text))
    op.create_index("ix_applications_cv", "applications", ["tenant_id", "cv"])
