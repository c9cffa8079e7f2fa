"""The first schema."""

from portal.platform.database.migrations.initial import deliveries, self_service, sync_lists, vacancies

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create every table. Later migrations only add; redundant parts are removed a release later."""
    deliveries.create()
    sync_lists.create()
    vacancies.create()
    self_service.create()
