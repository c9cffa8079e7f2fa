"""Drafts of jobs, and up to when a job's applications were seen."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def _key(name: str, length: int) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), primary_key=True)


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "job_drafts",
        sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), primary_key=True),
        _key("id", 200),
        sa.Column("is_changed", sa.Boolean, nullable=False),
        sa.Column("base", sa.BigInteger),
        sa.Column("edited_by", sa.String(320), nullable=False),
        sa.Column("edited_at", sa.BigInteger, nullable=False),
        sa.Column("fields", sa.Text, nullable=False),
    )
    op.create_table(
        "applications_seen",
        sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), primary_key=True),
        _key("vacancy_id", 200),
        _key("email", 320),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
