"""How long a page of self-service waits for a tenant's service, and how many pages do so at once.

A page is made in a thread of the web server. Without this, one service that hangs would take them all, and with them
the pages of every other company.
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from portal.clock import Clock
from portal.errors import NotNow
from portal.tenants.model import Tenant
from portal.upstream.client import Upstream
from portal.upstream.deadline import within

_PAGE = 6.0
"""Seconds that all questions of one page may take together."""
_ROOM = 0.5
"""Seconds that a page waits for its turn to ask."""
_AT_ONCE = 4
"""Pages of one process that ask at once; half as many of one tenant."""


class Patience:
    """Lends the client of a tenant's service for the time of one page."""

    def __init__(self, upstream: Callable[[Tenant], Upstream], clock: Clock) -> None:
        self._upstream = upstream
        self._clock = clock
        self._all = threading.BoundedSemaphore(_AT_ONCE)
        self._of_tenant: defaultdict[str, threading.BoundedSemaphore] = defaultdict(
            lambda: threading.BoundedSemaphore(_AT_ONCE // 2)
        )

    @contextmanager
    def asking(self, tenant: Tenant) -> Iterator[Upstream]:
        """The client, whose operations end in time within the block. NotNow where too many pages wait already."""
        theirs = self._of_tenant[tenant.slug]
        if not theirs.acquire(timeout=_ROOM):
            raise _too_many()
        try:
            if not self._all.acquire(timeout=_ROOM):
                raise _too_many()
            try:
                with within(self._clock, _PAGE):
                    yield self._upstream(tenant)
            finally:
                self._all.release()
        finally:
            theirs.release()


def _too_many() -> NotNow:
    return NotNow("too many pages wait for this service already", operation="4.2")
