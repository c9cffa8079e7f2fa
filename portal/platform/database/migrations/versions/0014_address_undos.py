"""Changes of email addresses that the former addresses can still undo."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add a table, which the previous release ignores."""
    op.create_table(
        "address_undos",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("candidate", sa.String(64), nullable=False),
        sa.Column("reference", sa.String(32), nullable=False),
        sa.Column("token", sa.String(64), nullable=False, unique=True),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("sealed", sa.Text),
        sa.Column("accepted_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("undone_by", sa.String(32)),
        sa.Column("moved_at", sa.BigInteger),
    )
    for columns in (["tenant", "candidate"], ["tenant", "address"], ["reference"], ["undone_by"], ["expires_at"]):
        op.create_index(f"ix_address_undos_{columns[-1]}", "address_undos", columns)
