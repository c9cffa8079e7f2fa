"""If the service sends no modification times, the search for a record is limited in pages and time."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta

import httpx
import pytest

from portal.adapters.tracker_client.client import TrackerClient
from portal.adapters.tracker_client.errors import TemporarilyUnavailable
from portal.delivery.record_changes import model
from portal.delivery.record_changes.kind import CHANGE
from portal.people.index.index import IndexedCandidate
from portal.people.index.tables import candidates
from tests.delivery.record_changes.change_scene import ChangeScene, Relay
from tests.site.account.candidate import ADA, Visitor
from tests.site.apply.applicant import Page
from tests.told_clock import ToldClock

SOMEBODY = IndexedCandidate("k", "her-id", None)


class LongList(httpx.BaseTransport):
    """Pages of other candidates; hers is on page `at`, the list ends after `end`. Each is counted, and takes 1 s."""

    def __init__(self, clock: ToldClock, *, at: int = 0, end: int = 10_000, more: str = "") -> None:
        self.clock, self.at, self.end, self.more, self.asked = clock, at, end, more, 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:  # noqa: ARG002  httpx's signature
        self.asked += 1
        self.clock.pass_time(1)
        here: dict[str, object] = {"id": "her-id" if self.asked == self.at else f"c{self.asked}"}
        if self.more:
            here[self.more] = ["not", "a", "name"]
        info = {"hasNextPage": self.asked < self.end, "nextCursor": str(self.asked)}
        words = json.dumps({"items": [here], "pageInfo": info}).encode()
        return httpx.Response(200, stream=httpx.ByteStream(words), headers={"Content-Type": "application/json"})


def service(transport: LongList) -> TrackerClient:
    return TrackerClient(
        base_url="http://127.0.0.1",
        slug="acme",
        api_key="k",
        clock=transport.clock,
        deadline=10**6,
        transport=transport,
    )


def test_a_record_on_one_of_the_first_pages_is_found():
    transport = LongList(ToldClock(), at=100)
    assert model.fetch(service(transport), SOMEBODY) is not None


def test_a_record_beyond_the_searched_pages_is_not_reported_as_deleted():
    transport = LongList(ToldClock(), at=101)
    with pytest.raises(TemporarilyUnavailable):
        model.fetch(service(transport), SOMEBODY)
    assert transport.asked == 100


def test_a_record_missing_from_a_complete_list_is_reported_as_deleted():
    assert model.fetch(service(LongList(ToldClock(), end=100)), SOMEBODY) is None


def test_an_unreadable_record_is_not_reported_as_deleted():
    with pytest.raises(TemporarilyUnavailable):
        model.fetch(service(LongList(ToldClock(), at=2, end=3, more="name")), SOMEBODY)


class LostResponses(Relay):
    """The service's answers to questions are lost."""

    cut = False

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.cut and request.method == "GET":
            raise httpx.ReadError("cut", request=request)
        return super().handle_request(request)


def test_a_change_is_not_reported_as_sent_when_the_search_was_cut_short(scene: ChangeScene):
    first = scene.send("Augusta")
    relay = LostResponses()
    relay.service, relay.cut = scene.relay.service, True
    scene.portal.parts.transport = relay
    scene.portal.parts._clients.clear()
    scene.deliver()
    assert scene.state(first) == "retry"
    relay.cut = False
    scene.deliver(after=60)
    assert relay.sent == ["Augusta"]


class RequestTimes(Relay):
    """Records the `modified since` of each request for candidates."""

    def __init__(self) -> None:
        super().__init__()
        self.since: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET" and request.url.path.endswith("/candidates"):
            self.since.append(request.url.params.get("modifiedSince", ""))
        return super().handle_request(request)


def test_the_search_starts_where_the_index_last_saw_the_record(scene: ChangeScene):
    change = scene.send("Augusta")
    later = scene.portal.parts.clock.now()
    with scene.db.write() as connection:  # the record was modified since, and the index has followed
        connection.execute(candidates.update().values(modified_at=later))
    relay = RequestTimes()
    relay.service = scene.relay.service
    scene.portal.parts.transport = relay
    scene.portal.parts._clients.clear()
    scene.deliver()
    assert datetime.fromisoformat(relay.since[0]) == later - timedelta(milliseconds=1)
    assert scene.state(change) == "delivered"


def test_a_worker_stops_reading_before_its_lease_ends(scene: ChangeScene):
    first = scene.send("Augusta")
    slow = LongList(scene.portal.parts.clock)
    slow_page, limit = slow.handle_request, scene.portal.work._handlers[CHANGE.name]._max_check_seconds
    scene.portal.parts.transport = slow
    scene.portal.parts._clients.clear()

    def page(request: httpx.Request, one: Callable[[httpx.Request], httpx.Response] = slow_page) -> httpx.Response:
        scene.portal.parts.clock.pass_time(29)
        return one(request)

    slow.handle_request = page  # type: ignore[method-assign]  half a minute a page
    began = scene.portal.parts.clock.now()
    scene.deliver()
    assert scene.state(first) == "retry"
    assert (scene.portal.parts.clock.now() - began).total_seconds() <= limit + 30


def test_the_candidate_is_told_that_the_record_was_not_found(scene: ChangeScene):
    ada = Visitor(scene.portal)
    ada.sign_in()
    long = LongList(scene.portal.parts.clock)
    scene.portal.parts.transport = long
    scene.portal.parts._clients.clear()
    with scene.db.write() as connection:
        connection.execute(candidates.update().values(modified_at=None))
    page = Page(ada.client.get("/acme/profile/edit"))
    assert page.status == 503
    assert page.headers["retry-after"] == "60"
    assert "did not respond in time" in page.words
    assert "write to Acme" in page.words
    assert ADA not in page.text
    assert long.asked < 20
