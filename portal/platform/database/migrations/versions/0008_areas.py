"""The region of a vacancy, so that a search for a region need not list every town in it."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add a column, which the previous release leaves empty."""
    op.add_column("vacancies", sa.Column("area", sa.String(20)))
    op.create_index("ix_vacancies_area", "vacancies", ["tenant", "publication", "country", "location_type", "area"])
