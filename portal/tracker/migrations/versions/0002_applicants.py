"""Adds the applicant to whom an Idempotency-Key belongs."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the applicant to stored responses; NULL for those of the previous release."""
    op.add_column("answered", sa.Column("applicant", sa.String(64)))
