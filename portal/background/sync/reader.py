"""The interface that a caller implements for a pass: it stores the records of one list."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic

from portal.adapters.tracker_client.page import ListPage
from portal.background.sync.lease import Lease
from portal.background.sync.paging import T
from portal.background.sync.state import Missing
from portal.platform.clock import Clock
from portal.platform.errors import GaveWay, TookTooLong


@dataclass(slots=True)
class Report:
    """The result of a pass.

    skipped: nothing was done, because another worker is reading the list, or it is no longer due. bad: unreadable
    records. seconds: duration. alarms: what operators have to know; empty when all is well.
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
    """The time limit of a pass, by the monotonic clock. gives_way: returns whether the pass must yield at once."""

    def __init__(self, clock: Clock, seconds: float, gives_way: Callable[[], bool] = lambda: False) -> None:
        self._clock = clock
        self._gives_way = gives_way
        self._seconds = seconds
        self._ends = clock.monotonic() + seconds

    def check(self) -> None:
        """Raise TookTooLong when the time is up, GaveWay when others wait; called before each request."""
        if self._gives_way():
            raise GaveWay("the pass is long and others wait: it is made again when there is room")
        if self._clock.monotonic() >= self._ends:
            raise TookTooLong(
                f"the pass was broken off after {self._seconds / 60:.0f} minutes: the service is too slow"
            )


@dataclass(frozen=True, slots=True)
class ListReading:
    """One reading of a list within a pass. since: None when it is read from its beginning."""

    lease: Lease
    deadline: Deadline
    report: Report
    since: datetime | None


class Reader(ABC, Generic[T]):
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


Reads = Callable[[ListReading], Reader[T]]
"""Creates the reader of one reading."""
