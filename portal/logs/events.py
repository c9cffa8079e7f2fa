"""What happened, each once: the story of an application is its `accepted` and its `delivered`.

Who wants to count listens on the logger `portal.events`: a record's `msg` is an Event.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, StrEnum

from portal.errors import PortalError
from portal.logs import request
from portal.logs.facts import Fact, Facts, Told

log = logging.getLogger("portal.events")
log.setLevel(logging.INFO)


class Happened(StrEnum):
    """Every event there is; docs/operating.md has a line for each."""

    STARTED = "started"
    """A process serves or works; `part` says which."""
    STOPPED = "stopped"
    """It was asked to end, and did."""
    FAILED = "failed"
    """It could not start, or go on, and ends."""
    LOST = "lost"
    """A process of a server ended without being asked to; another takes its place."""
    ACCEPTED = "accepted"
    """An application or a change is stored, a file taken: from here on it is delivered, or visibly not."""
    DELIVERED = "delivered"
    """The service has it; `seconds` since it was accepted, or begun anew by hand."""
    REFUSED = "refused"
    """From a form, by the service or by a limit; `reason` says why."""
    POSTPONED = "postponed"
    """An attempt failed, and another follows."""
    DEAD = "dead"
    """The service will never take it: an operator decides."""
    GAVE_UP = "gave_up"
    """No attempt succeeded in the time there is: an operator decides."""
    DISCARDED = "discarded"
    """It is of no use any more, or an operator gave it up; its content is erased."""
    HELD = "held"
    """It waits for a scanner or for an operator's look."""
    RELEASED = "released"
    """What was held goes on."""
    AWAY = "away"
    """A part does not answer; `part` says which."""
    RECOVERED = "recovered"
    """It answers again, after `seconds`; or the work of a worker that is gone was taken up."""
    SYNCED = "synced"
    """A pass over a list of a tenant's service found something new."""
    DROPPED = "dropped"
    """Lines that standard error did not take; `count` of them are lost."""


class Part(StrEnum):
    """Of the product, or of what it stands on."""

    SERVE = "serve"
    CHILD = "child"
    WORKER = "worker"
    TRACKER = "tracker"
    CONSOLE = "console"
    DATABASE = "database"
    RATE_LIMITS = "rate_limits"
    MAIL = "mail"
    SERVICE = "service"
    STORE = "store"
    SCANNER = "scanner"
    SEARCH_ENGINE = "search_engine"


@dataclass(frozen=True, slots=True)
class Event(Told):
    """What a record's `msg` is."""

    happened: Happened
    said: Mapping[str, Fact]

    @property
    def event(self) -> str:
        """The event's name."""
        return self.happened.value

    def facts(self) -> Mapping[str, Fact]:
        """Checked."""
        return self.said


def event(
    happened: Happened,
    *,
    tenant: str | None = None,
    reference: str | None = None,
    kind: str | None = None,
    part: Part | None = None,
    reason: Enum | None = None,
    seconds: float | None = None,
    attempt: int | None = None,
    count: int | None = None,
    because: PortalError | None = None,
    level: int = logging.INFO,
) -> None:
    """Say that it happened. kind: of what is delivered or read. count: how many. because: its words are for operators.

    No fact is a text from outside: what does not fit its alphabet is left out (facts). Raises nothing.
    """
    said = Facts(
        tenant=tenant,
        reference=reference,
        request=request.current(),
        kind=kind,
        part=part,
        reason=reason,
        seconds=seconds,
        attempt=attempt,
        count=count,
        error=type(because).__name__ if because else None,
        message=str(because) if because else None,
    )
    log.log(level, Event(happened, said))


@contextmanager
def running(part: Part) -> Iterator[None]:
    """This process serves or works within the block."""
    event(Happened.STARTED, part=part)
    try:
        yield
    finally:
        event(Happened.STOPPED, part=part)
