"""What a room brings to a pass: what the records of its list become."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic

from portal.clock import Clock
from portal.errors import GaveWay, TookTooLong
from portal.passes.deletions import Missing
from portal.passes.lease import Lease
from portal.passes.walk import T
from portal.upstream.page import Page


@dataclass(slots=True)
class Report:
    """What a pass did. skipped: another worker is reading the list, or it is not due any more; nothing was done.

    bad: records that are set aside. seconds: that it took. alarms: what an operator has to know; empty when all is
    well.
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
    """When a pass must be over, by the clock that never goes back. gives_way: whether it must be at once."""

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
class Reading:
    """One reading of a list within a pass. since: None when it is read from its beginning."""

    lease: Lease
    deadline: Deadline
    report: Report
    since: datetime | None


class Reader(ABC, Generic[T]):
    """Stores one reading of one tenant's list. Whatever it writes, it writes in transactions of `reading.lease`."""

    def prepare(self) -> None:
        """Before anything is asked of the service."""

    @abstractmethod
    def fetch(self, *, limit: int, modified_since: datetime | None, cursor: str | None) -> Page[T]:
        """Ask the service for a page."""

    @abstractmethod
    def dated(self, record: T) -> datetime | None:
        """A time within the record, in the service's own time, that has passed when it is sent."""

    @abstractmethod
    def store(self, page: Page[T]) -> None:
        """Commit what is new in a page; what did not change is not written."""

    def complete(self, seen: Collection[str]) -> None:
        """After the last page, before anything is withdrawn. seen: ids that came."""

    @abstractmethod
    def missing(self, seen: Collection[str]) -> Missing:
        """What is stored and was not among `seen`."""

    @abstractmethod
    def withdraw(self, missing: Missing, seen: Collection[str]) -> None:
        """The service no longer has these."""

    def settle(self, *, written: bool) -> None:
        """At the very end. written: whether the pass wrote anything down, so that one write more is no matter."""


Reads = Callable[[Reading], Reader[T]]
"""Makes the reader of one reading."""
