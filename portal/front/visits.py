"""A request as it is told of when it is over: to the access log, and to whoever counts.

A path may hold what opens something (a receipt's reference, an alert's id), so a line has the path only as the
application says that it may be read: `Place.path`.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from portal.clock import Clock
from portal.front.answer import Answer
from portal.logs import request
from portal.logs.facts import Fact, Told
from portal.tracing import answered, asked

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

log = logging.getLogger("portal.access")

REQUEST_ID = "portal.front.request_id"
"""In the WSGI environment: this request's id."""
SPAN = "portal.front.span"
"""In the WSGI environment: this request's span, where it is traced."""
PLACE = "portal.front.place"
"""In the WSGI environment, set by the application: the Place that was asked for, once it is known."""


class Place(NamedTuple):
    """What an address leads to. route: its pattern. path: with those of its values that open nothing."""

    route: str
    path: str
    tenant: str | None = None


_UNKNOWN = Place("", "")


@dataclass(slots=True)
class Finished(Told):
    """A request that was answered. size: bytes of the body. seconds: from its head to its answer."""

    method: str
    status: int
    seconds: float
    size: int
    request: str
    place: Place

    @property
    def event(self) -> str:
        """The event's name."""
        return "answered"

    def facts(self) -> Mapping[str, Fact]:
        """As they stand in the line; an address that nothing is at has no route and no path."""
        place = self.place
        facts: dict[str, Fact] = {"method": self.method}
        if place.route:
            facts |= {"path": place.path, "route": place.route}
        facts |= {"status": self.status, "seconds": round(self.seconds, 4), "bytes": self.size}
        facts["request"] = self.request
        if place.tenant:
            facts["tenant"] = place.tenant
        return facts


_BLANK = vars(logging.makeLogRecord({"name": log.name}))


def _line(finished: Finished, level: int, created: float) -> logging.LogRecord:
    """A record that knows nothing of where it was made: finding that out costs more than writing the line."""
    record = logging.LogRecord.__new__(logging.LogRecord)
    vars(record).update(
        _BLANK, msg=finished, levelno=level, levelname="INFO" if level == logging.INFO else "DEBUG", created=created
    )
    return record


class Visits:
    """Tells of each request once it was answered. quiet: routes that are told of at debug level.

    tell: more that is called with each; append to it. It must be quick, and raise nothing.
    """

    def __init__(self, clock: Clock, *, quiet: frozenset[str] = frozenset()) -> None:
        self._clock = clock
        self._quiet = quiet
        self.tell: list[Callable[[Finished], None]] = []

    def begun(self, environ: "WSGIEnvironment") -> float:
        """Mark the request with its id; when it came, on the monotonic clock."""
        environ[REQUEST_ID] = request.taken_or_made(environ.get("HTTP_X_REQUEST_ID"))
        environ[SPAN] = asked(_method(environ), environ.get("HTTP_TRACEPARENT"))
        return self._clock.monotonic()

    def over(self, environ: "WSGIEnvironment", began: float, answer: Answer) -> Answer:
        """Tell of it, and give the answer the request's id."""
        finished = Finished(
            method=_method(environ),
            status=int(answer.status[:3]),
            seconds=self._clock.monotonic() - began,
            size=_size(answer),
            request=environ[REQUEST_ID],
            place=environ.get(PLACE) or _UNKNOWN,
        )
        level = logging.DEBUG if finished.place.route in self._quiet else logging.INFO
        if log.isEnabledFor(level):
            log.handle(_line(finished, level, self._clock.now().timestamp()))
        if (span := environ[SPAN]) and level == logging.INFO:
            answered(
                span,
                method=finished.method,
                route=finished.place.route,
                status=finished.status,
                request_id=finished.request,
                tenant=finished.place.tenant,
            )
        for tell in self.tell:
            tell(finished)
        return Answer(answer.status, [*answer.lines, (request.HEADER, finished.request)], answer.body)


_METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT"})


def _method(environ: "WSGIEnvironment") -> str:
    """A method is whatever was sent; only known ones are written."""
    method: str = environ["REQUEST_METHOD"]
    return method if method in _METHODS else "other"


def _size(answer: Answer) -> int:
    if not isinstance(answer.body, Path):
        return len(answer.body)
    said = next((value for name, value in answer.lines if name == "Content-Length"), "0")
    return int(said)
