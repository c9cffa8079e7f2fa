"""Searches by name, exports and long descriptions run one at a time; waiting requests hold no slot, and time out."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from portal.gateway.concurrency import ConcurrencyLimit
from portal.platform.config.settings import TrackerSettings
from portal.tracker.app import create_tracker
from portal.tracker.hiring.app import HiringMount, create_hiring
from tests.tracker.hiring.applicants import apply
from tests.tracker.hiring.job_writing import WHOLE, draft, hidden
from tests.tracker.hiring.site import RECRUITER, HiringSite

THREADS = 4
LONG = "# Tasks\n" * 1_000


@pytest.fixture
def heavy(hiring: HiringSite) -> ConcurrencyLimit:
    """Return the lock for expensive pages, with a timeout of a second."""
    made = ConcurrencyLimit(1, waiting=8, timeout=1.0)
    services = replace(hiring.services, heavy=made)
    told = TrackerSettings(database_url=hiring.office.database.url, threads=THREADS)
    pages = HiringMount(create_hiring(services), services.concurrency)
    hiring.office.app = create_tracker(told, clock=services.clock, database=services.database, hiring=pages)
    return made


@pytest.mark.parametrize("way", ["search", "csv", "json", "preview", "draft"])
def test_waiting_requests_delay_no_others(hiring: HiringSite, heavy: ConcurrencyLimit, way: str):
    job = hiring.office.add_vacancy()
    apply(hiring, job, cv=None)
    recruiter = hiring.signed_in(RECRUITER)
    written = draft(recruiter, description=LONG)
    recruiter.get(written)
    token, version = recruiter.token, hidden(recruiter.page, "version")

    def ask() -> Any:
        if way == "search":
            where = f"/acme/hiring/jobs/{job}/applications"
            return recruiter.client.post(where, data={"token": token, "name": "ada"})
        if way == "preview":
            return recruiter.client.get(f"/acme/hiring{written}/preview")
        if way == "draft":
            told, script = WHOLE | {"description": LONG}, {"Accept": "application/json"}
            sent = told | {"token": token, "version": version}
            return recruiter.client.post(f"/acme/hiring{written}", data=sent, headers=script)
        return recruiter.client.post(f"/acme/hiring/jobs/{job}/export.{way}", data={"token": token})

    with ThreadPoolExecutor(THREADS) as people, ExitStack() as turn:
        turn.enter_context(heavy.slot_held())
        asked = [people.submit(ask) for _ in range(THREADS)]
        while heavy.waiting < THREADS:
            assert not any(one.done() for one in asked)
        assert hiring.services.concurrency.working == 0
        answers = [one.result() for one in asked]
    assert {one.status_code for one in answers} == {503}
    assert all(one.headers["Retry-After"] for one in answers)
    assert ask().status_code == 200
