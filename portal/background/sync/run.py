"""One pass over one list of one tenant: incremental by modification time, full to find deletions.

1. The list is locked, and whether a pass is due is checked again: another worker may just have made it.
2. Pages are read one by one and committed one by one; unchanged records are not written.
3. The watermark moves only after the last page is committed.
4. A full pass that read everything withdraws records that it did not see, unless they are so many that a fault of the
   service is more likely. The first one after a change of the service's address is accepted if it lists any records:
   the missing ones belonged to another company. After a change of the API key it is accepted only if most listed
   records are new: a company that has rotated its key lists known records.
5. A pass that found nothing new writes nothing; it is recorded later, together with other such passes.
6. Any failed pass is recorded, and the pause before the next one grows with each failure in a row.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Generic

from portal.adapters.tracker_client.page import ListPage
from portal.background.sync import state
from portal.background.sync.lease import Lease, lock
from portal.background.sync.paging import PageWalker, T
from portal.background.sync.state import (
    Missing,
    SyncIntervals,
    SyncState,
    is_another_source,
    is_same_address,
    objection,
)
from portal.background.sync.tables import ListName
from portal.platform.clock import Clock
from portal.platform.database.db import EPOCH, Database
from portal.platform.errors import DatabaseUnavailable, LeaseLost, PassYielded, TookTooLong


@dataclass(slots=True)
class Report:
    """The result of a pass.

    skipped: nothing was done, because another worker is reading the list, or it is no longer due. bad: unreadable
    records. seconds: duration. alarms: messages to operators; empty if there are no problems.
    """

    full: bool = False
    skipped: bool = False
    seen: int = 0
    changed: int = 0
    withdrawn: int = 0
    bad: int = 0
    seconds: float = 0.0
    alarms: list[str] = field(default_factory=list)


class Deadline:
    """The time limit of a pass, by the monotonic clock. must_yield: returns whether the pass must yield at once."""

    def __init__(self, clock: Clock, seconds: float, must_yield: Callable[[], bool] = lambda: False) -> None:
        self._clock = clock
        self._must_yield = must_yield
        self._seconds = seconds
        self._ends = clock.monotonic() + seconds

    def check(self) -> None:
        """Raise TookTooLong when the time is up, PassYielded when others wait; called before each request."""
        if self._must_yield():
            raise PassYielded("the pass is long and others wait: it is made again when there is room")
        if self._clock.monotonic() >= self._ends:
            raise TookTooLong(
                f"the pass was broken off after {self._seconds / 60:.0f} minutes: the service is too slow"
            )


@dataclass(frozen=True, slots=True)
class SyncRun:
    """One reading of a list within a pass. since: None when it is read from its beginning."""

    lease: Lease
    deadline: Deadline
    report: Report
    since: datetime | None


class ListSink(ABC, Generic[T]):
    """The storage of one reading of a tenant's list. All its writes happen in transactions of `reading.lease`."""

    def prepare(self) -> None:
        """Prepare the reading, before the first request to the service."""

    @abstractmethod
    def fetch(self, *, limit: int, modified_since: datetime | None, cursor: str | None) -> ListPage[T]:
        """Request a page from the service."""

    @abstractmethod
    def dated(self, record: T) -> datetime | None:
        """Return a time in the record, by the service's clock, that has passed when the record is sent."""

    @abstractmethod
    def store(self, page: ListPage[T]) -> None:
        """Commit what is new in a page; do not write what is unchanged."""

    def complete(self, seen: Collection[str]) -> None:
        """Finish the reading after the last page, before anything is withdrawn. seen: the ids received."""

    @abstractmethod
    def missing(self, seen: Collection[str]) -> Missing:
        """Return the stored records that are not among `seen`."""

    @abstractmethod
    def withdraw(self, missing: Missing, seen: Collection[str]) -> None:
        """Withdraw records that the service no longer has."""

    def settle(self, *, written: bool) -> None:
        """Finish the pass. written: whether the pass wrote to the database, so that one more write does not matter."""


SinkFactory = Callable[[SyncRun], ListSink[T]]
"""Creates the reader of one reading."""


DEADLINE_CHANGES = 3_600.0
DEADLINE_WHOLE = 6 * 3_600.0
"""Seconds for reading changes, and for reading everything: 100,000 records are 2,000 pages of ten seconds each."""
_OVERLAP = timedelta(minutes=10)
_LOOK_AGAIN = timedelta(minutes=10)
_STOOD_STILL = (
    "the service's cursor stood still, so everything was read once more: more records share one modification time"
    " than a page holds, or the service pages wrongly"
)
_NOT_TO_THE_END = "the service's pages could not be followed to the end of its list, so deletions were not looked for"


@dataclass(frozen=True, slots=True)
class PassOptions:
    """Which pass to make. rules: hash of those settings in the tenant file that affect what is stored. changes_first:
    whether a full pass reads the changes before, because the list itself does not show all that may have changed.

    full: read everything. force: withdraw records even if they are too many to be plausible. intervals: make the pass
    only if it is due by these intervals, and a full one if that is due; None for a pass that an operator requested.
    progress: called with the number of records on each page. must_yield: called before each request; returns whether to
    stop the pass because others wait for its slot.
    """

    rules: str | None = None
    changes_first: bool = False
    full: bool = False
    force: bool = False
    intervals: SyncIntervals | None = None
    progress: Callable[[int], None] = lambda _: None
    must_yield: Callable[[], bool] = lambda: False


ANY_PASS = PassOptions()
"""A pass that reads changes."""


def run(db: Database, name: ListName, tenant: str, clock: Clock, reads: SinkFactory[T], options: PassOptions) -> Report:
    """Make one pass; records that were read before an error stay stored.

    Raises TrackerError, DatabaseUnavailable, TookTooLong or an internal error, each recorded as a failure first;
    LeaseLost, after which nothing may be written; and PassYielded, which is no failure.
    """
    with lock(db, name, tenant, wait=options.force) as held:
        if held is None:
            return Report(skipped=True)
        before, now = state.load(db, name, tenant, held), clock.now()
        if options.intervals is not None:
            if not before.is_due(options.intervals, options.rules, now):
                return Report(skipped=True)
            options = replace(options, full=options.full or before.wants_whole(options.intervals, options.rules, now))
        lease = Lease(db, name, tenant, before.owner, held)
        try:
            return _Pass(db, lease, clock, reads, options, before).run()
        except (LeaseLost, PassYielded):
            raise
        except Exception as error:
            with suppress(DatabaseUnavailable, LeaseLost):  # report the error that ended the pass instead
                state.write(lease, before.failed(error, clock.now()))
            raise
        finally:
            state.note(db, name, tenant, clock.now())


class _Pass(Generic[T]):
    def __init__(
        self, db: Database, lease: Lease, clock: Clock, reads: SinkFactory[T], options: PassOptions, before: SyncState
    ) -> None:
        self._db = db
        self._lease = lease
        self._clock = clock
        self._reads = reads
        self._options = options
        self._before = before
        self._report = Report()
        self._known: set[int] | None = None

    def run(self) -> Report:
        before, options, report, began = self._before, self._options, self._report, self._clock.monotonic()
        report.full = options.full or before.full_at is None or before.rules != options.rules
        # A service whose clock was at the beginning of time may have caused a watermark before 1970.
        changed = None if before.watermark is None else max(before.watermark, EPOCH) - _OVERLAP
        if report.full and options.changes_first and changed is not None:
            self._read(changed)
        reader, walk = self._read(None if report.full else changed)
        if not report.full and not walk.complete:
            report.alarms.append(_STOOD_STILL)
            report.full = True
            reader, walk = self._read(None)
        now = self._clock.now()
        after = before.succeeded(now, watermark=walk.watermark(now))
        if report.full:
            after = self._whole(reader, walk, after)
        is_quiet = before.is_routine(now) and not (report.changed or report.full)
        if not is_quiet or (options.intervals is None and before.is_stale(now)):
            state.write(self._lease, after)
        elif options.intervals is not None:
            state.defer_save(self._db, self._lease.name, self._lease.tenant, after)
        reader.settle(written=not is_quiet)
        report.seconds = self._clock.monotonic() - began
        return report

    def _read(self, since: datetime | None) -> tuple[ListSink[T], PageWalker[T]]:
        """Read and store every page."""
        deadline = Deadline(
            self._clock, DEADLINE_WHOLE if since is None else DEADLINE_CHANGES, self._options.must_yield
        )
        reader = self._reads(SyncRun(self._lease, deadline, self._report, since))
        reader.prepare()
        if self._known is None:
            is_new = is_another_source(self._before.rules, self._options.rules)
            self._known = set(reader.missing(()).rows) if is_new else set()
        walk: PageWalker[T] = PageWalker(reader.fetch, since, dated=reader.dated, before_each=deadline.check)
        for page in walk.pages():
            many = len(page.items) + len(page.bad)
            self._report.seen += many
            reader.store(page)
            self._options.progress(many)
        reader.complete(walk.seen)
        return reader, walk

    def _whole(self, reader: ListSink[T], walk: PageWalker[T], after: SyncState) -> SyncState:
        held = self._sweep(reader, walk)
        if held is not None:
            self._report.alarms.append(held)
        now = self._clock.now()
        return after.read_whole(
            self._options.rules,
            now,
            alarm=" ".join(self._report.alarms) or None,
            look_again=now + _LOOK_AGAIN if held else None,
        )

    def _sweep(self, reader: ListSink[T], walk: PageWalker[T]) -> str | None:
        """Withdraw records that were not seen, or return why that was not done."""
        if not walk.complete or (walk.fruitless and walk.seen):
            return _NOT_TO_THE_END
        if walk.nameless and not self._options.force:
            return f"{walk.nameless} records came without a readable id, so nothing that is missing was withdrawn"
        missing = reader.missing(walk.seen)
        held = objection(missing, self._lease.tenant)
        if held is not None and not (self._options.force or self._is_another_company(walk.seen, missing)):
            return held
        reader.withdraw(missing, walk.seen)
        self._report.withdrawn += len(missing.rows)
        return None

    def _is_another_company(self, seen: Collection[str], missing: Missing) -> bool:
        """Return whether a list that lacks many records is another company's: from another address, or mostly new."""
        before, now = self._before.rules, self._options.rules
        if not (seen and before and now and is_another_source(before, now)):
            return False
        again = (self._known or set()).difference(missing.rows)
        return not is_same_address(before, now) or 2 * len(again) <= len(seen)
