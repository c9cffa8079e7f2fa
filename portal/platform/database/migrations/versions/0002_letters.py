"""Quotas of emails that anybody can cause, sign-in codes, and proofs of mailboxes, counted for each mailbox."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    instant = sa.BigInteger
    op.add_column("letters", sa.Column("mailbox", sa.String(64)))
    op.add_column("letters", sa.Column("gathering", sa.String(32)))
    op.create_index("ix_letters_mailbox", "letters", ["mailbox", "gathering", "due_at"])
    gathered = sa.text("gathering IS NOT NULL")
    op.create_index("ix_letters_gathering", "letters", ["gathering"], sqlite_where=gathered, postgresql_where=gathered)
    op.create_table(
        "mailbox_events",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("mailbox", sa.String(64), nullable=False),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("what", sa.String(10), nullable=False),
        sa.Column("network", sa.String(64), nullable=False),
        sa.Column("at", instant, nullable=False),
    )
    op.create_index("ix_mailbox_events_mailbox", "mailbox_events", ["mailbox", "what", "at"])
    op.create_index("ix_mailbox_events_at", "mailbox_events", ["at"])
