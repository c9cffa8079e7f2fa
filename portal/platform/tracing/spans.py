"""The interface of tracing: code that is traced calls these functions, and they cost nothing while tracing is off."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from typing import Protocol

from portal.platform.logs import request
from portal.platform.logs.allowed_fields import Fact, Facts

HEADER = "traceparent"
"""Header of W3C Trace Context."""


class Span(Protocol):
    """Operation with a duration, within a trace. A span that is never ended is never sent."""

    def header(self) -> str:
        """Return the header value that makes another process's span a child of this one."""

    def say(self, facts: Mapping[str, Fact]) -> None:
        """Add attributes, by the names under which they are sent."""

    def end(self, *, name: str | None = None, failed: bool = False) -> None:
        """End the span. name: replaces the name that it started with. failed: mark it as an error."""


class SpanSource(Protocol):
    """Factory of spans."""

    def start_request(self, name: str, traceparent: str | None) -> Span:
        """Start the span of a request; traceparent: as received."""

    def start(self, name: str) -> Span:
        """Start the span of background work."""


class TracingState:
    """Whether this process traces, and whether it continues traces that began outside."""

    source: SpanSource | None = None
    continue_incoming_traces = False


TRACING = TracingState()
_current: ContextVar[Span | None] = ContextVar("span", default=None)


def current() -> Span | None:
    """Return this thread's span."""
    return _current.get()


def start_request(method: str, traceparent: str | None) -> Span | None:
    """Start the span of a request; None while tracing is off."""
    source = TRACING.source
    return source.start_request(method, traceparent if TRACING.continue_incoming_traces else None) if source else None


def end_request(span: Span, *, method: str, route: str, status: int, request_id: str, tenant: str | None) -> None:
    """End the span of a request. route: its pattern, empty for an unknown address."""
    attributes: dict[str, Fact] = {"http.request.method": method, "http.response.status_code": status}
    if route:
        attributes["http.route"] = route
    span.say(attributes | named(Facts(request=request_id, tenant=tenant)))
    span.end(name=f"{method} {route}".strip(), failed=status >= 500)


@contextmanager
def as_current(span: Span | None) -> Iterator[None]:
    """Make it this thread's span within the block."""
    token = _current.set(span)
    try:
        yield
    finally:
        _current.reset(token)


class TraceStep:
    """Step being traced: its result is set before the block ends."""

    def __init__(self, span: Span | None) -> None:
        self._span = span
        self._failed = False

    def set_result(self, *, state: Enum | None = None, error: str | None = None) -> None:
        """Set the result. error: the name of the error, if there was one."""
        self._failed = error is not None
        if self._span:
            self._span.say(named(Facts(state=state, error=error)))

    def end(self) -> None:
        """End the span, at the end of the block."""
        if self._span:
            self._span.end(failed=self._failed)


@contextmanager
def step(what: str, **facts: str | float | Enum | None) -> Iterator[TraceStep]:
    """Trace the block as a trace of its own. facts: as for an event (logs.events)."""
    span = TRACING.source.start(what) if TRACING.source else None
    made = TraceStep(span)
    if span:
        span.say(named(Facts(request=request.current(), **facts)))
    try:
        with as_current(span):
            yield made
    except BaseException as error:
        made.set_result(error=type(error).__name__)
        raise
    finally:
        made.end()


def header() -> Mapping[str, str]:
    """Return headers for a request to another process that make its span a child of this thread's."""
    span = _current.get()
    return {HEADER: span.header()} if span else {}


def named(facts: Mapping[str, Fact]) -> dict[str, Fact]:
    """Return facts under the names that they have in a span."""
    return {f"portal.{name}": value for name, value in facts.items()}
