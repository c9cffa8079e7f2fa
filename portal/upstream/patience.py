"""How long a page waits for a tenant's service, and how many pages do so at once.

A page is made in a thread of the web server. Without this, one service that hangs would take them all, and with them
the pages of every other company.
"""

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from portal.clock import Clock
from portal.errors import NotNow
from portal.upstream.deadline import within

_PAGE = 6.0
"""Seconds that all questions of one page may take together."""
_ROOM = 0.5
"""Seconds that a page waits for its turn to ask."""
_AT_ONCE = 4
"""Pages of one process that ask at once; half as many of one tenant."""


class Patience:
    """Bounds what the pages of one process wait for."""

    def __init__(self) -> None:
        self._all = threading.BoundedSemaphore(_AT_ONCE)
        self._of_tenant: defaultdict[str, threading.BoundedSemaphore] = defaultdict(
            lambda: threading.BoundedSemaphore(_AT_ONCE // 2)
        )

    @contextmanager
    def room(self, tenant: str, clock: Clock) -> Iterator[None]:
        """Exchanges with the tenant's service end in time within the block. NotNow where too many pages wait."""
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
