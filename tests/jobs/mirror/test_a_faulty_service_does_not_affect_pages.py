"""Each fault on a real socket: pages stay unchanged, the fault is reported, and one successful sync is enough."""

import gzip
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from portal.adapters.tracker_client.errors import TrackerError
from portal.background.sync.run import PassOptions, Report
from portal.jobs.mirror import mirror, state
from portal.jobs.posting import Posting
from tests.jobs.conftest import Mirror
from tests.jobs.loopback import Served, served
from tests.jobs.standin import json_response, vacancy

JOBS = 130
EMPTY = {"items": [], "pageInfo": {"nextCursor": None, "hasNextPage": False}}


class Outage:
    """A job index of 130 jobs whose service then changes one, creates one, deletes one, and fails."""

    def __init__(self, mirrored: Mirror, service: Served) -> None:
        self.mirrored = mirrored
        self.service = service
        for number in range(JOBS):
            mirrored.service.put(vacancy(f"v{number}", f"Nurse {number}"))
            mirrored.clock.pass_time(2)
        mirrored.clock.pass_time(3_600)
        self.sync(full=True)
        mirrored.service.put(vacancy("v1", "Doctor"))
        mirrored.service.put(vacancy("new", "Carpenter"))
        mirrored.service.delete("v2")
        mirrored.clock.pass_time(60)

    def sync(self, *, full: bool = False) -> Report:
        client = self.service.client()
        try:
            order = PassOptions(full=full)
            return mirror.sync(self.mirrored.database, client, self.mirrored.tenant, self.mirrored.clock, order)
        finally:
            client.close()

    def fault(self, answer: Callable[[httpx.Request], httpx.Response | None] | httpx.Response | None) -> None:
        self.mirrored.service.fault = (lambda _: answer) if isinstance(answer, httpx.Response) else answer

    def fails(self) -> str:
        """Check that both kinds of sync fail, and say why."""
        for full in (False, True):
            with pytest.raises(TrackerError):
                self.sync(full=full)
        self.pages_are_unchanged()
        said = state.problems(self.mirrored.database, self.mirrored.tenant, self.mirrored.clock.now())
        assert "failing since" in said[0]
        return said[0]

    def pages_are_unchanged(self) -> None:
        assert self.mirrored.find().total >= JOBS
        assert isinstance(self.mirrored.posting("v2"), Posting)
        assert isinstance(self.mirrored.posting("v77"), Posting)

    def recovers(self) -> None:
        """Sync successfully: changes are read immediately, and the next full sync finds the deletion."""
        self.fault(None)
        self.mirrored.clock.pass_time(60)
        report = self.sync()
        assert [self.mirrored.titles("doctor"), self.mirrored.titles("carpenter")] == [["Doctor"], ["Carpenter"]]
        if not report.full:
            self.sync(full=True)
        assert self.mirrored.find().total == JOBS
        assert not isinstance(self.mirrored.posting("v2"), Posting)
        assert state.problems(self.mirrored.database, self.mirrored.tenant, self.mirrored.clock.now()) == []


@pytest.fixture
def outage(mirrored: Mirror) -> Iterator[Outage]:
    with served(mirrored.service) as service:
        yield Outage(mirrored, service)


def test_service_is_unavailable(outage: Outage):
    outage.service.stop()
    outage.fails()
    outage.service.start()
    outage.recovers()


def test_service_responds_byte_by_byte(outage: Outage):
    outage.service.handler.drip = 0.2
    outage.service.deadline = 1.0
    outage.fails()
    outage.service.handler.drip = 0.0
    outage.service.deadline = 20.0
    outage.recovers()


def test_service_responds_with_html(outage: Outage):
    outage.fault(httpx.Response(200, html="<html><body>We'll be back</body></html>"))
    outage.fails()
    outage.recovers()


def test_service_rejects_the_key(outage: Outage):
    outage.fault(httpx.Response(401, json={"title": "who are you"}))
    assert "401" in outage.fails() or "key" in outage.fails()
    outage.recovers()


def test_service_has_an_internal_error(outage: Outage):
    outage.fault(httpx.Response(500, text="oops"))
    outage.fails()
    outage.recovers()


def test_service_requests_a_pause(outage: Outage):
    outage.fault(httpx.Response(429, headers={"Retry-After": "120"}))
    outage.fails()
    later = outage.mirrored.clock.now() + timedelta(seconds=90)
    assert outage.mirrored.wanted(at=later) == []
    outage.recovers()


def test_list_is_empty(outage: Outage):
    outage.fault(json_response(EMPTY))
    assert outage.sync().alarms == []
    report = outage.sync(full=True)
    assert report.withdrawn == 0
    assert f"{JOBS} of {JOBS} open jobs" in report.alarms[0]
    outage.pages_are_unchanged()
    assert report.alarms[0] in state.problems(
        outage.mirrored.database, outage.mirrored.tenant, outage.mirrored.clock.now()
    )
    outage.recovers()


def test_list_is_empty_while_changes_wait(outage: Outage):
    outage.mirrored.clock.pass_time(3_600)
    outage.fault(json_response(EMPTY))
    outage.sync()
    outage.sync(full=True)
    outage.recovers()


@pytest.mark.parametrize("full", [False, True])
def test_last_page_of_the_list_is_empty(outage: Outage, *, full: bool):
    service = outage.mirrored.service
    for number in range(60, 90):
        service.put(vacancy(f"v{number}", f"Nurse of ward {number}"))
        outage.mirrored.clock.pass_time(2)
    service.page_most = 16

    def last(request: httpx.Request) -> httpx.Response | None:
        is_last = not service.page(dict(request.url.params))["pageInfo"]["hasNextPage"]
        return json_response(EMPTY) if is_last and "cursor" in request.url.params else None

    outage.fault(last)
    report = outage.sync(full=full)
    assert report.withdrawn == 0
    assert bool(report.alarms) == full
    outage.pages_are_unchanged()
    service.page_most = 50
    outage.mirrored.clock.pass_time(3_600)
    outage.recovers()
    assert outage.mirrored.find("ward").total == 30


def test_half_of_the_list_is_missing(outage: Outage):
    kept = dict(outage.mirrored.service.records)
    for key in list(kept)[: JOBS // 2]:
        outage.mirrored.service.records.pop(key)
    report = outage.sync(full=True)
    assert report.withdrawn == 0
    assert report.alarms
    outage.pages_are_unchanged()
    outage.mirrored.service.records |= kept
    outage.recovers()


def test_third_page_fails(outage: Outage):
    def third(request: httpx.Request) -> httpx.Response | None:
        asked = [r for r in outage.mirrored.service.requests if "modifiedSince" not in r.url.params]
        return httpx.Response(502) if "cursor" in request.url.params and len(asked) % 3 == 0 else None

    outage.mirrored.service.requests.clear()
    outage.fault(third)
    with pytest.raises(TrackerError):
        outage.sync(full=True)
    outage.pages_are_unchanged()
    outage.recovers()


def test_cursor_does_not_advance(outage: Outage):
    first = outage.mirrored.service.page({"limit": "25"})
    stuck = {"items": first["items"], "pageInfo": {"nextCursor": first["pageInfo"]["nextCursor"], "hasNextPage": True}}
    outage.fault(json_response(stuck))
    outage.mirrored.service.requests.clear()
    report = outage.sync()
    assert report.full
    assert len(report.alarms) == 2
    assert len(outage.mirrored.service.requests) < 100
    outage.pages_are_unchanged()
    outage.recovers()


def test_cursor_never_ends(outage: Outage):
    numbers = iter(range(1_000_000))

    def endless(_: httpx.Request) -> httpx.Response:
        at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=next(numbers))
        return json_response(
            {"items": [vacancy("v7")], "pageInfo": {"nextCursor": at.isoformat(), "hasNextPage": True}}
        )

    outage.fault(endless)
    assert outage.sync(full=True).alarms
    assert next(numbers) < 200
    outage.pages_are_unchanged()
    outage.recovers()


def test_cursor_is_not_a_time(outage: Outage):
    stuck = {"items": [vacancy("v7")], "pageInfo": {"nextCursor": "abracadabra", "hasNextPage": True}}
    outage.fault(json_response(stuck))
    assert outage.sync(full=True).alarms
    outage.pages_are_unchanged()
    outage.recovers()


@pytest.mark.parametrize("year", [2099, 9999, 1970])
def test_clock_of_the_service_is_wrong(outage: Outage, year: int):
    outage.mirrored.service.date = lambda: datetime(year, 1, 1, tzinfo=UTC)
    outage.mirrored.service.put(vacancy("v3", "Nurse of tomorrow", created_at=f"{year}-01-01T00:00:00Z"))
    outage.sync()
    outage.sync(full=True)
    outage.mirrored.service.date = outage.mirrored.clock.now
    outage.mirrored.clock.pass_time(1_800)
    outage.mirrored.service.put(vacancy("v4", "Midwife"))
    outage.sync()
    assert outage.mirrored.titles("midwife") == ["Midwife"]
    outage.recovers()


def test_service_sends_no_time(outage: Outage):
    outage.mirrored.service.date = lambda: None
    outage.mirrored.clock.pass_time(86_400)
    outage.sync()
    outage.mirrored.service.put(vacancy("v4", "Midwife"))
    outage.mirrored.clock.pass_time(60)
    outage.sync()
    assert outage.mirrored.titles("midwife") == ["Midwife"]
    outage.recovers()


def test_one_vacancy_has_five_megabytes(outage: Outage):
    huge = vacancy("v5", "Nurse", description="<p>" + "x" * 5_000_000)
    outage.mirrored.service.put(huge)
    report = outage.sync()
    assert report.bad == 1
    outage.pages_are_unchanged()
    assert mirrored_title(outage, "v5") == "Nurse 5"
    outage.mirrored.service.put(vacancy("v5", "Nurse of five"))
    outage.recovers()
    assert mirrored_title(outage, "v5") == "Nurse of five"


def test_response_is_a_gzip_bomb(outage: Outage):
    bomb = gzip.compress(b" " * 100_000_000)
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    outage.fault(httpx.Response(200, headers=headers, stream=httpx.ByteStream(bomb)))
    outage.fails()
    outage.recovers()


def test_response_is_truncated(outage: Outage):
    half = str(outage.mirrored.service.page({})).encode()[:500]
    outage.fault(httpx.Response(200, content=half, headers={"Content-Type": "application/json"}))
    outage.fails()
    outage.recovers()


def mirrored_title(outage: Outage, posting_id: str) -> str:
    found = outage.mirrored.posting(posting_id)
    assert isinstance(found, Posting)
    return found.title
