"""Public pages, kept in memory and dropped the moment the mirror changes.

A public page is the same for everyone who opens its address, so it is made once for each version of the tenant's
mirror. Each process keeps its own pages, and asks the database at most every 0.2 s a tenant whether they still hold.
A version also ends by itself at the next startAt or endAt, and with any change of the tenant's file.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from flask import Response, request

from portal.clock import Clock
from portal.tenants.model import Tenant
from portal.vacancies.version import Version
from portal.web import headers
from portal.web.headers import Finished

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_ASK_EVERY = 0.2
_OVERHEAD = 2_000
"""Bytes that a kept page costs beside its body, roughly."""
_NOT_ON_304 = ("Content-Type", "Content-Length")


class _Ready(Finished):
    """An answer that goes out just as it was kept. Werkzeug would copy and check fifteen headers twice, which is what a
    kept page costs otherwise; here they are a list that nobody changes, and hooks see only the status.
    """

    def __init__(self, status: int, lines: list[tuple[str, str]], body: bytes) -> None:
        super().__init__(status=status)
        self._lines = lines
        self._body = body

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        start_response(self.status, self._lines.copy())
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [self._body]


@dataclass(frozen=True, slots=True)
class _Page:
    body: bytes
    etag: str
    whole: list[tuple[str, str]]
    unchanged: list[tuple[str, str]]

    @classmethod
    def of(cls, response: Response) -> "_Page":
        response.add_etag()
        response.headers.setdefault("Cache-Control", headers.PUBLIC_CACHE)
        headers.finish(response)
        body = response.get_data()
        response.content_length = len(body)
        whole = list(response.headers)
        return cls(body, response.headers["ETag"], whole, [line for line in whole if line[0] not in _NOT_ON_304])

    def answer(self) -> Response:
        asked = request.environ.get("HTTP_IF_NONE_MATCH")
        if asked and (asked == self.etag or request.if_none_match.contains_weak(self.etag.strip('"'))):
            return _Ready(304, self.unchanged, b"")
        return _Ready(200, self.whole, self.body)

    @property
    def size(self) -> int:
        return len(self.body) + _OVERHEAD


@dataclass(slots=True)
class _Shelf:
    """Pages of one version. A page that took long to make lands on the shelf it was made for, even if that is gone."""

    tenant: Tenant
    tag: str
    look_again: float
    pages: dict[Hashable, _Page] = field(default_factory=dict)


class PageCache:
    """Kept pages of every tenant, the oldest given up when they pass `max_bytes`.

    current: (tenant's slug, now) → the mirror's version.
    """

    def __init__(
        self, clock: Clock, current: Callable[[str, datetime], Version], *, max_bytes: int = 64 * 1024 * 1024
    ) -> None:
        self._clock = clock
        self._current = current
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._shelves: dict[str, _Shelf] = {}
        self._order: OrderedDict[tuple[str, Hashable], int] = OrderedDict()
        self._bytes = 0

    def answer(self, tenant: Tenant, key: Hashable, make: Callable[[], Response]) -> Response:
        """The page kept under the key, else the one that `make` builds; kept if its status is 200.

        The key holds everything that the page depends on beside tenant and version: address, language, own host.
        """
        shelf = self._shelf(tenant)
        page = shelf.pages.get(key)
        if page is None:
            response = make()
            if response.status_code != 200:
                return response
            page = _Page.of(response)
            self._keep(shelf, key, page)
        return page.answer()

    def _shelf(self, tenant: Tenant) -> _Shelf:
        shelf = self._shelves.get(tenant.slug)
        if shelf is not None and shelf.tenant is tenant and self._clock.monotonic() < shelf.look_again:
            return shelf
        asked_at, now = self._clock.monotonic(), self._clock.now()
        version = self._current(tenant.slug, now)
        look_again = asked_at + _ASK_EVERY
        if version.until is not None:
            look_again = min(look_again, asked_at + (version.until - now).total_seconds())
        with self._lock:
            shelf = self._shelves.get(tenant.slug)
            if shelf is None or shelf.tenant is not tenant or shelf.tag != version.tag:
                self._clear(tenant.slug)
                shelf = self._shelves[tenant.slug] = _Shelf(tenant, version.tag, look_again)
            shelf.look_again = look_again
        return shelf

    def _keep(self, shelf: _Shelf, key: Hashable, page: _Page) -> None:
        slug = shelf.tenant.slug
        with self._lock:
            if self._shelves.get(slug) is not shelf or key in shelf.pages or page.size > self._max_bytes:
                return
            shelf.pages[key] = page
            self._order[slug, key] = page.size
            self._bytes += page.size
            while self._bytes > self._max_bytes:
                (old_slug, old_key), size = self._order.popitem(last=False)
                self._shelves[old_slug].pages.pop(old_key, None)
                self._bytes -= size

    def _clear(self, slug: str) -> None:
        gone = self._shelves.get(slug)
        for key in gone.pages if gone else ():
            self._bytes -= self._order.pop((slug, key), 0)
