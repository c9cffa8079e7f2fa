"""The steps of a request through the gateway.

 1. Mark the WSGI environment with who asks, and for which site.
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
from typing import TYPE_CHECKING, Any

from portal.gateway import request_bodies
from portal.gateway.access_log import PLACE, REQUEST_ID, SPAN, AccessLog
from portal.gateway.compression import SMALLEST, VARY, Coding, chosen, coded, may_be_coded
from portal.gateway.concurrency import ConcurrencyLimit, ConcurrencyLimitReached
from portal.gateway.response import GatewayResponse, Lines
from portal.gateway.response_cache import ASKS, KEPT, SITE, Keepable, ResponseCache
from portal.platform.clock import Clock
from portal.platform.logs import request
from portal.platform.tracing import under

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


def _nothing(_environ: "WSGIEnvironment") -> None:
    """Mark nothing."""


class Gateway:
    """WSGI middleware; `serving` runs it on a server whose interface offers more than WSGI.

    marking: called first, to mark the environment. bound_of: (method, path) → maximum bytes of a body there, None where
    none is accepted. busy: the response when the concurrency limit is reached. unhindered: paths that are answered
    whatever else waits; they must cost nothing. watched: paths of monitoring; they need no slot, and may block for a
    moment. quiet: routes whose requests are logged at debug level.
    """

    def __init__(
        self,
        application: "WSGIApplication",
        clock: Clock,
        *,
        room: ConcurrencyLimit,
        bound_of: Callable[[str, str], int | None],
        busy: Callable[[], GatewayResponse],
        marking: Callable[["WSGIEnvironment"], None] = _nothing,
        unhindered: Iterable[str] = (),
        watched: Iterable[str] = (),
        quiet: Iterable[str] = (),
    ) -> None:
        self._application = application
        self._room = room
        self._bound_of = bound_of
        self._marking = marking
        self._unhindered = frozenset(unhindered)
        self._watched = frozenset(watched)
        self._answers = ResponseCache(clock)
        self.busy = busy
        self.visits = AccessLog(clock, quiet=frozenset(quiet))

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Respond to one request, as WSGI defines it; see the steps above."""
        began = self.visits.begun(environ)
        answer = self.known(environ)
        if answer is None:
            with request_bodies.received(environ, self.bound_of(environ)):
                answer = self.made(environ)
        return self.visits.over(environ, began, answer).send(start_response)

    def known(self, environ: "WSGIEnvironment") -> GatewayResponse | None:
        """Run steps 1 and 2: return the cached response, if there is one. Never blocks."""
        self._marking(environ)
        return self._answers.find(_address(environ), environ) if environ["REQUEST_METHOD"] in {"GET", "HEAD"} else None

    def bound_of(self, environ: "WSGIEnvironment") -> int | None:
        """Return the maximum bytes of this request's body; None where no body is accepted."""
        return self._bound_of(environ["REQUEST_METHOD"], environ["PATH_INFO"])

    def is_unhindered(self, environ: "WSGIEnvironment") -> bool:
        """Return whether the request is answered whatever else waits."""
        return environ["PATH_INFO"] in self._unhindered

    @property
    def monitored(self) -> frozenset[str]:
        """Paths that monitoring requests."""
        return self._unhindered | self._watched

    def is_watched(self, environ: "WSGIEnvironment") -> bool:
        """Return whether the request is one of monitoring, which must get a response from a busy server too."""
        return environ["PATH_INFO"] in self._watched

    def made(self, environ: "WSGIEnvironment") -> GatewayResponse:
        """Run steps 4 and 5 once the body is there. May block for as long as the concurrency limit allows."""
        with request.under(environ.get(REQUEST_ID, "")), under(environ.get(SPAN)):
            if self.is_unhindered(environ) or self.is_watched(environ) or environ.get(ASKS):
                return self._made(environ)
            try:
                with self._room.taken():
                    return self._made(environ)
            except ConcurrencyLimitReached:
                return self.busy()

    def _made(self, environ: "WSGIEnvironment", *, again: bool = True) -> GatewayResponse:
        """Call the application. again: whether it may be called again if its cached page is evicted meanwhile."""
        environ.pop(KEPT, None)  # the page of a first call says nothing about the response to the second
        address = _address(environ)
        coding, known = chosen(environ.get("HTTP_ACCEPT_ENCODING")), environ.get("HTTP_IF_NONE_MATCH", "")
        if known:
            # Without the suffix of the coding, as the application knows it; ETags of other codings do not match this
            # response.
            environ["HTTP_IF_NONE_MATCH"] = known.replace(f'-{coding}"', '"')
        is_head = environ["REQUEST_METHOD"] == "HEAD"
        if is_head:
            environ["REQUEST_METHOD"] = "GET"  # its headers describe the body of a GET, compressed too
        made = _Made()
        pages = self._application(environ, made.start)
        try:
            made.body += b"".join(pages)
        finally:
            if close := getattr(pages, "close", None):
                close()
        kept: Keepable | None = environ.get(KEPT)
        if is_head:
            environ["REQUEST_METHOD"] = "HEAD"
        if kept is None:
            answer = made.coded(coding, known)
            return GatewayResponse(answer.status, answer.lines, b"") if is_head else answer
        environ["HTTP_IF_NONE_MATCH"] = known
        self._answers.keep(address, kept, environ.get(PLACE))
        variant = kept.variant(environ)
        if variant is not None:
            return variant.answer(environ)
        # Evicted already: memory is short, or the vacancies have just changed.
        return self._made(environ, again=False) if again else self.busy()


def _address(environ: "WSGIEnvironment") -> tuple[object, str, str]:
    return environ.get(SITE), environ["PATH_INFO"], environ.get("QUERY_STRING", "")


@dataclass(slots=True)
class _Made:
    """Response of the application."""

    status: str = ""
    lines: Lines = field(default_factory=list)
    body: bytearray = field(default_factory=bytearray)

    def start(self, status: str, lines: Lines, exc_info: Any = None) -> Callable[[bytes], object]:  # noqa: ANN401, ARG002  WSGI's signature
        self.status, self.lines = status, [*lines]
        return self.body.extend

    def coded(self, coding: Coding, known: str) -> GatewayResponse:
        """Return the response in this coding, where that saves bytes and reveals nothing.

        known: If-None-Match as received.
        """
        said = {name.lower(): value for name, value in self.lines}
        tag, body = f'{said.get("etag", "")[:-1]}-{coding}"', bytes(self.body)
        if self.status.startswith("304") and tag in known:
            self._say("ETag", tag)
        if (
            len(body) < SMALLEST
            or "content-encoding" in said
            or "no-store" in said.get("cache-control", "")
            or not may_be_coded(said.get("content-type", ""))
        ):
            return GatewayResponse(self.status, self.lines, body)
        self.lines.append(VARY)
        if coding is not Coding.IDENTITY:
            body = coded(body, coding)
            self._say("Content-Length", str(len(body)))
            self._say("Content-Encoding", coding.value)
            if "etag" in said:
                self._say("ETag", tag)
        return GatewayResponse(self.status, self.lines, body)

    def _say(self, name: str, value: str) -> None:
        self.lines = [*(line for line in self.lines if line[0].lower() != name.lower()), (name, value)]
