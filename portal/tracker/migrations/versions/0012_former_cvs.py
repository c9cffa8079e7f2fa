"""CVs that a record no longer lists, so that they are erased with their person."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None
runs_from = "0011"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "former_cvs",
        sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), primary_key=True),
        sa.Column("candidate_id", sa.String(200), primary_key=True),
        sa.Column("key", sa.String(100), primary_key=True),
    )
