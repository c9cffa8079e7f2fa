"""Who makes editions, and who waits for them.

An edition is made in a thread of its own, outside the room for requests: one at a time for a tenant, so that a large
one holds up no other. Who asks waits for a moment; while the next one is made, the last whole one is sent; what could
not be made is not tried again for half a minute, and nothing is sent meanwhile.
"""

import logging
import threading
from collections.abc import Callable, Iterable

from portal.clock import Clock
from portal.errors import NotWhole, PortalError, place_of
from portal.reach.editions import Edition, Editions

log = logging.getLogger(__name__)

WITHIN = 300.0
"""Seconds that one may take."""
_AT_ONCE = 4
"""Tenants whose feeds are made at once by one process."""
_WAITING = 16
"""Requests that wait at once; others get what is there."""
_RESTS = 30.0
"""Seconds after a failure."""
_FAILURES_MOST = 1_000

Job = tuple[str, str, str]
"""Slug, feed, key."""


class Press:
    """One in a process."""

    def __init__(self, editions: Editions, clock: Clock) -> None:
        self._editions = editions
        self._clock = clock
        self._changed = threading.Condition()
        self._running: set[str] = set()
        self._failed: dict[Job, tuple[float, str]] = {}
        self._places = threading.Semaphore(_WAITING)

    def edition(self, job: Job, pieces: Callable[[], Iterable[str]], *, patience: float) -> tuple[Edition, bool]:
        """The edition of this key; while it is made, the last one, and False. Raises NotWhole.

        patience: seconds for which this thread may wait, each time for what is made before it and for its own.
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
        except Exception as error:  # noqa: BLE001  it has no caller that could tell
            why = f"a fault of the portal: {place_of(error)}"
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
