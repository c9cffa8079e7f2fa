"""Filters by attributes that a tenant names, and by locations in any spelling."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add a column, and totals by location. The previous release updates neither; the next full sync corrects both."""
    op.add_column("vacancies", sa.Column("attributes", sa.Text, nullable=False, server_default=""))
    sqlite = op.get_bind().dialect.name == "sqlite"
    line_break = "char(10)" if sqlite else "chr(10)"
    op.execute(
        "INSERT INTO vacancy_totals (tenant, facet, value, n)"  # noqa: S608  ours
        f" SELECT tenant, 'place', country || {line_break} || city, sum(n) FROM vacancy_cells WHERE city <> ''"
        " GROUP BY tenant, country, city"
    )
    if sqlite:
        # SQLite counts by reading this index. PostgreSQL needs none, and its indexes hold no text of this length.
        counted = "country, city, employment_type, location_type, attributes, stage, opens_at, closes_at"
        op.execute(f"CREATE INDEX ix_vacancies_filters ON vacancies (tenant, publication, {counted})")
