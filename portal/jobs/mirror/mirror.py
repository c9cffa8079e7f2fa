"""Sync of a tenant's vacancies: processes the pages that background/sync fetches (interface document, §4.1).

If the tenant's publishing rule has changed, it is first applied to what is stored, before any request. A record that
cannot be read is reported, and the vacancy's previously stored version stays public.
"""

from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime

import sqlalchemy as sa

from portal.adapters.tracker_client.client import ListPage, TrackerClient
from portal.adapters.tracker_client.errors import (
    NotSent,
    NotTheService,
    RecordNotFound,
    Rejected,
    Throttled,
    TrackerError,
)
from portal.background.sync.run import ANY_PASS, Deadline, ListSink, PassOptions, Report, SyncRun, run
from portal.background.sync.state import Missing
from portal.background.sync.tables import ListName
from portal.contract.bounds import PUBLIC_ID
from portal.contract.vacancies import Vacancy, VacancyDetail
from portal.jobs.mirror import state
from portal.jobs.mirror.ingest import (
    DETAIL,
    PublicVacancy,
    Unusable,
    fields_to_read,
    fingerprint,
    is_detail_wanted,
    public_part_of,
    rules_hash,
    stages_hash,
    usable_posting_id,
    uses_details,
)
from portal.jobs.mirror.writing import MirrorWriter, VacancyChange
from portal.jobs.search import attributes
from portal.jobs.tables import Publication, vacancies
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.tenants.model import Tenant


@dataclass(frozen=True, slots=True)
class StoredVacancy:
    """A vacancy as it was last stored."""

    fingerprint: str
    posting_id: str | None
    gone: bool
    attributes: str

    def is_same(self, change: VacancyChange) -> bool:
        """Return whether storing the change would change nothing."""
        mine = (self.fingerprint, self.posting_id, self.attributes)
        return not self.gone and mine == (change.vacancy.fingerprint, change.posting_id, change.attributes)


def stored(db: Database, tenant: str, vacancy_ids: list[str]) -> dict[str, StoredVacancy]:
    """Return those of the vacancies that were ever stored, by vacancy id."""
    if not vacancy_ids:
        return {}
    c = vacancies.c
    query = sa.select(c.vacancy_id, c.fingerprint, c.posting_id, c.publication, c.attributes).where(
        c.tenant == tenant, c.vacancy_id.in_(vacancy_ids)
    )
    return {
        row.vacancy_id: StoredVacancy(
            row.fingerprint, row.posting_id, row.publication == Publication.GONE, row.attributes
        )
        for row in db.rows(query)
    }


_DETAIL_THREADS = 4
"""Details that are requested at once."""
_ALL_FAIL = 10
"""If at least so many details of a page are requested and all fail, the cause is the service, not a vacancy."""
_OF_ONE_VACANCY = (RecordNotFound, NotTheService, Rejected)
"""Errors that concern a single vacancy."""


@dataclass(slots=True)
class FetchedDetails:
    """Results by vacancy id. posting_ids: None if there is no usable one. attributes: of attributes.filter_values

    unreadable: why there is no detail. RecordNotFound may mean that the vacancy was deleted since its page was served.
    """

    posting_ids: dict[str, str | None] = field(default_factory=dict)
    attributes: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    unreadable: dict[str, TrackerError] = field(default_factory=dict)


class DetailFetcher:
    """Requests details of vacancies, a few at a time."""

    def __init__(self, upstream: TrackerClient, tenant: Tenant, deadline: Deadline) -> None:
        self._upstream = upstream
        self._publish = tenant.publish
        self._deadline = deadline

    def of(self, vacancies: Iterable[Vacancy]) -> FetchedDetails:
        """Request the details of those vacancies that need them, and return their contents.

        Raises NotSent and Throttled, which concern all of them, and another failure of the service if all of at least
        _ALL_FAIL requests fail.
        """
        found = FetchedDetails()
        wanted = [vacancy.id for vacancy in vacancies if is_detail_wanted(vacancy, self._publish)]
        if wanted:
            with ThreadPoolExecutor(_DETAIL_THREADS) as pool:
                list(pool.map(lambda vacancy_id: self._fetch_detail(vacancy_id, found), wanted))
        failures = [error for error in found.unreadable.values() if not isinstance(error, _OF_ONE_VACANCY)]
        if len(failures) == len(wanted) >= _ALL_FAIL:
            raise failures[0]
        return found

    def _fetch_detail(self, vacancy_id: str, found: FetchedDetails) -> None:
        self._deadline.check()
        try:
            detail = self._upstream.vacancy(vacancy_id, reading=DETAIL)
        except (NotSent, Throttled):
            raise
        except TrackerError as error:
            found.unreadable[vacancy_id] = error
        else:
            found.posting_ids[vacancy_id] = self._posting_id(detail)
            found.attributes[vacancy_id] = attributes.filter_values(self._publish, detail.custom_attributes or ())

    def _posting_id(self, detail: VacancyDetail) -> str | None:
        wanted = self._publish.posting_attribute
        if wanted is None:
            return None
        values = [each.value for each in detail.custom_attributes or () if each.attribute_definition_id == wanted]
        return usable_posting_id(values[0]) if values else None


_MAX_REFETCH = 50
"""Unreadable vacancies that one sync requests again."""


def sync(
    db: Database, upstream: TrackerClient, tenant: Tenant, clock: Clock, options: PassOptions = ANY_PASS
) -> Report:
    """Sync the tenant's vacancies once; options and errors as in sync.run, with the tenant's own rules hash."""

    def reader(reading: SyncRun) -> ListSink[Vacancy]:
        return _Mirror(db, upstream, tenant, clock, reading)

    mine = replace(options, rules=rules_hash(tenant), changes_first=uses_details(tenant.publish))
    return run(db, ListName.VACANCIES, tenant.slug, clock, reader, mine)


class _Mirror(ListSink[Vacancy]):
    def __init__(self, db: Database, upstream: TrackerClient, tenant: Tenant, clock: Clock, reading: SyncRun) -> None:
        self._db = db
        self._upstream = upstream
        self._tenant = tenant
        self._clock = clock
        self._reading = reading
        self._lease = reading.lease
        self._details = DetailFetcher(upstream, tenant, reading.deadline)
        self._state = state.load(reading.lease, clock.now())
        self._writer = MirrorWriter(tenant, self._state.counted_at)
        self._known_problems = self._state.known_problems
        self._members = fields_to_read(tenant.publish)
        self._without_id_count = 0

    def prepare(self) -> None:
        stages = stages_hash(self._tenant.publish)
        if self._state.stages_hash != stages:
            state.reapply_publication_rules(self._db, self._lease, self._writer, self._clock)
            state.record_stages_hash(self._lease, stages)

    def fetch(self, *, limit: int, modified_since: datetime | None, cursor: str | None) -> ListPage[Vacancy]:
        return self._upstream.vacancies(
            limit=limit, modified_since=modified_since, cursor=cursor, reading=self._members
        )

    def dated(self, record: Vacancy) -> datetime | None:
        return record.created_at.created_at if record.created_at else None

    def store(self, page: ListPage[Vacancy]) -> None:
        items = {vacancy.id: vacancy for vacancy in page.items}
        known = stored(self._db, self._tenant.slug, list(items))
        problems: dict[str, str] = {}
        for record in page.bad:
            self._without_id_count += not record.id
            problems[record.id or f"?{self._without_id_count}"] = record.problem
        possibly_changed = [
            vacancy for vacancy in items.values() if self._may_have_changed(vacancy, known.get(vacancy.id))
        ]
        details = self._details.of(possibly_changed)
        problems |= {key: f"its detail cannot be read: {error}" for key, error in details.unreadable.items()}
        changes: list[VacancyChange] = []
        for vacancy in possibly_changed:
            if vacancy.id in problems:
                continue
            try:
                allowed = public_part_of(vacancy, self._tenant, self._clock.now())
            except Unusable as problem:
                problems[vacancy.id] = str(problem)
                continue
            posting_id = self._posting_id(vacancy, details.posting_ids)
            values = {**details.attributes.get(vacancy.id, {}), **_client_values(allowed)}
            change = VacancyChange(allowed, posting_id, attributes.as_stored(values))
            before = known.get(vacancy.id)
            if before is None or not before.is_same(change):
                changes.append(change)
        resolved = [key for key in items if key in self._known_problems and key not in problems]
        new_problems = {key: problem for key, problem in problems.items() if self._known_problems.get(key) != problem}
        self._commit(changes, new_problems, resolved)

    def complete(self, seen: Collection[str]) -> None:
        if self._reading.since is not None and uses_details(self._tenant.publish):
            self._refetch([key for key in self._known_problems if key not in seen])
        if self._reading.since is None and seen:  # an empty list is read in full by every sync
            # Delete totals of filters that the tenant no longer offers; correct those that an older release did not
            # update.
            with self._lease.write() as connection:
                self._writer.recount(connection)
        self._reading.report.bad = len(self._known_problems)

    def missing(self, seen: Collection[str]) -> Missing:
        return state.missing(self._db, self._tenant.slug, seen, self._clock)

    def withdraw(self, missing: Missing, seen: Collection[str]) -> None:
        state.withdraw(self._lease, self._writer, missing.rows, self._clock)
        state.forget_problems(self._db, self._lease, seen)

    def settle(self, *, written: bool) -> None:
        state.settle(self._lease, self._state, self._clock.now(), written=written)

    def _refetch(self, vacancy_ids: list[str]) -> None:
        """Request vacancies that could not be read: one that was repaired is not listed as modified."""
        found: list[Vacancy] = []
        for vacancy_id in vacancy_ids[:_MAX_REFETCH]:
            self._reading.deadline.check()
            try:
                one = self._upstream.vacancy(vacancy_id, reading=self._members)
            except (NotSent, Throttled):
                raise
            except TrackerError:
                continue
            if one.id == vacancy_id:
                found.append(one)
        if found:
            self.store(ListPage(tuple(found), (), None, has_next=False, served_at=None))

    def _commit(self, changes: list[VacancyChange], new_problems: dict[str, str], resolved: list[str]) -> None:
        if not (changes or new_problems or resolved):
            return
        now = self._clock.now()
        with self._lease.write() as connection:
            state.update_problems(connection, self._tenant.slug, new_problems, resolved, now)
            if changes:
                self._writer.store(connection, changes, now)
        self._reading.report.changed += len(changes)
        self._known_problems.update(new_problems)
        for key in resolved:
            self._known_problems.pop(key, None)

    def _may_have_changed(self, vacancy: Vacancy, before: StoredVacancy | None) -> bool:
        """Return whether it may differ from what is stored; changed attributes show only in the detail, not in the list
        (interface document, §2.4).
        """
        if before is None or before.gone or before.fingerprint != fingerprint(vacancy, self._tenant):
            return True
        may_differ = self._reading.since is not None or vacancy.id in self._known_problems
        return may_differ and is_detail_wanted(vacancy, self._tenant.publish)

    def _posting_id(self, vacancy: Vacancy, by_attribute: dict[str, str | None]) -> str | None:
        if self._tenant.publish.posting_attribute is not None:
            return by_attribute.get(vacancy.id)
        return vacancy.id if PUBLIC_ID.fullmatch(vacancy.id) else None


def _client_values(allowed: PublicVacancy) -> dict[str, tuple[str, ...]]:
    client = allowed.texts["client"]
    return {attributes.CLIENT: attributes.attribute_values(client)} if client else {}
