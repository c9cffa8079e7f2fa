"""Files of erased people, until the storage has deleted them."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
runs_from = "0008"


def upgrade() -> None:
    """Add the table."""
    op.create_table("files_to_delete", sa.Column("key", sa.String(200), primary_key=True))
