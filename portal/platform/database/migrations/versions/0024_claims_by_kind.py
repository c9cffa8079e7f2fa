"""Waiting rows of the outbox by kind, so that a backlog of emails does not slow down claims of applications."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


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
