"""The first schema."""

from portal.platform.database.migrations.initial import deliveries, self_service, sync_lists, vacancies

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create every table. From here on migrations only expand, and contract a release later."""
    deliveries.create()
    sync_lists.create()
    vacancies.create()
    self_service.create()


def downgrade() -> None:
    """There is nothing before it."""
