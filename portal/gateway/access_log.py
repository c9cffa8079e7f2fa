"""The access log: one record for each finished request, also passed to observers such as metrics.

A path may hold something secret (a receipt's reference, an alert's id), so a line holds the path only in the form that
the application declares readable: `RoutePath.path`.
"""

import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from portal.gateway.response import GatewayResponse
from portal.platform.clock import Clock
from portal.platform.logs import request
from portal.platform.logs.allowed_fields import Fact, StructuredMessage
from portal.platform.logs.formatting import time_of, written
from portal.platform.logs.stderr_writer import sole_json_handler
from portal.platform.tracing import end_request, start_request

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

log = logging.getLogger("portal.access")

_MILLISECOND = 0.001

ENV_REQUEST_ID = "portal.gateway.request_id"
"""Key of the WSGI environment: this request's id."""
ENV_SPAN = "portal.gateway.span"
"""Key of the WSGI environment: this request's span, if it is traced."""
ENV_ROUTE = "portal.gateway.route"
"""Key of the WSGI environment, set by the application: the RoutePath of the request, once it is known."""


class RoutePath(NamedTuple):
    """Route that an address matches. route: its pattern. path: with only those of its values that are not secret."""

    route: str
    path: str
    tenant: str | None = None


_UNKNOWN = RoutePath("", "")


@dataclass(slots=True)
class FinishedRequest(StructuredMessage):
    """Request that was responded to. size: bytes of the body. seconds: from its head to its response."""

    method: str
    status: int
    seconds: float
    size: int
    request: str
    place: RoutePath

    @property
    def event(self) -> str:
        """Name of the event."""
        return "answered"

    def facts(self) -> Mapping[str, Fact]:
        """Return the fields in the order of the line; an unknown address has neither route nor path."""
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


def _record(finished: FinishedRequest, level: int, created: float) -> logging.LogRecord:
    """Make a record without its source location: finding that out costs more than writing the line."""
    record = logging.LogRecord.__new__(logging.LogRecord)
    vars(record).update(
        _BLANK, msg=finished, levelno=level, levelname="INFO" if level == logging.INFO else "DEBUG", created=created
    )
    return record


@lru_cache(4_096)
def _constant(place: RoutePath, method: str, status: int, size: int) -> tuple[str, str, str]:
    """Return the constant parts of such a request's JSON lines: before the seconds, before the id, and after it."""
    facts = dict(FinishedRequest(method, status, 0.0, size, "", place).facts())
    names = [*facts]
    pieces = ({name: facts[name] for name in names[: names.index("seconds")]}, {"bytes": facts["bytes"]})
    before, between = (written(piece)[1:-1] for piece in pieces)
    rest = {name: facts[name] for name in names[names.index("request") + 1 :]}
    after = f'", {written(rest)[1:]}' if rest else '"}'
    return f'"level": "info", "event": "answered", {before}, "seconds": ', f', {between}, "request": "', after


class AccessLog:
    """Writer of the access log. debug_logged_routes: routes whose requests are logged at debug level.

    tell: further observers, called with each finished request; append to it. They must be quick and raise nothing.
    """

    def __init__(self, clock: Clock, *, debug_logged_routes: frozenset[str] = frozenset()) -> None:
        self._clock = clock
        self._debug_logged_routes = debug_logged_routes
        self._began_ms = float("-inf")
        self._lead = ""
        """Start of the lines of this millisecond."""
        self.tell: list[Callable[[FinishedRequest], None]] = []

    def begin(self, environ: "WSGIEnvironment") -> float:
        """Mark the request with its id and span; return when it arrived, on the monotonic clock."""
        environ[ENV_REQUEST_ID] = request.received_or_new(environ.get("HTTP_X_REQUEST_ID"))
        environ[ENV_SPAN] = start_request(_method(environ), environ.get("HTTP_TRACEPARENT"))
        return self._clock.monotonic()

    def finish(self, environ: "WSGIEnvironment", began: float, answer: GatewayResponse) -> GatewayResponse:
        """Log the request, notify the observers, and return the response with the request's id added."""
        ended = self._clock.monotonic()
        place: RoutePath = environ.get(ENV_ROUTE) or _UNKNOWN
        finished = FinishedRequest(
            _method(environ), int(answer.status[:3]), ended - began, _size(answer), environ[ENV_REQUEST_ID], place
        )
        level = logging.DEBUG if place.route in self._debug_logged_routes else logging.INFO
        if log.isEnabledFor(level):
            self._write(finished, level, ended)
        if (span := environ[ENV_SPAN]) and level == logging.INFO:
            end_request(
                span,
                method=finished.method,
                route=finished.place.route,
                status=finished.status,
                request_id=finished.request,
                tenant=finished.place.tenant,
            )
        for tell in self.tell:
            tell(finished)
        return GatewayResponse(answer.status, [*answer.lines, (request.HEADER, finished.request)], answer.body)

    def _write(self, finished: FinishedRequest, level: int, ended: float) -> None:
        """Write the line directly if it only goes to standard error as JSON: a record would cost ten times as much."""
        outlet = sole_json_handler() if level == logging.INFO else None
        if outlet is None:
            log.handle(_record(finished, level, self._clock.now().timestamp()))
            return
        if not 0 <= ended - self._began_ms < _MILLISECOND:
            self._began_ms = ended
            self._lead = f'{{"time": "{time_of(self._clock.now().timestamp())}", "pid": {os.getpid()}, '
        before, between, after = _constant(finished.place, finished.method, finished.status, finished.size)
        outlet.put(f"{self._lead}{before}{finished.seconds:.4f}{between}{finished.request}{after}")


_METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT"})


def _method(environ: "WSGIEnvironment") -> str:
    """Return the method if it is a known one, else "other": clients may send any text."""
    method: str = environ["REQUEST_METHOD"]
    return method if method in _METHODS else "other"


def _size(answer: GatewayResponse) -> int:
    if not isinstance(answer.body, Path):
        return len(answer.body)
    content_length = next((value for name, value in answer.lines if name == "Content-Length"), "0")
    return int(content_length)
