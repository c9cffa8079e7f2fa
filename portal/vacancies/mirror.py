"""Passes over the service: incremental by modification time, full to find deletions (docs/decisions, promises).

A pass, one per tenant at a time:
 1. where the tenant's rule changed, it is applied to what is stored already, before anyone is asked anything;
 2. pages are read one by one and each is committed by itself; what did not change is not written;
 3. only after the last page is committed does the watermark move;
 4. a full pass that read everything withdraws what it did not see, unless that looks like the service's fault.
A pass that found nothing new writes nothing; that it took place is written down every five minutes at most.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from portal.clock import Clock
from portal.contract.vacancies import Vacancy
from portal.db import Database
from portal.errors import NotThere, NotTheService, Rejected, UpstreamError
from portal.tenants.model import PUBLIC_ID, Tenant
from portal.upstream.client import Page, Upstream
from portal.vacancies import state, sweep
from portal.vacancies.ingest import Unusable, fingerprint, keep, rules_hash, stages_hash, usable_posting_id
from portal.vacancies.keeping import Change, Keeper
from portal.vacancies.lease import lease
from portal.vacancies.scan import Scan
from portal.vacancies.state import State
from portal.vacancies.stored import Stored, set_aside, stored

_OVERLAP = timedelta(minutes=10)
_LOOK_AGAIN = timedelta(minutes=10)
_DETAILS_AT_ONCE = 4
_ASKED_AGAIN = 50
_STOOD_STILL = (
    "the service's cursor stood still, so everything was read once more: more vacancies share one modification time"
    " than a page holds, or the service pages wrongly"
)
_NOT_TO_THE_END = "the service's pages could not be followed to the end of its list, so deletions were not looked for"


@dataclass(slots=True)
class SyncReport:
    """What a pass did. skipped: another worker is at this tenant, and nothing was done here.

    alarms: what an operator has to know; empty when all is well.
    """

    full: bool = False
    skipped: bool = False
    seen: int = 0
    changed: int = 0
    withdrawn: int = 0
    bad: int = 0
    alarms: list[str] = field(default_factory=list)


def due(
    db: Database, tenants: Iterable[Tenant], now: datetime, sync_interval: float, reconcile_interval: float
) -> list[tuple[Tenant, bool]]:
    """Which tenants want a pass now, and whether a full one. Intervals in seconds."""
    known = state.all_of(db)
    found: list[tuple[Tenant, bool]] = []
    for tenant in tenants:
        mine = known.get(tenant.slug)
        if mine is None:
            found.append((tenant, True))
            continue
        rules_changed = mine.rules != rules_hash(tenant.publish)
        if mine.rests(now, sync_interval) and not (rules_changed and mine.failed_at is None):
            continue
        whole = mine.full_at is None or abs(now - mine.full_at) >= timedelta(seconds=reconcile_interval)
        again = mine.full_due_at is not None and mine.full_due_at <= now
        found.append((tenant, whole or again or rules_changed))
    return found


def sync(
    db: Database,
    upstream: Upstream,
    tenant: Tenant,
    clock: Clock,
    *,
    full: bool = False,
    force: bool = False,
    progress: Callable[[int], None] | None = None,
) -> SyncReport:
    """One pass. force: withdraw even what looks like too much. progress: called with the records of each page.

    A first pass, and one after a change of the tenant's rule, is full by itself. Raises UpstreamError, after writing
    it down, when the service does not play its part; pages that were read until then are kept.
    """
    with lease(db, tenant.slug, wait=force) as ours:
        if not ours:
            return SyncReport(skipped=True)
        before = state.load(db, tenant.slug, clock.now())
        one = _Pass(db, upstream, tenant, clock, before, progress or (lambda _: None))
        try:
            return one.run(full=full, force=force)
        except UpstreamError as error:
            state.failed(db, tenant.slug, error, clock.now())
            raise


class _Pass:
    def __init__(
        self,
        db: Database,
        upstream: Upstream,
        tenant: Tenant,
        clock: Clock,
        before: State,
        progress: Callable[[int], None],
    ) -> None:
        self._db = db
        self._upstream = upstream
        self._tenant = tenant
        self._clock = clock
        self._before = before
        self._progress = progress
        self._keeper = Keeper(tenant, before.counted_at)
        self._set_aside = set_aside(db, tenant.slug)
        self._nameless = 0
        self._report = SyncReport()

    def run(self, *, full: bool, force: bool) -> SyncReport:
        before, rules = self._before, rules_hash(self._tenant.publish)
        if before.judged_by != stages_hash(self._tenant.publish):
            sweep.judge_anew(self._db, self._keeper, self._tenant, self._clock)
            state.judged(self._db, self._tenant.slug, stages_hash(self._tenant.publish))
        full = full or before.watermark is None or before.full_at is None or before.rules != rules
        since = None if full else before.watermark and before.watermark - _OVERLAP
        scan = self._read(since)
        if not full and not scan.complete:
            self._report.alarms.append(_STOOD_STILL)
            full, scan = True, self._read(None)
        self._report.full = full
        after = self._finish(scan, before, full=full, force=force)
        state.passed(self._db, self._tenant.slug, before, after, self._clock.now())
        return self._report

    def _finish(self, scan: Scan, before: State, *, full: bool, force: bool) -> State:
        """What the mirror's state is after the last page."""
        now = self._clock.now()
        after = before.succeeded(now, worth_writing=bool(self._report.changed) or full)
        nothing_yet = before.watermark is None and not scan.seen
        if scan.complete and after is not before and (nothing_yet or not scan.fruitless):
            # Only with what is written down anyway: an older watermark makes the next pass read more, never less.
            after = replace(after, watermark=scan.watermark(now) or before.watermark)
        if full:
            held = self._sweep(scan, force=force)
            self._report.alarms += held
            after = after.read_whole(
                rules_hash(self._tenant.publish),
                now,
                alarm=" ".join(self._report.alarms) or None,
                look_again=now + _LOOK_AGAIN if held else None,
            )
        return after

    def _sweep(self, scan: Scan, *, force: bool) -> list[str]:
        if not scan.complete or (scan.fruitless and scan.seen):
            return [_NOT_TO_THE_END]
        if scan.nameless and not force:
            return [f"{scan.nameless} records came without a readable id, so nothing that is missing was withdrawn"]
        outcome = sweep.sweep(self._db, self._keeper, self._tenant, scan.seen, self._clock, force=force)
        self._report.withdrawn += outcome.withdrawn
        return [outcome.alarm] if outcome.alarm else []

    def _read(self, since: datetime | None) -> Scan:
        scan, self._nameless = Scan(self._upstream, since), 0
        for page in scan.pages():
            self._report.seen += len(page.items) + len(page.bad)
            self._page(page, incremental=since is not None)
            self._progress(len(page.items) + len(page.bad))
        if since is not None and self._tenant.publish.posting_attribute is not None:
            self._ask_again([key for key in self._set_aside if key not in scan.seen])
        self._report.bad = len(self._set_aside)
        return scan

    def _ask_again(self, vacancy_ids: list[str]) -> None:
        """Vacancies whose detail could not be read come in no list once the service is right again; ask for some."""
        found: list[Vacancy] = []
        for vacancy_id in vacancy_ids[:_ASKED_AGAIN]:
            with suppress(NotThere, NotTheService, Rejected):
                found.append(self._upstream.vacancy(vacancy_id))
        if found:
            self._page(Page(tuple(found), (), None, has_next=False, served_at=None), incremental=True)

    def _page(self, page: Page[Vacancy], *, incremental: bool) -> None:
        """Commit one page, if anything in it is new."""
        items = {vacancy.id: vacancy for vacancy in page.items}
        known = stored(self._db, self._tenant.slug, list(items))
        bad: dict[str, str] = {}
        for record in page.bad:
            self._nameless += not record.id
            bad[record.id or f"?{self._nameless}"] = record.problem
        suspects = [v for v in items.values() if self._is_suspect(v, known.get(v.id), incremental=incremental)]
        attributes = self._attributes(suspects, bad)
        changes: list[Change] = []
        for vacancy in suspects:
            if vacancy.id in bad or (self._wants_detail(vacancy) and vacancy.id not in attributes):
                continue
            try:
                change = Change(keep(vacancy, self._tenant), attributes.get(vacancy.id, self._id_rule(vacancy)))
            except Unusable as problem:
                bad[vacancy.id] = str(problem)
                continue
            before = known.get(vacancy.id)
            if before is None or not before.is_same(change):
                changes.append(change)
        mended = [key for key in items if key in self._set_aside and key not in bad]
        news = {key: problem for key, problem in bad.items() if self._set_aside.get(key) != problem}
        self._commit(changes, news, mended)

    def _commit(self, changes: list[Change], news: dict[str, str], mended: list[str]) -> None:
        if not (changes or news or mended):
            return
        now = self._clock.now()
        with self._db.write() as connection:
            state.put_aside(connection, self._tenant.slug, news, mended, now)
            if changes:
                self._keeper.store(connection, changes, now)
        self._report.changed += len(changes)
        self._set_aside.update(news)
        for key in mended:
            self._set_aside.pop(key, None)

    def _is_suspect(self, vacancy: Vacancy, before: Stored | None, *, incremental: bool) -> bool:
        """Whether it could differ from what is stored; attributes change without a trace in the list (§2.4)."""
        if before is None or before.gone or before.fingerprint != fingerprint(vacancy, self._tenant):
            return True
        return incremental and self._wants_detail(vacancy)

    def _wants_detail(self, vacancy: Vacancy) -> bool:
        if self._tenant.publish.posting_attribute is None:
            return False
        stage = vacancy.stage.stage.name if vacancy.stage and vacancy.stage.stage else None
        return stage in self._tenant.publish.stages

    def _id_rule(self, vacancy: Vacancy) -> str | None:
        if self._tenant.publish.posting_attribute is not None:
            return None
        return vacancy.id if PUBLIC_ID.fullmatch(vacancy.id) else None

    def _attributes(self, suspects: list[Vacancy], bad: dict[str, str]) -> dict[str, str | None]:
        """Posting ids from custom attributes (§4.3), a few requests at once; None where there is no usable one.

        A vacancy that was deleted since its page was served is left out: the next full pass withdraws it.
        """
        wanted = [vacancy.id for vacancy in suspects if self._wants_detail(vacancy)]
        if not wanted:
            return {}
        with ThreadPoolExecutor(_DETAILS_AT_ONCE) as pool:
            answers = list(pool.map(self._attribute, wanted))
        found = list(zip(wanted, answers, strict=True))
        bad.update({key: answer.problem for key, answer in found if isinstance(answer, _Unreadable) and answer.problem})
        return {key: answer for key, answer in found if not isinstance(answer, _Unreadable)}

    def _attribute(self, vacancy_id: str) -> "str | _Unreadable | None":
        try:
            detail = self._upstream.vacancy(vacancy_id)
        except NotThere:
            return _Unreadable(None)
        except (NotTheService, Rejected) as error:
            return _Unreadable(f"its detail cannot be read: {error}")
        for attribute in detail.custom_attributes or ():
            if attribute.attribute_definition_id == self._tenant.publish.posting_attribute:
                return usable_posting_id(attribute.value)
        return None


@dataclass(frozen=True, slots=True)
class _Unreadable:
    """problem: None where the vacancy is gone, which is nobody's fault."""

    problem: str | None
