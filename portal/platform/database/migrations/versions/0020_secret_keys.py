"""Which secret keys were ever used, so that a missing one is noticed."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """A table that the release before does not know."""
    op.create_table(
        "secret_keys",
        sa.Column("fingerprint", sa.String(16), primary_key=True),
        sa.Column("first_used_at", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    """There is no way back: the release before works beside it."""
