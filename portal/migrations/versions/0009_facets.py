"""Filters by attributes that a tenant names, and by places however they are spelt."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a column, and the sums by place; the release before keeps neither, and the next full pass mends both."""
    op.add_column("vacancies", sa.Column("attributes", sa.Text, nullable=False, server_default=""))
    op.execute(
        "INSERT INTO vacancy_totals (tenant, facet, value, n)"
        " SELECT tenant, 'place', country || chr(10) || city, sum(n) FROM vacancy_cells WHERE city <> ''"
        " GROUP BY tenant, country, city".replace(
            "chr(10)", "char(10)" if op.get_bind().dialect.name == "sqlite" else "chr(10)"
        )
    )


def downgrade() -> None:
    """There is no way back: the release before works beside it."""
