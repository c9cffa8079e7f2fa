"""Applications are seen by a company, not by each colleague; and an index for replies that are not sent yet."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
runs_from = "0008"


def upgrade() -> None:
    """Keep the latest mark of each job, without the address of the colleague who made it."""
    marks = sa.text("SELECT tenant_id, vacancy_id, MAX(at) AS at FROM applications_seen GROUP BY tenant_id, vacancy_id")
    latest = [dict(row._mapping) for row in op.get_bind().execute(marks)]
    op.drop_table("applications_seen")
    seen = op.create_table(
        "applications_seen",
        sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), primary_key=True),
        sa.Column("vacancy_id", sa.String(200), primary_key=True),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.bulk_insert(seen, latest)
    op.create_index("ix_replies_due", "replies", ["tenant_id", "due_at"])
