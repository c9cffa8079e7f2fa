"""A request's way through the front.

 1. A kept answer leaves at once (kept).
 2. A body is received (bodies): no room is taken before it is there.
 3. The application makes the answer, when there is room (room); the layer learns whether it may be kept.
 4. What is not kept is coded for the browser (coding).

What says `no-store` is sent as it is: it is one person's, and where a secret stands beside what a stranger can put into
the page, the length of a coded answer tells of the secret (BREACH).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from portal.clock import Clock
from portal.front.bodies import Reception
from portal.front.coding import SMALLEST, VARY, Coding, chosen, coded, may_be_coded
from portal.front.kept import KEPT, SITE, Answers, Lines
from portal.front.room import Full, Room

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


@dataclass(frozen=True, slots=True)
class Busy:
    """What a request is answered with for which there is no room: 503, these headers, this body."""

    lines: Lines
    body: bytes

    def send(self, start_response: "StartResponse") -> list[bytes]:
        """Answer."""
        start_response("503 SERVICE UNAVAILABLE", self.lines.copy())
        return [self.body]


class Front:
    """WSGI middleware.

    bound_of: (method, path) → bytes that a body may have there, None where none is taken. unhindered: paths that are
    answered whatever else waits; they must cost nothing.
    """

    def __init__(
        self,
        application: "WSGIApplication",
        clock: Clock,
        *,
        reception: Reception,
        room: Room,
        bound_of: Callable[[str, str], int | None],
        busy: Callable[[], Busy],
        unhindered: Iterable[str] = (),
    ) -> None:
        self._application = application
        self._reception = reception
        self._room = room
        self._bound_of = bound_of
        self._busy = busy
        self._unhindered = frozenset(unhindered)
        self._answers = Answers(clock)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer one request; see the steps above."""
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        if method in {"GET", "HEAD"}:
            address = (environ.get(SITE), path, environ.get("QUERY_STRING", ""))
            if known := self._answers.find(address, environ):
                return known.send(environ, start_response)
        with self._reception.received(environ, self._bound_of(method, path)):
            if path in self._unhindered:
                return self._answer(environ, start_response)
            try:
                with self._room.taken():
                    return self._answer(environ, start_response)
            except Full:
                return self._busy().send(start_response)

    def _answer(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> list[bytes]:
        address = (environ.get(SITE), environ["PATH_INFO"], environ.get("QUERY_STRING", ""))
        coding, known = chosen(environ.get("HTTP_ACCEPT_ENCODING")), environ.get("HTTP_IF_NONE_MATCH", "")
        if known:
            # As the application calls it; tags of other codings are none of this answer.
            environ["HTTP_IF_NONE_MATCH"] = known.replace(f'-{coding}"', '"')
        made = _Made()
        pages = self._application(environ, made.start)
        try:
            made.body += b"".join(pages)
        finally:
            if close := getattr(pages, "close", None):
                close()
        if kept := environ.get(KEPT):
            environ["HTTP_IF_NONE_MATCH"] = known
            self._answers.keep(address, kept)
            # Forgotten already where memory is short or the mirror has just changed: then it is made once more.
            variant = kept.variant(environ)
            return variant.send(environ, start_response) if variant else self._answer(environ, start_response)
        made.code(coding, known)
        start_response(made.status, made.lines)
        return [bytes(made.body)]


@dataclass(slots=True)
class _Made:
    """What the application answers."""

    status: str = ""
    lines: Lines = field(default_factory=list)
    body: bytearray = field(default_factory=bytearray)

    def start(self, status: str, lines: Lines, exc_info: Any = None) -> Callable[[bytes], object]:  # noqa: ANN401, ARG002  WSGI's signature
        self.status, self.lines = status, [*lines]
        return self.body.extend

    def code(self, coding: Coding, known: str) -> None:
        """In this coding, where it is worth it and gives nothing away. known: If-None-Match, as it came."""
        said = {name.lower(): value for name, value in self.lines}
        coded_tag = f'{said.get("etag", "")[:-1]}-{coding}"'
        if self.status.startswith("304") and coded_tag in known:
            self._say("ETag", coded_tag)
        if (
            len(self.body) < SMALLEST
            or "content-encoding" in said
            or "no-store" in said.get("cache-control", "")
            or not may_be_coded(said.get("content-type", ""))
        ):
            return
        self.lines.append(VARY)
        if coding is not Coding.IDENTITY:
            self.body[:] = coded(bytes(self.body), coding)
            self._say("Content-Length", str(len(self.body)))
            self.lines.append(("Content-Encoding", coding.value))
            if "etag" in said:
                self._say("ETag", coded_tag)

    def _say(self, name: str, value: str) -> None:
        self.lines = [*(line for line in self.lines if line[0].lower() != name.lower()), (name, value)]
