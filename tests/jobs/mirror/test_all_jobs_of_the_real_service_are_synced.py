"""The demo's two companies, loaded into the real service and synced through the real client."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from portal.adapters.tracker_client.client import TrackerClient
from portal.adapters.tracker_client.errors import TrackerError
from portal.background.sync.run import PassOptions, Report
from portal.contract.vacancies import Vacancy
from portal.demo.vacancies import records
from portal.jobs.mirror import mirror, state
from portal.jobs.posting import Closed, Posting, Query, Results
from portal.jobs.search import search
from portal.platform.config.settings import TrackerSettings
from portal.platform.database.db import Database
from portal.tenants.model import PublishSettings, Site, Tenant, TrackerLink
from portal.tracker import administration, loading
from portal.tracker.app import create_tracker
from portal.tracker.tables import open_database
from tests.parts import tracker_edits
from tests.schemas import TRACKER, sqlite_copy
from tests.told_clock import ToldClock

SLUGS = ("acme", "globex")


@dataclass
class Both:
    """The service, and the job index of one of its tenants."""

    service: Database
    mirror: Database
    clock: ToldClock
    tenant: Tenant
    client: TrackerClient

    def sync(self, *, full: bool = False) -> Report:
        return mirror.sync(self.mirror, self.client, self.tenant, self.clock, PassOptions(full=full))

    def find(self, text: str = "", size: int = 100) -> Results:
        return search.find(self.mirror, self.tenant, Query(text=text, size=size), self.clock.now())

    def public(self) -> dict[str, str]:
        """Read the public jobs from the service, page by page."""
        now, found, cursor = self.clock.now(), dict[str, str](), None
        while True:
            page = self.client.vacancies(cursor=cursor, limit=50)
            found |= {v.id: v.name.name for v in page.items if v.name and v.name.name and _is_open(v, now)}
            cursor = page.next_cursor
            if not page.has_next:
                return found


def _is_open(vacancy: Vacancy, now: object) -> bool:
    stage = vacancy.stage.stage.name if vacancy.stage and vacancy.stage.stage else None
    start = vacancy.start_at.start_at if vacancy.start_at else None
    end = vacancy.end_at.end_at if vacancy.end_at else None
    return stage == "Open" and (start is None or start <= now) and (end is None or now < end)  # type: ignore[operator]  an instant


@pytest.fixture(params=SLUGS)
def both(request: pytest.FixtureRequest, database: Database, tmp_path: Path) -> Iterator[Both]:
    slug, clock = str(request.param), ToldClock()
    service = open_database(sqlite_copy(tmp_path / "tracker.db", TRACKER))
    app = create_tracker(TrackerSettings(database_url=service.url), clock=clock, database=service)
    administration.add_tenant(service, clock, slug, slug.title())
    key = administration.create_key(service, clock, slug)
    loading.load(service, clock, slug, list(records(slug, clock.now())))
    tenant = Tenant(
        slug=slug,
        name=slug.title(),
        tracker=TrackerLink("http://127.0.0.1", slug, key),
        publish=PublishSettings(stages=frozenset({"Open"}), show_salary=True, show_client=True),
        site=Site(locales=("en",)),
    )
    link = tenant.tracker
    client = TrackerClient(
        base_url=link.base_url, slug=slug, api_key=key, clock=clock, transport=httpx.WSGITransport(app=app)
    )
    yield Both(service, database, clock, tenant, client)
    service.close()


def test_every_public_job_is_shown_and_no_other(both: Both):
    report = both.sync()
    assert (report.bad, report.alarms) == (0, [])
    found = both.find()
    assert {hit.posting.id: hit.posting.title for hit in found.hits} == both.public()
    assert found.total == len(found.hits) > 15
    assert all(hit.posting.place.country is None or len(hit.posting.place.country) == 2 for hit in found.hits)
    assert all(hit.summary for hit in found.hits)
    assert state.problems(both.mirror, both.tenant, both.clock.now()) == []


def test_a_week_later_they_are_equal_without_another_sync(both: Both):
    both.sync()
    for _ in range(14):
        both.clock.pass_time(timedelta(days=1).total_seconds())
        found = both.find()
        assert {hit.posting.id for hit in found.hits} == both.public().keys()
        assert (
            found.total
            == len(found.hits)
            == sum(choice.count for choice in found.employment_types)
            + sum(1 for hit in found.hits if hit.posting.employment_type is None)
        )


def test_a_recruiters_changes_are_visible_after_one_sync(both: Both):
    both.sync()
    first, second, third = list(both.public())[:3]
    both.clock.pass_time(3_600)
    tracker_edits.update_vacancy(both.service, both.clock, both.tenant.slug, first, name="Lighthouse keeper")
    tracker_edits.update_vacancy(both.service, both.clock, both.tenant.slug, second, status="filled")
    tracker_edits.delete_vacancy(both.service, both.clock, both.tenant.slug, third)
    both.clock.pass_time(60)
    report = both.sync()
    assert not report.full
    assert [hit.posting.id for hit in both.find("lighthouse keepers").hits] == [first]
    assert isinstance(search.posting(both.mirror, both.tenant, second, both.clock.now()), Closed)
    assert isinstance(search.posting(both.mirror, both.tenant, third, both.clock.now()), Posting)
    both.sync(full=True)
    assert isinstance(search.posting(both.mirror, both.tenant, third, both.clock.now()), Closed)
    assert {hit.posting.id for hit in both.find().hits} == both.public().keys()


def test_an_invalid_key_is_reported_and_changes_nothing(both: Both):
    both.sync()
    shown = both.find().total
    for key in administration.list_keys(both.service, both.tenant.slug):
        administration.revoke_key(both.service, both.clock, both.tenant.slug, key.id)
    with pytest.raises(TrackerError):
        both.sync()
    assert both.find().total == shown
    assert "failing since" in state.problems(both.mirror, both.tenant, both.clock.now())[0]


def test_nothing_is_published_without_a_configured_stage(both: Both):
    both.tenant = replace(both.tenant, publish=PublishSettings())
    both.sync()
    assert both.find().total == 0
