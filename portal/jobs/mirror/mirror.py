"""Sync of a tenant's vacancies: processes the pages of §4.1 that background/sync fetches.

If the tenant's publishing rule has changed, it is first applied to what is stored, before any request. A record that
cannot be read is reported, and the vacancy's previously stored version stays public.
"""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from portal.adapters.tracker_client.client import ListPage, Upstream
from portal.background.sync.deletions import Missing
from portal.background.sync.reader import ListReading, Reader, Report
from portal.background.sync.run import ANY_PASS, PassOptions, run
from portal.background.sync.tables import ListName
from portal.contract.vacancies import Vacancy
from portal.jobs.mirror import state, sweep
from portal.jobs.mirror.details import Details
from portal.jobs.mirror.ingest import Unusable, Whitelisted, fingerprint, members, rules_hash, stages_hash, whitelist
from portal.jobs.mirror.stored_vacancies import StoredVacancy, stored
from portal.jobs.mirror.writing import MirrorWriter, VacancyChange
from portal.jobs.search import attributes
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.platform.errors import NotThere, NotTheService, Rejected
from portal.tenants.model import Tenant
from portal.tenants.values import PUBLIC_ID

_ASKED_AGAIN = 50


def rules(tenant: Tenant) -> str:
    """Return a hash of the settings in the tenant file that change what is stored."""
    return rules_hash(tenant.publish)


def sync(db: Database, upstream: Upstream, tenant: Tenant, clock: Clock, order: PassOptions = ANY_PASS) -> Report:
    """Sync the tenant's vacancies once; order and errors as in sync.run, with the tenant's own rules hash."""

    def reader(reading: ListReading) -> Reader[Vacancy]:
        return _Mirror(db, upstream, tenant, clock, reading)

    return run(db, ListName.VACANCIES, tenant.slug, clock, reader, replace(order, rules=rules(tenant)))


class _Mirror(Reader[Vacancy]):
    def __init__(self, db: Database, upstream: Upstream, tenant: Tenant, clock: Clock, reading: ListReading) -> None:
        self._db = db
        self._upstream = upstream
        self._tenant = tenant
        self._clock = clock
        self._reading = reading
        self._lease = reading.lease
        self._details = Details(upstream, tenant, reading.deadline)
        self._stood = state.standing(reading.lease, clock.now())
        self._writer = MirrorWriter(tenant, self._stood.counted_at)
        self._set_aside = self._stood.set_aside
        self._members = members(tenant.publish)
        self._nameless = 0

    def prepare(self) -> None:
        stages = stages_hash(self._tenant.publish)
        if self._stood.judged_by != stages:
            sweep.judge_anew(self._db, self._lease, self._writer, self._clock)
            state.judged(self._lease, stages)

    def fetch(self, *, limit: int, modified_since: datetime | None, cursor: str | None) -> ListPage[Vacancy]:
        return self._upstream.vacancies(
            limit=limit, modified_since=modified_since, cursor=cursor, reading=self._members
        )

    def dated(self, record: Vacancy) -> datetime | None:
        return record.created_at.created_at if record.created_at else None

    def store(self, page: ListPage[Vacancy]) -> None:
        items = {vacancy.id: vacancy for vacancy in page.items}
        known = stored(self._db, self._tenant.slug, list(items))
        bad: dict[str, str] = {}
        for record in page.bad:
            self._nameless += not record.id
            bad[record.id or f"?{self._nameless}"] = record.problem
        suspects = [vacancy for vacancy in items.values() if self._is_suspect(vacancy, known.get(vacancy.id))]
        details = self._details.of(suspects)
        bad |= details.unreadable
        changes: list[VacancyChange] = []
        for vacancy in suspects:
            if vacancy.id in bad or vacancy.id in details.gone:
                continue
            try:
                taken = whitelist(vacancy, self._tenant, self._clock.now())
            except Unusable as problem:
                bad[vacancy.id] = str(problem)
                continue
            posting_id = self._posting_id(vacancy, details.posting_ids)
            values = {**details.attributes.get(vacancy.id, {}), **_client_of(taken)}
            change = VacancyChange(taken, posting_id, attributes.written(values))
            before = known.get(vacancy.id)
            if before is None or not before.is_same(change):
                changes.append(change)
        mended = [key for key in items if key in self._set_aside and key not in bad]
        news = {key: problem for key, problem in bad.items() if self._set_aside.get(key) != problem}
        self._commit(changes, news, mended)

    def complete(self, seen: Collection[str]) -> None:
        by_detail = self._tenant.publish.posting_attribute is not None or self._tenant.publish.facets
        if self._reading.since is not None and by_detail:
            self._ask_again([key for key in self._set_aside if key not in seen])
        if self._reading.since is None and seen:  # an empty list is read in full by every sync
            self._recount()
        self._reading.report.bad = len(self._set_aside)

    def missing(self, seen: Collection[str]) -> Missing:
        return sweep.missing(self._db, self._tenant.slug, seen, self._clock)

    def withdraw(self, missing: Missing, seen: Collection[str]) -> None:
        sweep.withdraw(self._lease, self._writer, missing.rows, self._clock)
        sweep.forget_problems(self._db, self._lease, seen)

    def settle(self, *, written: bool) -> None:
        state.settle(self._lease, self._stood, self._clock.now(), written=written)

    def _ask_again(self, vacancy_ids: list[str]) -> None:
        """Request vacancies whose detail was unreadable: the list does not repeat them once the service is repaired."""
        found: list[Vacancy] = []
        for vacancy_id in vacancy_ids[:_ASKED_AGAIN]:
            self._reading.deadline.check()
            with suppress(NotThere, NotTheService, Rejected):
                found.append(self._upstream.vacancy(vacancy_id, reading=self._members))
        if found:
            self.store(ListPage(tuple(found), (), None, has_next=False, served_at=None))

    def _recount(self) -> None:
        """Correct the totals, which are wrong if a release that does not maintain them has written meanwhile."""
        with self._lease.write() as connection:
            self._writer.recount(connection)

    def _commit(self, changes: list[VacancyChange], news: dict[str, str], mended: list[str]) -> None:
        if not (changes or news or mended):
            return
        now = self._clock.now()
        with self._lease.write() as connection:
            state.put_aside(connection, self._tenant.slug, news, mended, now)
            if changes:
                self._writer.store(connection, changes, now)
        self._reading.report.changed += len(changes)
        self._set_aside.update(news)
        for key in mended:
            self._set_aside.pop(key, None)

    def _is_suspect(self, vacancy: Vacancy, before: StoredVacancy | None) -> bool:
        """Return whether it may differ from what is stored; the list does not show changed attributes (§2.4)."""
        if before is None or before.gone or before.fingerprint != fingerprint(vacancy, self._tenant):
            return True
        return self._reading.since is not None and self._details.is_wanted(vacancy)

    def _posting_id(self, vacancy: Vacancy, by_attribute: dict[str, str | None]) -> str | None:
        if self._tenant.publish.posting_attribute is not None:
            return by_attribute.get(vacancy.id)
        return vacancy.id if PUBLIC_ID.fullmatch(vacancy.id) else None


def _client_of(taken: Whitelisted) -> dict[str, tuple[str, ...]]:
    client = taken.texts["client"]
    return {attributes.CLIENT: attributes.choosable(client)} if client else {}
