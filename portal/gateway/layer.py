"""The steps of a request through the gateway.

 1. Record in the WSGI environment the client and the requested site.
 2. Send a cached response immediately (response_cache).
 3. Receive the body (request_bodies): no concurrency slot is taken before it has arrived.
 4. Call the application once there is a slot (concurrency), and learn whether its response may be cached.
 5. Compress a response that is not cached (compression).
 6. Add the request's id to the response and write the access log (access_log).

A `no-store` response is never compressed: it is personal, and where a page holds both a secret and something that a
stranger can put into it, the length of the compressed response reveals the secret (BREACH).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from string import punctuation
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from portal.gateway import request_bodies
from portal.gateway.access_log import ENV_REQUEST_ID, ENV_ROUTE, ENV_SPAN, AccessLog
from portal.gateway.compression import SMALLEST, VARY, Coding, chosen, coded, may_be_coded
from portal.gateway.concurrency import ConcurrencyLimit, ConcurrencyLimitReached
from portal.gateway.response import GatewayResponse, Lines
from portal.gateway.response_cache import (
    ENV_CACHEABLE,
    ENV_ONE_OFF,
    ENV_REVALIDATES,
    ENV_SITE,
    CacheableResponse,
    ResponseCache,
)
from portal.platform.clock import Clock
from portal.platform.logs import request
from portal.platform.rate_limits import wide_network_of
from portal.platform.tracing import as_current

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


def _nothing(_environ: "WSGIEnvironment") -> None:
    """Mark nothing."""


class Gateway:
    """WSGI middleware; `serving` runs it on a server whose interface offers more than WSGI."""

    def __init__(
        self,
        application: "WSGIApplication",
        clock: Clock,
        *,
        concurrency: ConcurrencyLimit,
        max_body_bytes: Callable[[str, str], int | None],
        busy: Callable[[], GatewayResponse],
        marking: Callable[["WSGIEnvironment"], None] = _nothing,
        unlimited_paths: Iterable[str] = (),
        blocking_monitoring_paths: Iterable[str] = (),
        debug_logged_routes: Iterable[str] = (),
    ) -> None:
        self._application = application
        """The WSGI application behind the gateway."""
        self._concurrency = concurrency
        """Slots for requests that call the application."""
        self._max_body_bytes = max_body_bytes
        """(method, path) → maximum bytes of a body there; None where none is accepted."""
        self._marking = marking
        """Called first with the WSGI environment, to mark it."""
        self._unlimited_paths = frozenset(unlimited_paths)
        """Paths that get a response even if others wait; they must cost nothing."""
        self._blocking_monitoring_paths = frozenset(blocking_monitoring_paths)
        """Paths of monitoring that need no slot, and may block for a moment."""
        self._cache = ResponseCache(clock)
        self.busy = busy
        """Returns the response to send when the concurrency limit is reached."""
        self.access_log = AccessLog(clock, debug_logged_routes=frozenset(debug_logged_routes))
        """Logs each request; those of `debug_logged_routes` at debug level."""

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Respond to one request, as WSGI defines it; see the steps above."""
        began = self.access_log.begin(environ)
        answer = self.find_cached(environ)
        if answer is None:
            with request_bodies.received(environ, self.max_body_bytes(environ)):
                answer = self.respond(environ)
        return self.access_log.finish(environ, began, answer).send(start_response)

    def find_cached(self, environ: "WSGIEnvironment") -> GatewayResponse | None:
        """Run steps 1 and 2: return the cached response, if there is one. Never blocks."""
        self._marking(environ)
        query = environ.get("QUERY_STRING", "")
        if not query.isascii():  # Werkzeug reads it as UTF-8, and raises UnicodeDecodeError for anything else
            environ["QUERY_STRING"] = quote(query, safe=punctuation, encoding="latin-1")
        return None if is_post(environ) else self._cache.find(_address(environ), environ)

    def max_body_bytes(self, environ: "WSGIEnvironment") -> int | None:
        """Return the maximum bytes of this request's body; None where no body is accepted."""
        return self._max_body_bytes(environ["REQUEST_METHOD"], environ["PATH_INFO"])

    def is_unlimited(self, environ: "WSGIEnvironment") -> bool:
        """Return whether the request gets a response even if others wait."""
        return environ["PATH_INFO"] in self._unlimited_paths

    @property
    def monitoring_paths(self) -> frozenset[str]:
        """Paths that monitoring requests."""
        return self._unlimited_paths | self._blocking_monitoring_paths

    def is_monitoring(self, environ: "WSGIEnvironment") -> bool:
        """Return whether the request is one of monitoring, which must get a response from a busy server too."""
        return environ["PATH_INFO"] in self._blocking_monitoring_paths

    def respond(self, environ: "WSGIEnvironment") -> GatewayResponse:
        """Run steps 4 and 5 once the body is there. May block for as long as the concurrency limit allows."""
        with request.logging_request(environ.get(ENV_REQUEST_ID, "")), as_current(environ.get(ENV_SPAN)):
            if self.is_unlimited(environ) or self.is_monitoring(environ) or environ.get(ENV_REVALIDATES):
                return self._call_application(environ)
            try:
                with self._concurrency.slot_held(network(environ), is_post=is_post(environ)):
                    return self._call_application(environ)
            except ConcurrencyLimitReached:
                return self.busy()

    def _call_application(self, environ: "WSGIEnvironment", *, again: bool = True) -> GatewayResponse:
        """Call the application. again: whether it may be called again if its cached page is evicted meanwhile."""
        environ.pop(ENV_CACHEABLE, None)  # set by the first call, it does not apply to the second response
        address = _address(environ)
        coding, if_none_match = chosen(environ.get("HTTP_ACCEPT_ENCODING")), environ.get("HTTP_IF_NONE_MATCH", "")
        if if_none_match:
            environ["HTTP_IF_NONE_MATCH"] = _without_coding(if_none_match, coding)
        is_head = environ["REQUEST_METHOD"] == "HEAD"
        if is_head:
            environ["REQUEST_METHOD"] = "GET"  # its headers have to be those of a GET, also of a compressed one
        response = _ApplicationResponse()
        pages = self._application(environ, response.start)
        try:
            response.body += b"".join(pages)
        finally:
            if close := getattr(pages, "close", None):
                close()
        cached: CacheableResponse | None = environ.get(ENV_CACHEABLE)
        if is_head:
            environ["REQUEST_METHOD"] = "HEAD"
        if cached is None:
            answer = response.coded(coding, if_none_match)
            return GatewayResponse(answer.status, answer.lines, b"") if is_head else answer
        environ["HTTP_IF_NONE_MATCH"] = if_none_match
        if not environ.get(ENV_ONE_OFF):
            self._cache.keep(address, cached, environ.get(ENV_ROUTE))
        variant = cached.variant(environ)
        if variant is not None:
            return variant.answer(environ)
        # Evicted already: memory is short, or the vacancies have just changed.
        return self._call_application(environ, again=False) if again else self.busy()


def network(environ: "WSGIEnvironment") -> str:
    """Return the client's network; a part of the server's capacity is reserved for other networks."""
    return wide_network_of(environ.get("REMOTE_ADDR"))


def is_post(environ: "WSGIEnvironment") -> bool:
    """Return whether the request may change something, rather than read a page."""
    return environ["REQUEST_METHOD"] not in {"GET", "HEAD"}


def _address(environ: "WSGIEnvironment") -> tuple[object, str, str]:
    return environ.get(ENV_SITE), environ["PATH_INFO"], environ.get("QUERY_STRING", "")


def _with_coding(etag: str, coding: Coding) -> str:
    """Return the ETag that is sent for the application's: '"7"' becomes '"7-br"', as each coding needs its own."""
    return f'{etag[:-1]}-{coding}"'


def _without_coding(if_none_match: str, coding: Coding) -> str:
    """Return If-None-Match as the application knows its ETags: '"7-br", "6-gzip"' becomes '"7", "6-gzip"' for br.

    ETags of other codings stay as they are, and so do not match this response.
    """
    return if_none_match.replace(f'-{coding}"', '"')


@dataclass(slots=True)
class _ApplicationResponse:
    """Response of the application, as it arrives through WSGI."""

    status: str = ""
    lines: Lines = field(default_factory=list)
    body: bytearray = field(default_factory=bytearray)

    def start(self, status: str, lines: Lines, exc_info: Any = None) -> Callable[[bytes], object]:  # noqa: ANN401, ARG002  WSGI's signature
        self.status, self.lines = status, [*lines]
        return self.body.extend

    def coded(self, coding: Coding, if_none_match: str) -> GatewayResponse:
        """Return the response in this coding, where that saves bytes and reveals nothing.

        if_none_match: as received.
        """
        headers = {name.lower(): value for name, value in self.lines}
        tag, body = _with_coding(headers.get("etag", ""), coding), bytes(self.body)
        if self.status.startswith("304") and tag in if_none_match:
            self._say("ETag", tag)
        if (
            len(body) < SMALLEST
            or "content-encoding" in headers
            or "no-store" in headers.get("cache-control", "")
            or not may_be_coded(headers.get("content-type", ""))
        ):
            return GatewayResponse(self.status, self.lines, body)
        self.lines.append(VARY)
        if coding is not Coding.IDENTITY:
            body = coded(body, coding)
            self._say("Content-Length", str(len(body)))
            self._say("Content-Encoding", coding.value)
            if "etag" in headers:
                self._say("ETag", tag)
        return GatewayResponse(self.status, self.lines, body)

    def _say(self, name: str, value: str) -> None:
        self.lines = [*(line for line in self.lines if line[0].lower() != name.lower()), (name, value)]
