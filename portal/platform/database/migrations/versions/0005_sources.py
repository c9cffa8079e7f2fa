"""Where a candidate came from, according to the query parameters of the application form."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add a nullable column, which the previous release ignores."""
    op.add_column("deliveries", sa.Column("sources", sa.Text))
