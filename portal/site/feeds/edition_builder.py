"""Builds editions of feeds, and limits who waits for them.

An edition is built in a thread of its own, outside the concurrency limit of requests, one at a time for a tenant, so
that a large one delays no other tenant's. A request waits for a moment; while the next edition is being built, it gets
the last complete one. After a failure nothing is built or sent for half a minute.
"""

import logging
import threading
from collections.abc import Callable, Iterable

from portal.platform.clock import Clock
from portal.platform.errors import NotWhole, PortalError, place_of
from portal.site.feeds.editions import Edition, Editions

log = logging.getLogger(__name__)

WITHIN = 300.0
"""Seconds that building one edition may take."""
_AT_ONCE = 4
"""Tenants whose feeds one process builds at once."""
_WAITING = 16
"""Requests that wait at once; others get the last edition."""
_RESTS = 30.0
"""Seconds without another attempt after a failure."""
_FAILURES_MOST = 1_000

Job = tuple[str, str, str]
"""(slug, feed, key)."""


class EditionBuilder:
    """The builder of editions; one in each process."""

    def __init__(self, editions: Editions, clock: Clock) -> None:
        self._editions = editions
        self._clock = clock
        self._changed = threading.Condition()
        self._running: set[str] = set()
        self._failed: dict[Job, tuple[float, str]] = {}
        self._places = threading.Semaphore(_WAITING)

    def edition(self, job: Job, pieces: Callable[[], Iterable[str]], *, patience: float) -> tuple[Edition, bool]:
        """Return the edition of this key and True; while it is being built, the last one and False. Raises NotWhole.

        patience: seconds for which this thread may wait, once for the edition being built before it and once for its
        own.
        """
        found = self._editions.find(*job)
        if found is None:
            waits = self._places.acquire(blocking=False)
            try:
                found = self._awaited(job, pieces, patience if waits else 0.0)
            finally:
                if waits:
                    self._places.release()
        if found is not None:
            return found, True
        self._refuse_what_failed(job)
        if last := self._editions.last(job[0], job[1]):
            return last, False
        raise NotWhole(f"{job[1]} of {job[0]} is being made for the first time")

    def _awaited(self, job: Job, pieces: Callable[[], Iterable[str]], patience: float) -> Edition | None:
        slug = job[0]
        with self._changed:
            self._changed.wait_for(lambda: self._is_free(slug), timeout=patience)
            self._refuse_what_failed(job)
            if found := self._editions.find(*job):
                return found
            if self._is_free(slug):
                self._running.add(slug)
                threading.Thread(target=self._make, args=(job, pieces), daemon=True, name=f"feed of {slug}").start()
            self._changed.wait_for(lambda: slug not in self._running, timeout=patience)
        return self._editions.find(*job)

    def _is_free(self, slug: str) -> bool:
        return slug not in self._running and len(self._running) < _AT_ONCE

    def _make(self, job: Job, pieces: Callable[[], Iterable[str]]) -> None:
        why = None
        try:
            self._editions.make(*job, pieces(), within=WITHIN)
        except PortalError as error:
            why = str(error)
        except Exception as error:  # noqa: BLE001  a thread has no caller that could handle it
            why = f"an internal error: {place_of(error)}"
        with self._changed:
            self._running.discard(job[0])
            self._failed.pop(job, None)
            if why:
                log.warning("%s of %s cannot be made whole: %s", job[1], job[0], why)
                while len(self._failed) >= _FAILURES_MOST:
                    self._failed.pop(next(iter(self._failed)))
                self._failed[job] = (self._clock.monotonic() + _RESTS, why)
            self._changed.notify_all()

    def _refuse_what_failed(self, job: Job) -> None:
        until, why = self._failed.get(job, (0.0, ""))
        if self._clock.monotonic() < until:
            raise NotWhole(why)
