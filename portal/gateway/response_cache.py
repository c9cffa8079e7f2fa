"""Cache of responses that are made once and sent many times, each in every content coding that was requested.

Each response belongs to a lifetime, which says how long it may be sent without revalidation. When the lifetime expires,
one request goes on to the application, which revalidates; for a moment, concurrent requests still get the cached
response, so that only one of many requests revalidates.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from enum import Enum, auto
from math import inf
from typing import TYPE_CHECKING, Protocol

from portal.gateway.access_log import ENV_ROUTE, RoutePath
from portal.gateway.compression import SMALLEST, Coding, chosen, coded, may_be_coded
from portal.gateway.response import GatewayResponse, Lines, Variant
from portal.platform.clock import Clock

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

ENV_CACHEABLE = "portal.gateway.response_cache"
"""Key of the WSGI environment, set by the application: the CacheableResponse that it responds with, for the
gateway to cache and send; absent if the response must not be cached.
"""
ENV_ONE_OFF = "portal.gateway.one_off"
"""Key of the WSGI environment, set by the application: whether the address has parameters without a meaning; the
response is then sent, but not cached for this address.
"""
ENV_REVALIDATES = "portal.gateway.revalidates"
"""Key of the WSGI environment, set by the cache: whether this request is the one for which the application checks an
expired response, while others still get it from the cache.
"""
ENV_SITE = "portal.gateway.site"
"""Key of the WSGI environment, set before the cache lookup: which of several sites on this server is requested."""


Address = tuple[object, str, str]
"""Site, path and query as received."""

_STALE_WHILE_REVALIDATE = 1.0
"""Seconds for which other requests are served from the cache while one request revalidates."""
_LONGEST = 300
"""Maximum characters of path and query together: longer addresses are not cached."""


class CacheState(Enum):
    """State of a cached response for one request."""

    FRESH = auto()
    """The response is sent as it is."""
    REVALIDATE = auto()
    """This request makes the application revalidate. It takes no concurrency slot: only one does so at a time, and
    briefly.
    """
    EXPIRED = auto()
    """The response was invalidated, or revalidation takes too long: handle the request like any other."""


_LARGE = 16_384
"""Bytes of a body beyond which it is compressed by a thread: that many take half a millisecond, in which the server's
event loop sends several pages.
"""


class Lifetime:
    """Lifetime shared by responses that expire together. until: expiry on the monotonic clock."""

    __slots__ = ("_is_revalidating", "_until")

    def __init__(self, until: float) -> None:
        self._until = until
        self._is_revalidating = False

    @property
    def ended(self) -> bool:
        """Whether it was invalidated, rather than merely due for revalidation."""
        return self._until == -inf

    def state_at(self, now: float) -> CacheState:
        """Return the state for the next request; only one request gets REVALIDATE."""
        if now < self._until or (self._is_revalidating and now < self._until + _STALE_WHILE_REVALIDATE):
            return CacheState.FRESH
        if self._is_revalidating or self.ended:
            return CacheState.EXPIRED
        self._is_revalidating = True
        return CacheState.REVALIDATE

    def extend(self, until: float) -> None:
        """Record a successful revalidation: the responses are valid until then."""
        self._until, self._is_revalidating = until, False

    def end(self) -> None:
        """Invalidate the responses."""
        self.extend(-inf)


FOR_EVER = Lifetime(inf)


class CacheableResponse(Protocol):
    """Response that the gateway may send without the application, wherever its bytes are stored."""

    @property
    def lifetime(self) -> Lifetime:
        """How long the response is valid."""

    @property
    def size(self) -> int:
        """Upper estimate of the memory that it takes, in bytes."""

    def variant(self, environ: "WSGIEnvironment", *, at_once: bool = False) -> Variant | None:
        """Return the variant that suits the request's Accept-Encoding; None if the response is no longer available.

        at_once: return None too if it would first have to be compressed for long.
        """

    def forget(self) -> None:
        """Release its memory, even where it is still referenced."""


class CachedResponse:
    """Response of status 200 in memory. lines: its headers; ETag, Content-Length and Vary are added here.

    etag: without quotes; each coding has a strong ETag of its own (RFC 9110 §8.8.3). readers: origins whose scripts may
    read the response (CORS); None: no other origin may.
    """

    __slots__ = ("_code", "_etag", "_may_be_coded", "_readers", "_variants", "_whole", "lifetime", "size")

    def __init__(
        self,
        lines: Iterable[tuple[str, str]],
        body: bytes,
        *,
        etag: str,
        lifetime: Lifetime,
        code: Callable[[bytes, Coding], bytes] = coded,
        readers: Iterable[str] | None = None,
    ) -> None:
        lines = [*lines]
        self._whole: tuple[Lines, bytes] | None = lines, body
        """Headers and body in one attribute, so that no other thread sees only one of them while forget() runs."""
        self._etag = etag
        self._code = code
        self._readers = None if readers is None else frozenset(readers)
        kind = next((value for name, value in lines if name.lower() == "content-type"), "")
        self._may_be_coded = len(body) >= SMALLEST and may_be_coded(kind)
        self._variants: dict[Coding, Variant] = {}
        self.lifetime = lifetime
        self.size = 2 * len(body)
        """Upper bound in bytes of the body with its codings; each is far smaller than the body."""

    def variant(self, environ: "WSGIEnvironment", *, at_once: bool = False) -> Variant | None:
        """Return the variant that suits the request's Accept-Encoding; None after forget().

        at_once: return None too if it would first have to be compressed for long.
        """
        coding = chosen(environ.get("HTTP_ACCEPT_ENCODING")) if self._may_be_coded else Coding.IDENTITY
        variants, whole = self._variants, self._whole
        if whole is not None and coding not in variants:
            if at_once and coding is not Coding.IDENTITY and len(whole[1]) > _LARGE:
                return None
            variants[coding] = self._made(*whole, coding)
        return variants.get(coding)

    def forget(self) -> None:
        """Release its memory, even where it is still referenced."""
        self._whole = None
        self._variants = {}

    def _made(self, lines: Lines, body: bytes, coding: Coding) -> Variant:
        if coding is not Coding.IDENTITY:
            body = self._code(body, coding)
        return Variant.of(lines, body, len(body), coding, self._etag, varies=self._may_be_coded, readers=self._readers)


class ResponseCache:
    """Cached responses by requested address as received, so that neither path nor query has to be parsed."""

    def __init__(self, clock: Clock, *, most: int = 10_000) -> None:
        self._clock = clock
        self._most = most
        self._known: OrderedDict[Address, tuple[CacheableResponse, RoutePath | None]] = OrderedDict()
        self._queries: OrderedDict[Address, tuple[CacheableResponse, RoutePath | None]] = OrderedDict()
        """Addresses with a query, whose number is unlimited: they do not evict addresses without one."""
        self._lock = threading.Lock()

    def find(self, address: Address, environ: "WSGIEnvironment") -> GatewayResponse | None:
        """Return the response to this GET or HEAD if a valid one is cached; otherwise set ENV_REVALIDATES in the
        environment. Quick: a large response is not compressed here.
        """
        found, place = (self._queries if address[2] else self._known).get(address, (None, None))
        state = found.lifetime.state_at(self._clock.monotonic()) if found else CacheState.EXPIRED
        if found is None or state is not CacheState.FRESH:
            environ[ENV_REVALIDATES] = state is CacheState.REVALIDATE
            return None
        variant = found.variant(environ, at_once=True)
        if variant is None:  # the application, which has the response too, is called in a thread
            return None
        environ[ENV_ROUTE] = place
        return variant.answer(environ)

    def keep(self, address: Address, response: CacheableResponse, place: RoutePath | None = None) -> None:
        """Cache the response for this address. When the cache is full, evict the address that was added first, of those
        with a query or of those without.

        place: the route of the address, for the access log of each request that is served from the cache.
        """
        if response.lifetime.ended or len(address[1]) + len(address[2]) > _LONGEST:
            return
        known = self._queries if address[2] else self._known
        with self._lock:
            known[address] = response, place
            while len(known) > self._most:
                known.popitem(last=False)
