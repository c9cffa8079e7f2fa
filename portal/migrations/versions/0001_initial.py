"""The first schema."""

from portal.migrations.initial import deliveries, passes, self_service, vacancies

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create every table. From here on migrations only expand, and contract a release later."""
    deliveries.create()
    passes.create()
    vacancies.create()
    self_service.create()


def downgrade() -> None:
    """There is nothing before it."""
