"""The index of the outbox that the portal's database got with its migration 0024: both have the same tables."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add an index, of which the previous release makes no use."""
    waiting = sa.text("state IN ('due', 'retry', 'ambiguous')")
    op.create_index(
        "ix_outbox_claimable_by_kind",
        "outbox",
        ["kind", "due_at", "id"],
        sqlite_where=waiting,
        postgresql_where=waiting,
    )
