"""The job index of a simulated service, on both databases."""

from dataclasses import dataclass, field, replace
from datetime import datetime

import pytest

from portal.background.sync import state
from portal.background.sync.run import PassOptions, Report
from portal.background.sync.schedule import SyncedList, due
from portal.background.sync.state import SyncIntervals
from portal.background.sync.tables import ListName
from portal.jobs.mirror import mirror
from portal.jobs.mirror.ingest import rules_hash
from portal.jobs.posting import Closed, Posting, Query, Results
from portal.jobs.search import search
from portal.platform.database.db import Database
from portal.tenants.model import PublishSettings, Site, Tenant, TrackerLink
from tests.jobs.standin import StandIn
from tests.told_clock import ToldClock

ACME = Tenant(
    slug="acme",
    name="Acme",
    tracker=TrackerLink("http://127.0.0.1", "acme", "k" * 20),
    publish=PublishSettings(stages=frozenset({"Open"})),
    site=Site(locales=("en", "de")),
)


@dataclass
class Mirror:
    """One tenant's job index, its service and the time."""

    database: Database
    clock: ToldClock
    service: StandIn
    tenant: Tenant = ACME
    reports: list[Report] = field(default_factory=list)

    def sync(self, *, full: bool = False, force: bool = False) -> Report:
        order = PassOptions(full=full, force=force)
        report = mirror.sync(self.database, self.service.client(), self.tenant, self.clock, order)
        self.reports.append(report)
        return report

    def wanted(self, *tenants: Tenant, at: datetime | None = None) -> list[tuple[str, bool]]:
        """Return the tenants with a sync due now, and whether it is a full one."""
        synced_list = SyncedList(ListName.VACANCIES, rules_hash, lambda *_: Report())
        known, now = state.all_of(self.database), at or self.clock.now()
        found = due(known, [synced_list], tenants or [self.tenant], now, SyncIntervals(60, 86_400))
        return sorted((one.tenant.slug, one.whole) for one in found)

    def find(self, text: str = "", **query: object) -> Results:
        return search.find(self.database, self.tenant, Query(text=text, **query), self.clock.now())  # type: ignore[arg-type]  tests name fields of Query

    def titles(self, text: str = "", **query: object) -> list[str]:
        return [hit.posting.title for hit in self.find(text, **query).hits]

    def posting(self, posting_id: str) -> Posting | Closed | None:
        return search.posting(self.database, self.tenant, posting_id, self.clock.now())

    def publish(self, **rule: object) -> None:
        """Change the tenant's file."""
        self.tenant = replace(self.tenant, publish=replace(self.tenant.publish, **rule))  # type: ignore[arg-type]  tests name fields of PublishSettings


@pytest.fixture
def mirrored(database: Database) -> Mirror:
    clock = ToldClock()
    return Mirror(database, clock, StandIn(clock))
