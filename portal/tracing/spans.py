"""The seam: what is traced says so here, and it costs nothing while nobody wants to know."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from typing import Protocol

from portal.logs import request
from portal.logs.facts import Fact, Facts

HEADER = "traceparent"
"""Of W3C Trace Context."""


class Span(Protocol):
    """Something that lasts, within a trace. One that is never ended is never told of."""

    def header(self) -> str:
        """What makes another process's span a part of this one."""
        ...

    def say(self, facts: Mapping[str, Fact]) -> None:
        """By the names under which they are sent."""
        ...

    def end(self, *, name: str | None = None, failed: bool = False) -> None:
        """It is over. name: under which it is told of, if another than it began with."""
        ...


class Source(Protocol):
    """Where spans come from."""

    def served(self, name: str, traceparent: str | None) -> Span:
        """A request; traceparent: as it came."""
        ...

    def made(self, name: str) -> Span:
        """Work that nobody waits for."""
        ...


class Wanted:
    """Whether this process traces. takes_up: whether traces that began outside go on here."""

    source: Source | None = None
    takes_up = False


NOW = Wanted()
_current: ContextVar[Span | None] = ContextVar("span", default=None)


def current() -> Span | None:
    """Of what this thread does."""
    return _current.get()


def asked(method: str, traceparent: str | None) -> Span | None:
    """A request came; None while nothing is traced."""
    source = NOW.source
    return source.served(method, traceparent if NOW.takes_up else None) if source else None


def answered(span: Span, *, method: str, route: str, status: int, request_id: str, tenant: str | None) -> None:
    """It was answered. route: its pattern, empty where an address leads nowhere."""
    said: dict[str, Fact] = {"http.request.method": method, "http.response.status_code": status}
    if route:
        said["http.route"] = route
    span.say(said | named(Facts(request=request_id, tenant=tenant)))
    span.end(name=f"{method} {route}".strip(), failed=status >= 500)


@contextmanager
def under(span: Span | None) -> Iterator[None]:
    """Within the block it is this thread's span."""
    token = _current.set(span)
    try:
        yield
    finally:
        _current.reset(token)


class Step:
    """What is being made: how it ends is said before the block does."""

    def __init__(self, span: Span | None) -> None:
        self._span = span
        self._failed = False

    def ends(self, *, state: Enum | None = None, error: str | None = None) -> None:
        """error: the name of what went wrong, if anything did."""
        self._failed = error is not None
        if self._span:
            self._span.say(named(Facts(state=state, error=error)))

    def over(self) -> None:
        """The block ends."""
        if self._span:
            self._span.end(failed=self._failed)


@contextmanager
def step(what: str, **facts: str | float | Enum | None) -> Iterator[Step]:
    """A trace of its own around the block. facts: as of an event."""
    span = NOW.source.made(what) if NOW.source else None
    made = Step(span)
    if span:
        span.say(named(Facts(request=request.current(), **facts)))
    try:
        with under(span):
            yield made
    except BaseException as error:
        made.ends(error=type(error).__name__)
        raise
    finally:
        made.over()


def header() -> Mapping[str, str]:
    """What a request to another process carries, so that its answer is seen as a part of what this thread does."""
    span = _current.get()
    return {HEADER: span.header()} if span else {}


def named(facts: Mapping[str, Fact]) -> dict[str, Fact]:
    """Facts under the names that they have in a span."""
    return {f"portal.{name}": value for name, value in facts.items()}
