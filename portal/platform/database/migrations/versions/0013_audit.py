"""The audit log of operators' actions, and daily counts of rejected files by reason."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add tables, which the previous release ignores."""
    op.create_table(
        "audit_log",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("who", sa.String(100), nullable=False),
        sa.Column("way", sa.String(10), nullable=False),
        sa.Column("what", sa.String(20), nullable=False),
        sa.Column("reference", sa.String(32)),
        sa.Column("tenant", sa.String(50)),
        sa.Column("outcome", sa.String(10), nullable=False),
    )
    op.create_index("ix_audit_log_reference", "audit_log", ["reference"])
    op.create_index("ix_audit_log_at", "audit_log", ["at"])
    op.create_table(
        "refused_uploads",
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("tenant", sa.String(50), primary_key=True),
        sa.Column("reason", sa.String(20), primary_key=True),
        sa.Column("count", sa.Integer, nullable=False),
    )
