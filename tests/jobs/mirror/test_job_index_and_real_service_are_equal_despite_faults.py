"""Random changes at the real service, random faults of the connection, and syncs of both kinds in between.

Whatever happened, one successful sync makes the job index say what the service says by the tenant's rule, except for
deletions, and one successful full sync makes it equal."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count

import httpx
import pytest

from portal.adapters.tracker_client.client import TrackerClient
from portal.adapters.tracker_client.errors import TrackerError
from portal.contract.vacancies import Vacancy
from portal.jobs.posting import Closed
from portal.platform.database.db import Database
from tests.jobs.conftest import Mirror
from tests.jobs.faulty_connection import FAULTS, FaultyConnection
from tests.jobs.recruiters import CHANGES, Facts, Recruiters, Shown, every_word_finds_its_jobs, shown
from tests.jobs.standin import vacancy
from tests.parts import tracker_edits
from tests.told_clock import ToldClock
from tests.tracker.office import Json, Office, opened

pytestmark = [pytest.mark.soak, pytest.mark.verify]
AT_ONCE = 30


class ServiceAccess:
    """Creates by §4.4; edits and deletions are the service's own administration."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._numbers = count()
        self._there: dict[str, set[str | None]] = {}
        self.left_behind: set[str | None] = set()
        """Posting ids that deleted vacancies ever had."""

    def vacancies(self) -> list[str]:
        return list(self._there)

    def create(self, facts: Facts) -> str:
        vacancy_id = self._office.add_vacancy(name=facts.title, status=facts.status, **_rest(facts))
        self._there[vacancy_id] = {vacancy_id}
        return vacancy_id

    def edit(self, vacancy_id: str, facts: Facts) -> None:
        office, changes = self._office, {"name": facts.title, "status": facts.status, **_rest(facts)}
        assert tracker_edits.update_vacancy(office.database, office.clock, office.slug, vacancy_id, **changes)

    def delete(self, vacancy_id: str) -> None:
        office = self._office
        assert tracker_edits.delete_vacancy(office.database, office.clock, office.slug, vacancy_id)
        self.left_behind |= self._there.pop(vacancy_id)


class LoadingAccess(ServiceAccess):
    """Loads whole records, with the custom attribute that contains the posting id."""

    def create(self, facts: Facts) -> str:
        vacancy_id = f"v{next(self._numbers)}"
        self.edit(vacancy_id, facts)
        return vacancy_id

    def edit(self, vacancy_id: str, facts: Facts) -> None:
        record = vacancy(
            vacancy_id,
            facts.title,
            stage="Open" if facts.status == "open" else "Filled",
            location={"city": facts.city, "country": "DE"},
            employment_type=facts.employment_type,
            start_at=facts.start_at,
            end_at=facts.end_at,
            attributes=[("posting", facts.attribute)],
        )
        self._there.setdefault(vacancy_id, set()).add(facts.attribute)
        self._office.load(("vacancy", record))


def _rest(facts: Facts) -> Json:
    return {
        "location": {"city": facts.city, "country": "DE"},
        "employmentType": facts.employment_type,
        "startAt": facts.start_at,
        "endAt": facts.end_at,
    }


@dataclass
class Both:
    """The service, its job index, and the faults between them."""

    mirrored: Mirror
    office: Office
    connection: FaultyConnection
    fine: TrackerClient
    """A client without faults."""
    desk: ServiceAccess
    recruiters: Recruiters

    @property
    def by_attribute(self) -> bool:
        return self.mirrored.tenant.publish.posting_attribute is not None

    def truth(self) -> Shown:
        """Return what is public by the tenant's rule, according to the service's own interface."""
        found, cursor = dict[str, Vacancy](), None
        while True:
            page = self.fine.vacancies(cursor=cursor)
            assert not page.bad
            found |= {vacancy.id: vacancy for vacancy in page.items}
            cursor = page.next_cursor
            if not page.has_next:
                break
        published = [v for v in found.values() if v.stage and v.stage.stage and v.stage.stage.name == "Open"]
        address = {vacancy.id: self._posting_id(vacancy.id) for vacancy in published}
        claims = Counter(address.values())
        return {
            posting_id: (vacancy.name.name, vacancy.location.location.city)  # type: ignore[union-attr]  as written above
            for vacancy in published
            if self._is_open(vacancy) and (posting_id := address[vacancy.id]) and claims[posting_id] == 1
        }

    def is_right_but_for_deletions(self) -> None:
        """Check after a successful incremental sync. A deleted vacancy claims its posting id until a full sync."""
        expected, found = self.truth(), shown(self.mirrored)
        sure = expected.keys() - self.desk.left_behind
        assert {key: found.get(key) for key in sure} == {key: expected[key] for key in sure}
        assert found.keys() - expected.keys() <= self.desk.left_behind

    def sync_with_faults(self) -> None:
        """Run some syncs, each of which may fail; nothing is removed that the service still has."""
        chance, before = self.recruiters.chance, shown(self.mirrored)
        self.connection.rate = chance.choice([0.1, 0.3, 0.6])
        for _ in range(3):
            with suppress(TrackerError):
                self.mirrored.sync(full=chance.random() < 0.4)
        self.connection.rate = 0.0
        if not self.by_attribute:  # two vacancies that swap their ids hide each other until both were read
            lost = before.keys() - shown(self.mirrored).keys()
            assert not lost & self.truth().keys()

    def _posting_id(self, vacancy_id: str) -> str | None:
        if not self.by_attribute:
            return vacancy_id
        said = [each.value for each in self.fine.vacancy(vacancy_id).custom_attributes or ()]
        return said[0] if said and said[0] != "no address" else None

    def _is_open(self, vacancy: Vacancy) -> bool:
        now = self.mirrored.clock.now()
        start = vacancy.start_at and vacancy.start_at.start_at
        end = vacancy.end_at and vacancy.end_at.end_at
        return (start is None or start <= now) and (end is None or now < end)


@dataclass
class _Reached:
    """Where a Mirror expects its service."""

    office: Office
    transport: httpx.BaseTransport

    def client(self) -> TrackerClient:
        key, clock = self.office.key, self.office.clock
        return TrackerClient(base_url="http://service", slug="acme", api_key=key, clock=clock, transport=self.transport)


@pytest.fixture(params=[(1, ServiceAccess), (2, LoadingAccess)], ids=["by id", "by attribute"])
def here(request: pytest.FixtureRequest, database: Database, tracker_url: str) -> Iterator[Both]:
    seed, kind_of_desk = request.param
    clock = ToldClock()
    with opened(tracker_url, clock) as office:
        straight = httpx.WSGITransport(app=office.app)
        connection = FaultyConnection(straight, seed)
        mirrored = Mirror(database, clock, _Reached(office, connection))  # type: ignore[arg-type]  a service to reach
        if kind_of_desk is LoadingAccess:
            mirrored.publish(posting_attribute="posting")
        desk = kind_of_desk(office)
        fine = _Reached(office, straight).client()
        yield Both(mirrored, office, connection, fine, desk, Recruiters(desk, clock, seed))


def test_job_index_and_service_are_equal(here: Both):
    mirrored, chance, ever = here.mirrored, here.recruiters.chance, set[str]()
    for step in range(CHANGES // AT_ONCE):
        for _ in range(AT_ONCE):
            here.recruiters.change()
        mirrored.clock.pass_time(chance.choice([1, 60, 60, 1_800]))
        if step % 2:
            here.sync_with_faults()
            mirrored.clock.pass_time(chance.choice([1, 60, 1_800]))
        mirrored.sync()
        if step % 4 == 1:
            here.is_right_but_for_deletions()
        if step % 8 == 1:
            report = mirrored.sync(full=True)
            if report.alarms:  # too many deletions to be accepted: an operator confirms them
                mirrored.sync(full=True, force=True)
            assert shown(mirrored) == here.truth()
            ever |= shown(mirrored).keys()
    while here.connection.happened.keys() < {fault.__name__ for fault in FAULTS}:
        here.sync_with_faults()
    mirrored.sync(full=True, force=True)
    expected = here.truth()
    assert shown(mirrored) == expected
    assert len(expected) > CHANGES // 100
    every_word_finds_its_jobs(mirrored, expected)
    assert all(isinstance(mirrored.posting(each), Closed) for each in ever - expected.keys())
