"""Read a list (§4.11) page after page to its end, even if its cursor misbehaves.

A vacancy's cursor is a modification time: records that share one may come twice, or fill a page so that the cursor
cannot move past them. Then the largest page size is tried; if that is not enough, the instant is skipped and the walk
is incomplete. A candidate's cursor is opaque, so a walk through candidates ends there. No walk loops forever.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Generic, Protocol, TypeVar

from portal.adapters.tracker_client.page import ListPage
from portal.contract.bounds import PAGE_DEFAULT, PAGE_MAX
from portal.contract.candidates import Candidate
from portal.contract.vacancies import Vacancy

_BARREN_MOST = 3
_STEPS_MOST = 20
_PAGES_MOST = 40_000

T = TypeVar("T", bound=Vacancy | Candidate)


class Fetch(Protocol[T]):
    """A function that fetches one page: TrackerClient.vacancies or TrackerClient.candidates."""

    def __call__(self, *, limit: int, modified_since: datetime | None, cursor: str | None) -> ListPage[T]: ...  # noqa: D102


class PageWalker(Generic[T]):
    """One reading of a list; after the last page, `complete` says whether every record was read.

    limit: records per page, until a larger page is needed. dated: returns a time from a record that has passed when the
    record is sent. before_each: called before each request.

    seen: every id received, readable or not. nameless: number of unreadable records without an id. fruitless: the last
    page was empty, so the list may have ended too early: a page that follows others exists only because it has records
    (§4.11), and a failing service may list none.
    """

    def __init__(
        self,
        fetch: Fetch[T],
        modified_since: datetime | None,
        *,
        limit: int | None = None,
        dated: Callable[[T], datetime | None] = lambda _: None,
        before_each: Callable[[], None] = lambda: None,
    ) -> None:
        self._fetch = fetch
        self._since = modified_since
        self._dated = dated
        self._before_each = before_each
        self._limit = limit or (PAGE_MAX if modified_since is None else PAGE_DEFAULT)
        self._visited: set[str] = set()
        self._barren = 0
        self._steps = 0
        self._began: datetime | None = None
        self._latest: datetime | None = None
        self.seen: set[str] = set()
        self.nameless = 0
        self.complete = False
        self.fruitless = False

    def pages(self) -> Iterator[ListPage[T]]:
        """Yield every page; a record that comes again is newer than before. Raises TrackerError."""
        cursor: str | None = None
        for number in range(_PAGES_MOST):
            self._before_each()
            page = self._fetch(limit=self._limit, modified_since=self._since, cursor=cursor)
            if number == 0:
                self._began = page.served_at
            found_new = self._take(page)
            yield page
            if not page.has_next or page.next_cursor is None:
                self.complete = self._steps == 0
                self.fruitless = not (page.items or page.bad)
                return
            going_on = self._after(cursor, page.next_cursor, found_new=found_new)
            if going_on is None:
                return
            self._visited.add(page.next_cursor)
            cursor = going_on

    def watermark(self, now: datetime) -> datetime | None:
        """Return the time, by the service's clock, up to which everything was read; None if that is unknown.

        It is the service's time when the walk began, else the latest time in its records. Never later than `now`: a
        clock that is years ahead would hide every change until then. None after a walk that was incomplete or ended
        with an empty page: a failing service may show an empty list, and changes made meanwhile would never be read.
        """
        if not self.complete or self.fruitless:
            return None
        service_time = self._began or self._latest
        return min(service_time, now) if service_time else None

    def _take(self, page: ListPage[T]) -> bool:
        ids = {record.id for record in page.items} | {bad.id for bad in page.bad if bad.id}
        self.nameless += sum(1 for bad in page.bad if not bad.id)
        found_new = not ids <= self.seen
        self.seen |= ids
        for at in (_instant(page.next_cursor), *map(self._dated, page.items)):
            if at is not None and (self._latest is None or at > self._latest):
                self._latest = at
        return found_new

    def _after(self, cursor: str | None, following: str, *, found_new: bool) -> str | None:
        """Return the cursor to request next; None if the list cannot be read further."""
        self._barren = 0 if found_new else self._barren + 1
        stands_still = following == cursor or following in self._visited
        if found_new or not (stands_still or self._barren >= _BARREN_MOST):
            return following
        if self._limit < PAGE_MAX:
            self._limit, self._barren = PAGE_MAX, 0
            return following
        at = _instant(following)
        self._steps += 1
        if self._since is not None or at is None or self._steps > _STEPS_MOST:
            return None
        self._barren = 0
        try:
            return (at + timedelta(milliseconds=1)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        except OverflowError:  # the end of the year 9999
            return None


def _instant(text: str | None) -> datetime | None:
    try:
        found = datetime.fromisoformat(text or "")
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
