"""Cached responses are sent without calling the application, and only while they are valid."""

import threading
from math import inf

from werkzeug.test import Client

from portal.gateway import Gateway
from portal.gateway.access_log import ENV_ROUTE, RoutePath
from portal.gateway.concurrency import ConcurrencyLimit
from portal.gateway.response import GatewayResponse
from portal.gateway.response_cache import ENV_CACHEABLE, ENV_SITE, CachedResponse, Lifetime
from tests.told_clock import ToldClock


class CountingApplication:
    """An application that counts its calls, behind a gateway."""

    def __init__(self, room: ConcurrencyLimit | None = None) -> None:
        self.room = room or ConcurrencyLimit(8, waiting=8)
        self.clock = ToldClock()
        self.lifetime = Lifetime(self.clock.monotonic() + 1)
        self.asked: list[str] = []
        self.meanwhile = lambda: None
        self.keeps = True
        self.place: RoutePath | None = None
        self.front = Gateway(
            self.application,
            self.clock,
            concurrency=self.room,
            max_body_bytes=lambda _method, _path: None,
            busy=lambda: GatewayResponse("503 BUSY", [], b""),
        )

    def application(self, environ, start_response):
        self.asked.append(environ["PATH_INFO"])
        self.meanwhile()
        body = f"{environ['PATH_INFO']} {len(self.asked)}".encode()
        if self.keeps:
            environ[ENV_ROUTE] = self.place
            environ[ENV_CACHEABLE] = CachedResponse(
                [("Content-Type", "text/plain")], body, etag=str(len(self.asked)), lifetime=self.lifetime
            )
            start_response("200 OK", [])
            return []
        start_response("404 NOT FOUND", [("Content-Type", "text/plain")])
        return [body]

    def get(self, path: str, site: str = "/", **more: str):
        return Client(self.front).get(path, environ_overrides={ENV_SITE: site, **more})


def test_the_second_visitor_gets_the_cached_page():
    stand = CountingApplication()
    assert stand.get("/a").text == stand.get("/a").text == "/a 1"
    assert stand.asked == ["/a"]


def test_path_query_and_site_are_part_of_the_cache_key():
    stand = CountingApplication()
    for path, site in (("/a", "/"), ("/a?x=1", "/"), ("/a", "other.example"), ("/b", "/")):
        stand.get(path, site)
    assert stand.asked == ["/a", "/a", "/a", "/b"]


def test_cached_responses_are_counted_like_others():
    stand, told = CountingApplication(), []
    stand.place = RoutePath("/<slug>/", "/acme/", "acme")
    stand.front.access_log.tell.append(told.append)
    etag = stand.get("/a").headers["ETag"]
    stand.get("/a")
    stand.get("/a", HTTP_IF_NONE_MATCH=etag)
    assert stand.asked == ["/a"]
    assert [(one.method, one.status, one.place, one.size) for one in told] == [
        ("GET", 200, stand.place, 4),
        ("GET", 200, stand.place, 4),
        ("GET", 304, stand.place, 0),
    ]


def test_a_post_never_gets_a_cached_response():
    stand = CountingApplication()
    stand.get("/a")
    Client(stand.front).post("/a", environ_overrides={ENV_SITE: "/"})
    assert stand.asked == ["/a", "/a"]


def test_an_expired_page_is_made_again():
    stand = CountingApplication()
    stand.get("/a")
    stand.clock.pass_time(1.0)
    assert stand.get("/a").text == "/a 2"


def test_others_get_the_old_page_while_one_request_refreshes_it():
    stand = CountingApplication()
    stand.get("/a")
    stand.clock.pass_time(1.0)
    beside: list[str] = []

    def others() -> None:
        stand.meanwhile = lambda: None
        crowd = [threading.Thread(target=lambda: beside.append(stand.get("/a").text)) for _ in range(5)]
        for one in crowd:
            one.start()
        for one in crowd:
            one.join()

    stand.meanwhile = others
    stand.get("/a")
    assert beside == ["/a 1"] * 5
    assert len(stand.asked) == 2


def test_an_expired_page_is_sent_for_a_second_at_most():
    """Even if the refreshing request fails: the page may no longer exist."""
    stand = CountingApplication()
    stand.get("/a")
    stand.keeps = False
    stand.clock.pass_time(1.0)
    assert [stand.get("/a").status_code for _ in range(3)] == [404, 200, 200]
    stand.clock.pass_time(1.0)
    assert [stand.get("/a").status_code for _ in range(3)] == [404, 404, 404]


def test_the_refreshing_request_needs_no_free_slot():
    """A cached page stays available while all slots are taken."""
    stand = CountingApplication(ConcurrencyLimit(1, waiting=0))
    stand.get("/a")
    with stand.room.slot_held():
        assert stand.get("/new").status_code == 503
        stand.clock.pass_time(1.0)
        assert stand.get("/a").text == "/a 2"
        stand.clock.pass_time(1.0)
        assert stand.get("/a").status_code == 503, "a request for an uncached page is limited like any other"


def test_a_page_that_expired_long_ago_is_not_sent():
    stand = CountingApplication()
    stand.get("/a")
    stand.lifetime.end()
    assert stand.get("/a").text == "/a 2"
    assert stand.get("/a").text == "/a 3"


def test_an_evicted_page_is_made_again():
    stand = CountingApplication()
    kept: list[CachedResponse] = []
    front_keep = stand.application

    def remembering(environ, start_response):
        try:
            return front_keep(environ, start_response)
        finally:
            kept.append(environ[ENV_CACHEABLE])

    stand.front._application = remembering
    stand.get("/a")
    kept[0].forget()
    assert stand.get("/a").text == "/a 2"


def test_the_cache_is_bounded_for_any_number_of_addresses():
    stand = CountingApplication()
    stand.lifetime = Lifetime(inf)
    stand.front._cache._most = 3
    for number in range(5):
        stand.get(f"/a?{number}")
    stand.asked.clear()
    for number in (4, 3, 2, 1):
        stand.get(f"/a?{number}")
    assert stand.asked == ["/a"]
    stand.get("/a?" + "x" * 300)
    assert len(stand.front._cache._queries) == 3


def test_invented_queries_evict_no_page():
    stand = CountingApplication()
    stand.lifetime = Lifetime(inf)
    stand.front._cache._most = 3
    stand.get("/a")
    for number in range(5):
        stand.get(f"/a?q={number}")
    stand.asked.clear()
    stand.get("/a")
    assert stand.asked == []


def test_a_page_evicted_before_it_is_sent_is_made_once_more():
    stand = CountingApplication()
    evicted = CachedResponse([], b"gone", etag="1", lifetime=stand.lifetime)
    evicted.forget()

    def application(environ, start_response):
        stand.asked.append(environ["PATH_INFO"])
        if len(stand.asked) == 1:
            environ[ENV_CACHEABLE] = evicted
            start_response("200 OK", [])
            return []
        start_response("404 NOT FOUND", [("Content-Type", "text/plain")])
        return [b"the second answer"]

    stand.front._application = application
    answer = stand.get("/a")
    assert (answer.status_code, answer.text) == (404, "the second answer")
    assert stand.asked == ["/a", "/a"]


def test_a_page_evicted_twice_is_not_made_a_third_time():
    stand = CountingApplication()

    def application(environ, start_response):
        stand.asked.append(environ["PATH_INFO"])
        environ[ENV_CACHEABLE] = CachedResponse([], b"gone", etag="1", lifetime=stand.lifetime)
        environ[ENV_CACHEABLE].forget()
        start_response("200 OK", [])
        return []

    stand.front._application = application
    assert stand.get("/a").status_code == 503
    assert stand.asked == ["/a", "/a"]
