"""A hanging database is reported to colleagues in time, and delays only requests that need it."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import httpx
import pytest

from portal.platform.config.settings import TrackerSettings
from portal.platform.errors import DatabaseUnavailable
from portal.tracker import administration, wsgi
from portal.tracker.app import MEASURED, create_tracker
from portal.tracker.hiring.app import HiringMount, create_hiring
from portal.tracker.hiring.privacy import PortalSide
from tests.parts.postgres import running_postgres
from tests.parts.process import paused
from tests.tracker.hiring.site import RECRUITER, HiringSite

IN_TIME = 16.0


class Hanging:
    """The portal's database, which responds only when it is told to."""

    def __init__(self) -> None:
        self.may, self.asked = threading.Event(), threading.Event()

    @contextmanager
    def read(self) -> Iterator[Any]:
        self.asked.set()
        self.may.wait(5)
        raise DatabaseUnavailable("the database is unavailable")
        yield


def test_a_request_waiting_for_the_portal_database_holds_no_slot(hiring: HiringSite):
    database: Any = Hanging()
    portal = PortalSide(database, hiring.services.seal, hiring.office.clock)
    services = replace(hiring.services, portal=portal)
    told = TrackerSettings(database_url=hiring.office.database.url, threads=1)
    pages = HiringMount(create_hiring(services), services.concurrency)
    hiring.office.app = create_tracker(told, clock=services.clock, database=services.database, hiring=pages)
    recruiter = hiring.signed_in(RECRUITER)
    with ThreadPoolExecutor(1) as people:
        asked = people.submit(recruiter.client.get, "/acme/hiring/requests")
        assert database.asked.wait(5)
        working = services.concurrency.working
        database.may.set()
        assert asked.result().status_code == 503
    assert working == 0


@pytest.mark.verify
def test_waiting_for_the_database_of_the_service_has_a_timeout(monkeypatch: pytest.MonkeyPatch):
    with running_postgres() as server, server.database() as url:
        monkeypatch.setenv("TRACKER_DATABASE_URL", url)
        app = wsgi.application()
        database, _ = app.extensions[MEASURED]
        administration.add_tenant(database, wsgi.SystemClock(), "acme", "Acme Robotics")
        key = {"x-api-key": administration.create_key(database, wsgi.SystemClock(), "acme")}
        client = httpx.Client(transport=httpx.WSGITransport(app=app), base_url="http://service", headers=key)
        assert client.get("/vacancies").status_code == 200
        with ThreadPoolExecutor(4) as people, paused(server.pid):
            asked = [people.submit(client.get, "/vacancies") for _ in range(4)]
            assert {one.result(IN_TIME).status_code for one in asked} == {503}
        ends = time.monotonic() + 30
        while client.get("/vacancies").status_code != 200:
            assert time.monotonic() < ends
            time.sleep(0.2)
        database.close()
