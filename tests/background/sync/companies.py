"""Several companies of one portal, whose services can be made to wait or fail one by one."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from portal.platform.clock import SystemClock
from tests import builders
from tests.told_clock import ToldClock


class Services(httpx.BaseTransport):
    """A transport to every company's service. asked: company and path of each request.

    held: companies whose service does not respond until it is removed from this set. fault: an error raised instead.
    """

    def __init__(self) -> None:
        self.behind: httpx.BaseTransport | None = None
        self.company: dict[str, str] = {}
        self.asked: list[tuple[str, str]] = []
        self.held: set[str] = set()
        self.fault: Callable[[str], httpx.Response | None] = lambda _: None
        self._changed = threading.Condition()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        company = self.company[request.headers["x-api-key"]]
        with self._changed:
            self.asked.append((company, request.url.path))
            self._changed.notify_all()
            assert self._changed.wait_for(lambda: company not in self.held, timeout=60)
        answer = self.fault(company)
        if answer is not None:
            return answer
        assert self.behind is not None
        return self.behind.handle_request(request)

    def let_go(self) -> None:
        with self._changed:
            self.held.clear()
            self._changed.notify_all()

    def requests(self, company: str) -> int:
        return sum(1 for asked, _ in list(self.asked) if asked == company)

    def until_asked(self, company: str, times: int) -> None:
        """Wait for that many further requests to a company."""
        there = self.requests(company)
        with self._changed:
            assert self._changed.wait_for(lambda: self.requests(company) >= there + times, timeout=60), company


@contextmanager
def portal(
    folder: Path, url: str, *companies: str, clock: SystemClock | ToldClock | None = None, **settings: object
) -> Iterator[tuple[builders.Portal, Services]]:
    services = Services()
    made = builders.portal(folder / "made", clock=clock, database_url=url, transport=services, **settings)
    services.behind = made.service.transport
    for company in companies:
        made.add_tenant(company, company.title())
        services.company[made.keys[company]] = company
    if isinstance(made.parts.clock, ToldClock):
        made.parts.clock.pass_time(1)  # the folder is read again
    try:
        yield made, services
    finally:
        made.parts.close()


@contextmanager
def working(made: builders.Portal, services: Services, *, held: set[str], **how: int) -> Iterator[None]:
    """Run a worker for companies, some of them held; at the end all are released and the worker stops."""
    services.held = held
    stop = threading.Event()
    worker = threading.Thread(target=lambda: made.work.run(stop, threads=1, **how))
    worker.start()
    try:
        yield
    finally:
        stop.set()
        services.let_go()
        worker.join(60)
    assert not worker.is_alive()


def until(true: Callable[[], object], what: str) -> None:
    ends = time.monotonic() + 60
    while not true():
        assert time.monotonic() < ends, what
        time.sleep(0.02)
