"""Log events, each logged once: for an application that arrives, these are `accepted` and later `delivered`.

Listeners, such as metrics, attach to the logger `portal.events`: a record's `msg` is an Event.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, StrEnum

from portal.platform.errors import PortalError
from portal.platform.logs import request
from portal.platform.logs.allowed_fields import Fact, Facts, StructuredMessage

log = logging.getLogger("portal.events")
log.setLevel(logging.INFO)


class EventName(StrEnum):
    """Every event; docs/operating/monitor.md has a line for each."""

    STARTED = "started"
    """A process serves or works; `part` says which."""
    STOPPED = "stopped"
    """It stopped on request."""
    FAILED = "failed"
    """It could not start or continue, and ends."""
    LOST = "lost"
    """A process of a server ended unexpectedly; another one replaces it."""
    ACCEPTED = "accepted"
    """An application or a change is stored, or a file accepted. A later event reports its delivery or its failure."""
    DELIVERED = "delivered"
    """The service has it; `seconds` since it was accepted, or restarted manually."""
    REFUSED = "refused"
    """Rejected from a form, by the service or by a limit; `reason` says why."""
    POSTPONED = "postponed"
    """An attempt failed, and another follows."""
    DEAD = "dead"
    """The service will never accept it: an operator decides."""
    GAVE_UP = "gave_up"
    """No attempt succeeded in the available time: an operator decides."""
    UNREADABLE = "unreadable"
    """`count` rows were settled although none of the secret keys opens them; the people concerned could not be
    notified.
    """
    DISCARDED = "discarded"
    """It is no longer needed, or an operator discarded it; its content is erased."""
    HELD = "held"
    """It waits for the malware scanner, for an operator's review or for the candidate's confirmation."""
    RELEASED = "released"
    """The hold is over: it continues."""
    UNAVAILABLE = "away"
    """A part does not respond; `part` says which."""
    RECOVERED = "recovered"
    """It responds again, after `seconds`; or the work of a worker that ended was taken over."""
    SYNCED = "synced"
    """A sync of a list of a tenant's service found something new."""
    DROPPED = "dropped"
    """`count` lines were lost because standard error did not accept them."""


class Part(StrEnum):
    """Part of the product, or of what it depends on."""

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
    WEBHOOK = "webhook"
    UPLOADS = "uploads"
    """Accepting files, which is paused while a disk is nearly full."""
    CONNECTIONS = "connections"
    """Database connections of one process: unavailable while all of them are in use."""


@dataclass(frozen=True, slots=True)
class Event(StructuredMessage):
    """Structured message of the logger `portal.events`."""

    happened: EventName
    fields: Mapping[str, Fact]

    @property
    def event(self) -> str:
        """Name of the event."""
        return self.happened.value

    def facts(self) -> Mapping[str, Fact]:
        """Return the checked facts."""
        return self.fields


def event(
    happened: EventName,
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
    """Log an event. kind: of what is delivered or synced. count: how many. because: its message is for operators.

    No fact is free text from outside: values that do not match their alphabet are left out (allowed_fields). Raises
    nothing.
    """
    fields = Facts(
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
    log.log(level, Event(happened, fields))


@contextmanager
def running(part: Part) -> Iterator[None]:
    """Log that this process starts and stops to serve or work, around the block."""
    event(EventName.STARTED, part=part)
    try:
        yield
    finally:
        event(EventName.STOPPED, part=part)
