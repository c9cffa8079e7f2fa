"""Public pages, cached in memory and dropped as soon as the vacancy mirror changes.

A public page is the same for everyone who opens its address, so it is built once for each version of the tenant's
mirror. Each process has its own cache, and checks in the database at most every 0.2 s for each tenant whether its pages
are still valid. A version also ends at the next startAt or endAt, and with any change of the tenant file.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from flask import Response, request

from portal.gateway.compression import Coding, coded
from portal.gateway.response_cache import ENV_CACHEABLE, ENV_ONE_OFF, CacheableResponse, CachedResponse, Lifetime
from portal.jobs.mirror.version import Version
from portal.platform.clock import Clock
from portal.site import headers
from portal.site.forms.application_form import SOURCE_PARAMETERS
from portal.site.headers import FinishedResponse
from portal.site.words.query import FILTERS, OWN
from portal.tenants.model import Tenant

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_CHECK_INTERVAL = 0.2
_OVERHEAD = 4_000
"""Approximate bytes that a cached page costs beside its body: up to four codings with fifteen headers each."""


_SEARCHES = 4
"""Searches are cached separately, with the bytes of pages divided by this, because visitors can invent any number of
them."""
_PARAMETERS = frozenset(
    {
        "after",
        "callback",
        "commitment",
        "content",
        "department",
        "group",
        "job",
        "lang",
        "level",
        "limit",
        "location",
        "mode",
        "near",
        "pay_transparency",
        "q",
        "questions",
        "skip",
        "sort",
        "team",
        "v",
        "within",
        *FILTERS,
        *SOURCE_PARAMETERS,
    }
)
"""Query parameters of public pages, besides those that begin with OWN."""


class OneOffPage(Response):
    """A page for an address with made-up values; it is not cached."""


class CachedPage(FinishedResponse):
    """A response that the gateway sends from its cache; Flask's hooks see only the status."""

    def __init__(self, cached: CacheableResponse) -> None:
        super().__init__()
        self._cached = cached

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Tell the gateway which cached response to send, and whether its address is worth remembering."""
        environ[ENV_CACHEABLE] = self._cached
        environ[ENV_ONE_OFF] = any(
            name not in _PARAMETERS and not name.startswith(OWN)
            for name, _ in parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True)
        )
        start_response(self.status, [])
        return []


def cacheable(
    response: Response,
    lifetime: Lifetime,
    *,
    code: Callable[[bytes, Coding], bytes] = coded,
    readers: Iterable[str] | None = None,
) -> CachedResponse:
    """Complete a response of status 200 like any other (headers.finish), and return it for the gateway's cache."""
    response.add_etag()
    response.headers.setdefault("Cache-Control", headers.PUBLIC_CACHE)
    headers.finish(response)
    etag, _ = response.get_etag()
    return CachedResponse(
        response.headers, response.get_data(), etag=etag or "", lifetime=lifetime, code=code, readers=readers
    )


@dataclass(slots=True)
class _Generation:
    """Pages of one version. A page whose version ended while it was being built is sent but not cached."""

    tenant: Tenant
    tag: str
    check_at: float
    lifetime: Lifetime
    pages: dict[Hashable, CacheableResponse] = field(default_factory=dict)


class _EvictionOrder:
    """The order and sizes of some cached pages: (slug, key) → bytes, oldest first; at most `most` bytes in all."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._sizes: OrderedDict[tuple[str, Hashable], int] = OrderedDict()
        self._total = 0

    def add(self, slug: str, key: Hashable, size: int) -> Iterator[tuple[str, Hashable]]:
        """Add a page; yield those to evict for it, first of its own tenant if that has more than half."""
        self._sizes[slug, key] = size
        self._total += size
        while self._total > self.most:
            own = [each for each in self._sizes if each[0] == slug]
            has_most = sum(self._sizes[each] for each in own) > self.most // 2
            old = own[0] if has_most else next(iter(self._sizes))
            self.drop(*old)
            yield old

    def drop(self, slug: str, key: Hashable) -> None:
        """Forget a page, if it is here."""
        self._total -= self._sizes.pop((slug, key), 0)


class PageCache:
    """Cached pages of every tenant; the oldest are evicted when they exceed `max_bytes`, searches only for searches.

    current: (tenant's slug, now) → the mirror's version.
    """

    def __init__(
        self, clock: Clock, current: Callable[[str, datetime], Version], *, max_bytes: int = 64 * 1024 * 1024
    ) -> None:
        self._clock = clock
        self._current = current
        self._lock = threading.Lock()
        self._generations: dict[str, _Generation] = {}
        self._pages, self._searches = _EvictionOrder(max_bytes), _EvictionOrder(max_bytes // _SEARCHES)

    def answer(
        self,
        tenant: Tenant,
        key: Hashable,
        make: Callable[[], Response],
        *,
        readers: Iterable[str] | None = None,
        is_search: bool = False,
    ) -> Response:
        """Return the page cached under the key, else the one that `make` builds; cache it if its status is 200 and it
        is not a OneOffPage.

        The key holds everything that the page depends on beside tenant and version: address, language, own host.
        readers: origins whose scripts may read it. is_search: whether the number of such keys is unlimited.
        """
        generation = self._generation(tenant)
        page = generation.pages.get(key)
        if page is None:
            response = make()
            if response.status_code != 200 or isinstance(response, OneOffPage):
                return response
            page = cacheable(response, generation.lifetime, readers=readers)
            self._keep(generation, key, page, self._searches if is_search else self._pages)
        return CachedPage(page)

    def made(
        self, tenant: Tenant, key: Hashable, make: Callable[[str, Lifetime], tuple[CacheableResponse, bool]]
    ) -> Response:
        """Return a response whose content is stored elsewhere, such as files; cache it like answer().

        make: (the version's tag, its lifetime) → the response, and whether it is of that version. If not, it has a
        lifetime of its own, is not cached here, and is made again for the next request.
        """
        generation = self._generation(tenant)
        page = generation.pages.get(key)
        if page is None or page.variant(request.environ) is None:
            self._drop(tenant.slug, generation, key)
            page, is_current = make(generation.tag, generation.lifetime)
            if is_current:
                self._keep(generation, key, page, self._pages)
        return CachedPage(page)

    def _generation(self, tenant: Tenant) -> _Generation:
        generation = self._generations.get(tenant.slug)
        if generation is not None and generation.tenant is tenant and self._clock.monotonic() < generation.check_at:
            return generation
        checked_at, now = self._clock.monotonic(), self._clock.now()
        version = self._current(tenant.slug, now)
        check_at = checked_at + _CHECK_INTERVAL
        if version.until is not None:
            check_at = min(check_at, checked_at + (version.until - now).total_seconds())
        with self._lock:
            generation = self._generations.get(tenant.slug)
            if generation is None or generation.tenant is not tenant or generation.tag != version.tag:
                self._clear(tenant.slug)
                generation = self._generations[tenant.slug] = _Generation(
                    tenant, version.tag, check_at, Lifetime(check_at)
                )
            generation.check_at = check_at
            generation.lifetime.extend(check_at)
        return generation

    def _keep(self, generation: _Generation, key: Hashable, page: CacheableResponse, order: _EvictionOrder) -> None:
        slug = generation.tenant.slug
        with self._lock:
            if (
                self._generations.get(slug) is not generation
                or key in generation.pages
                or page.size + _OVERHEAD > order.most
            ):
                return
            generation.pages[key] = page
            for old_slug, old_key in order.add(slug, key, page.size + _OVERHEAD):
                if old := self._generations[old_slug].pages.pop(old_key, None):
                    old.forget()

    def _drop(self, slug: str, generation: _Generation, key: Hashable) -> None:
        with self._lock:
            if generation.pages.pop(key, None):
                self._forget(slug, key)

    def _clear(self, slug: str) -> None:
        gone = self._generations.get(slug)
        if gone is None:
            return
        gone.lifetime.end()
        for key, page in gone.pages.items():
            self._forget(slug, key)
            page.forget()

    def _forget(self, slug: str, key: Hashable) -> None:
        self._pages.drop(slug, key)
        self._searches.drop(slug, key)
