"""Job alerts: searches that people subscribed to, and when each job was first seen open."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add tables, which the previous release ignores."""
    op.create_table(
        "alerts",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("recipient", sa.String(64), nullable=False),
        sa.Column("same", sa.String(64), nullable=False),
        sa.Column("sealed", sa.Text, nullable=False),
        sa.Column("locale", sa.String(20), nullable=False),
        sa.Column("every", sa.String(10), nullable=False),
        sa.Column("asked_at", sa.BigInteger, nullable=False),
        sa.Column("confirmed_at", sa.BigInteger),
        sa.Column("seen", sa.Integer, nullable=False, server_default="0"),
        sa.Column("due_at", sa.BigInteger),
        sa.Column("ends_at", sa.BigInteger, nullable=False),
        sa.Column("warned_at", sa.BigInteger),
    )
    op.create_index("ix_alerts_recipient", "alerts", ["tenant", "recipient"])
    op.create_index("ix_alerts_same", "alerts", ["same"], unique=True)
    op.create_index("ix_alerts_due_at", "alerts", ["due_at"])
    op.create_index("ix_alerts_ends_at", "alerts", ["ends_at"])
    op.create_table(
        "alert_looks",
        sa.Column("tenant", sa.String(50), primary_key=True),
        sa.Column("version", sa.String(64), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
    )
    op.create_table(
        "alert_openings",
        sa.Column("row", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
    )
    op.create_index("ix_alert_openings_number", "alert_openings", ["tenant", "number"])
