"""Limits how long a page waits for a tenant's service, and how many pages wait at the same time.

Each page occupies a thread of the web server. Without limits, one service that does not respond would occupy all of
them, and no other company's pages could be served.
"""

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from portal.adapters.tracker_client.deadline import within
from portal.platform.clock import Clock
from portal.platform.errors import NotNow

_PAGE = 6.0
"""Seconds that all requests to the service for one page may take together."""
_ROOM = 0.5
"""Seconds that a page waits for a free place before it gives up."""
_AT_ONCE = 4
"""Pages of one process that wait for services at the same time; half as many of one tenant."""


class PageConcurrencyLimit:
    """Concurrency limit for the pages of one process that wait for a service."""

    def __init__(self) -> None:
        self._all = threading.BoundedSemaphore(_AT_ONCE)
        self._of_tenant: defaultdict[str, threading.BoundedSemaphore] = defaultdict(
            lambda: threading.BoundedSemaphore(_AT_ONCE // 2)
        )

    @contextmanager
    def room(self, tenant: str, clock: Clock) -> Iterator[None]:
        """Limit requests in the block to six seconds together. Raises NotNow if too many pages are waiting already."""
        with _taken(self._of_tenant[tenant]), _taken(self._all), within(clock, _PAGE):
            yield


@contextmanager
def _taken(room: threading.BoundedSemaphore) -> Iterator[None]:
    if not room.acquire(timeout=_ROOM):
        raise NotNow("too many pages wait for this service already", operation="4.2")
    try:
        yield
    finally:
        room.release()
