"""Where an application came from: what the address of its form said."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """A nullable column alone: the release before goes on beside it."""
    op.add_column("deliveries", sa.Column("sources", sa.Text))


def downgrade() -> None:
    """A release goes back without it: what it does not know is null."""
