"""A company's settings of the hiring pages, its own texts of replies, and the replies to applicants."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_INSTANT = sa.BigInteger


def upgrade() -> None:
    """Create the tables, and the index that finds applications that arrived since."""
    op.create_table(
        "hiring_settings",
        sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), primary_key=True),
        sa.Column("sender", sa.String(320)),
        sa.Column("retention_days", sa.Integer, nullable=False, server_default="183"),
        sa.Column("notified_turn", _INSTANT, nullable=False),
        sa.Column("digest_turn", _INSTANT, nullable=False),
        sa.Column("digest_at", _INSTANT, nullable=False),
    )
    op.create_table(
        "reply_templates",
        sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), primary_key=True),
        sa.Column("kind", sa.String(20), primary_key=True),
        sa.Column("locale", sa.String(20), primary_key=True),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "replies",
        sa.Column("letter", sa.String(32), primary_key=True),
        sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), nullable=False),
        sa.Column("application_id", sa.String(200), nullable=False),
        sa.Column("batch", sa.String(32)),
        sa.Column("by", sa.String(320), nullable=False),
        sa.Column("at", _INSTANT, nullable=False),
        sa.Column("due_at", _INSTANT, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("undone_at", _INSTANT),
    )
    op.create_index("ix_replies_application", "replies", ["tenant_id", "application_id"])
    op.create_index("ix_replies_batch", "replies", ["batch"])
    op.create_index("ix_applications_turn", "applications", ["tenant_id", "turn"])
