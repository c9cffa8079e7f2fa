"""While the file storage hangs or is slow, colleagues see an error in time, and the documented interface responds."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from portal.adapters.storage.opening import read_whole
from portal.platform.config.settings import TrackerSettings
from portal.platform.errors import StoreUnavailable
from portal.tracker.app import create_tracker
from portal.tracker.hiring.app import HiringMount, create_hiring
from tests.tracker.hiring.applicants import apply
from tests.tracker.hiring.site import READER, HiringSite

WITHIN = 3.0
THREADS = 4


class Dripping:
    """A storage that sends nothing until it is told to, or for five seconds, and then three bytes."""

    def __init__(self) -> None:
        self.ends, self.open_at_once, self._left = threading.Event(), 0, b"xxx"

    @contextmanager
    def open(self, _key: str) -> Iterator[Any]:
        self.open_at_once += 1
        yield self

    def read(self, _size: int) -> bytes:
        self.ends.wait(5)
        sent, self._left = self._left[:1], self._left[1:]
        return sent


@pytest.fixture
def storage(hiring: HiringSite) -> Iterator[Dripping]:
    """Yield the service's storage, for which pages wait WITHIN seconds."""
    made: Any = Dripping()
    services = replace(hiring.services, store=made, cv_within=WITHIN)
    told = TrackerSettings(database_url=hiring.office.database.url, threads=THREADS)
    pages = HiringMount(create_hiring(services), services.concurrency)
    hiring.office.app = create_tracker(told, clock=services.clock, database=services.database, hiring=pages)
    yield made
    made.ends.set()


def test_the_interface_responds_and_each_click_gets_an_error(hiring: HiringSite, storage: Dripping):
    application = apply(hiring, hiring.office.add_vacancy())
    reader = hiring.signed_in(READER)
    with ThreadPoolExecutor(30) as clicks:
        pending = [clicks.submit(reader.client.get, f"/acme/hiring/applications/{application}/cv") for _ in range(20)]
        ends = time.monotonic() + 20
        while storage.open_at_once < THREADS and time.monotonic() < ends:
            time.sleep(0.01)
        began = time.monotonic()
        assert hiring.office.recruiter.get("/vacancies").status_code == 200
        took = time.monotonic() - began
        answers = [one.result(20) for one in pending]
    assert took < WITHIN * 0.8
    assert {one.status_code for one in answers} == {503}
    assert "storage of files does not answer" in answers[0].text
    assert storage.open_at_once == 8


def test_a_slow_download_ends_by_itself_and_frees_its_slot(storage: Dripping):
    free, slow = threading.Semaphore(1), Dripping()
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            read_whole(slow, "a/b", seconds=0.1, free=free)  # type: ignore[arg-type]  only the methods that are called
    assert slow.open_at_once == 1
    slow.ends.set()
    assert free.acquire(timeout=10)
    storage.ends.set()
