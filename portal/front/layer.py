"""A request's way through the front.

 1. It is marked with who asks, and for which site.
 2. A kept answer leaves at once (kept).
 3. A body is received (bodies): no room is taken before it is there.
 4. The application makes the answer, when there is room (room); the layer learns whether it may be kept.
 5. What is not kept is coded for the browser (coding).
 6. The answer gets the request's id, and it is told of (visits).

What says `no-store` is sent as it is: it is one person's, and where a secret stands beside what a stranger can put into
the page, the length of a coded answer tells of the secret (BREACH).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from portal.clock import Clock
from portal.front import bodies
from portal.front.answer import Answer, Lines
from portal.front.coding import SMALLEST, VARY, Coding, chosen, coded, may_be_coded
from portal.front.kept import ASKS, KEPT, SITE, Answers
from portal.front.room import Full, Room
from portal.front.visits import PLACE, REQUEST_ID, SPAN, Visits
from portal.logs import request
from portal.tracing import under

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


def _nothing(_environ: "WSGIEnvironment") -> None:
    """Marks nothing."""


class Front:
    """WSGI middleware; `serving` runs it on a server that tells more than WSGI does.

    marking: called first, to mark the environment. bound_of: (method, path) → bytes that a body may have there, None
    where none is taken. busy: the answer for when there is no room. unhindered: paths that are answered whatever else
    waits; they must cost nothing. watched: paths that monitoring asks; they need no room, and may wait for a moment.
    quiet: routes whose requests are told of at debug level.
    """

    def __init__(
        self,
        application: "WSGIApplication",
        clock: Clock,
        *,
        room: Room,
        bound_of: Callable[[str, str], int | None],
        busy: Callable[[], Answer],
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
        self._answers = Answers(clock)
        self.busy = busy
        self.visits = Visits(clock, quiet=frozenset(quiet))

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer one request, as WSGI has it; see the steps above."""
        began = self.visits.begun(environ)
        answer = self.known(environ)
        if answer is None:
            with bodies.received(environ, self.bound_of(environ)):
                answer = self.made(environ)
        return self.visits.over(environ, began, answer).send(start_response)

    def known(self, environ: "WSGIEnvironment") -> Answer | None:
        """Steps 1 and 2: the answer that is kept, if there is one. It waits for nothing."""
        self._marking(environ)
        return self._answers.find(_address(environ), environ) if environ["REQUEST_METHOD"] in {"GET", "HEAD"} else None

    def bound_of(self, environ: "WSGIEnvironment") -> int | None:
        """Bytes that the body of this request may have; None where none is taken."""
        return self._bound_of(environ["REQUEST_METHOD"], environ["PATH_INFO"])

    def is_unhindered(self, environ: "WSGIEnvironment") -> bool:
        """Whether it is answered whatever else waits."""
        return environ["PATH_INFO"] in self._unhindered

    def is_watched(self, environ: "WSGIEnvironment") -> bool:
        """Whether monitoring asks, which must be told of a server that has no room too."""
        return environ["PATH_INFO"] in self._watched

    def made(self, environ: "WSGIEnvironment") -> Answer:
        """Steps 4 and 5, once the body is there. It may wait for as long as the room says."""
        with request.under(environ.get(REQUEST_ID, "")), under(environ.get(SPAN)):
            if self.is_unhindered(environ) or self.is_watched(environ) or environ.get(ASKS):
                return self._made(environ)
            try:
                with self._room.taken():
                    return self._made(environ)
            except Full:
                return self.busy()

    def _made(self, environ: "WSGIEnvironment") -> Answer:
        address = _address(environ)
        coding, known = chosen(environ.get("HTTP_ACCEPT_ENCODING")), environ.get("HTTP_IF_NONE_MATCH", "")
        if known:
            # As the application calls it; tags of other codings are none of this answer.
            environ["HTTP_IF_NONE_MATCH"] = known.replace(f'-{coding}"', '"')
        is_head = environ["REQUEST_METHOD"] == "HEAD"
        if is_head:
            environ["REQUEST_METHOD"] = "GET"  # its headers speak of the body that GET has, coded too
        made = _Made()
        pages = self._application(environ, made.start)
        try:
            made.body += b"".join(pages)
        finally:
            if close := getattr(pages, "close", None):
                close()
        kept = environ.get(KEPT)
        if is_head:
            environ["REQUEST_METHOD"] = "HEAD"
        if kept is None:
            answer = made.coded(coding, known)
            return replace(answer, body=b"") if is_head else answer
        environ["HTTP_IF_NONE_MATCH"] = known
        self._answers.keep(address, kept, environ.get(PLACE))
        # Forgotten already where memory is short or the mirror has just changed: then it is made once more.
        variant = kept.variant(environ)
        return variant.answer(environ) if variant else self._made(environ)


def _address(environ: "WSGIEnvironment") -> tuple[object, str, str]:
    return environ.get(SITE), environ["PATH_INFO"], environ.get("QUERY_STRING", "")


@dataclass(slots=True)
class _Made:
    """What the application answers."""

    status: str = ""
    lines: Lines = field(default_factory=list)
    body: bytearray = field(default_factory=bytearray)

    def start(self, status: str, lines: Lines, exc_info: Any = None) -> Callable[[bytes], object]:  # noqa: ANN401, ARG002  WSGI's signature
        self.status, self.lines = status, [*lines]
        return self.body.extend

    def coded(self, coding: Coding, known: str) -> Answer:
        """In this coding, where it is worth it and gives nothing away. known: If-None-Match, as it came."""
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
            return Answer(self.status, self.lines, body)
        self.lines.append(VARY)
        if coding is not Coding.IDENTITY:
            body = coded(body, coding)
            self._say("Content-Length", str(len(body)))
            self._say("Content-Encoding", coding.value)
            if "etag" in said:
                self._say("ETag", tag)
        return Answer(self.status, self.lines, body)

    def _say(self, name: str, value: str) -> None:
        self.lines = [*(line for line in self.lines if line[0].lower() != name.lower()), (name, value)]
