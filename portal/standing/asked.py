"""What each part is asked. Each question is cheap: every server is asked again and again, by every balancer."""

from collections.abc import Mapping

from portal.absence import Absence
from portal.attachments import inspection
from portal.attachments.scanner import Scanner
from portal.deliveries.accept import lane
from portal.errors import DatabaseUnavailable, ScannerUnavailable
from portal.letters.queue import LANE as MAIL
from portal.outbox import alive
from portal.outbox import health as outbox
from portal.parts import Parts
from portal.standing.part import Found, Name, State
from portal.uploads.space import DATABASE, Disks

FINE = Found(State.OK, "")


def database(parts: Parts) -> Mapping[Name, Found]:
    """Its schema, and whether it takes anything; and what stands in it of workers, mail and services."""
    parts.database.require_current_schema()
    if not parts.disks.lets_write(DATABASE):
        raise DatabaseUnavailable("the disk of the database is full: make room")
    parts.database.require_writable()
    troubled = outbox.open_breakers(parts.database)
    failing = [tenant.slug for tenant in parts.tenants.all() if lane(tenant.slug) in troubled]
    mail = Found(State.DOWN, f"the last letters could not be handed over ({troubled.get(MAIL)})")
    services = Found(State.DEGRADED, f"fail or refuse: {', '.join(failing)}")
    return {
        Name.DATABASE: FINE,
        Name.WORKERS: _workers(alive.crew(parts.database, parts.clock.now())),
        Name.MAIL: mail if MAIL in troubled else FINE,
        Name.SERVICES: services if failing else FINE,
    }


def _workers(found: alive.Crew) -> Found:
    if found.fresh:
        return Found(State.OK, f"{found.fresh} at work")
    if found.silent_for is None:
        return Found(State.DOWN, "none has shown itself: start `portal worker`")
    return Found(State.DOWN, f"the last one showed itself {found.silent_for:.0f} s ago")


def tenants(parts: Parts) -> Mapping[Name, Found]:
    """Their files."""
    if not parts.tenants.all():
        return {Name.TENANTS: Found(State.DOWN, "no usable tenant file")}
    problems = parts.tenants.problems()
    if problems:
        return {Name.TENANTS: Found(State.DEGRADED, "; ".join(problems.values()))}
    return {Name.TENANTS: FINE}


def store(parts: Parts) -> Mapping[Name, Found]:
    """Whether it would take an object."""
    parts.store.reach()
    return {Name.STORE: FINE}


def disks(found: Disks) -> Mapping[Name, Found]:
    """Whether there is room for files."""
    short = found.short()
    return {Name.DISKS: Found(State.DEGRADED, f"nearly full: {', '.join(short)}") if short else FINE}


def limits(parts: Parts) -> Mapping[Name, Found]:
    """The Redis that several processes share."""
    parts.throttle.check()
    return {Name.LIMITS: FINE}


def scanner(found: Scanner, absence: Absence) -> Mapping[Name, Found]:
    """Whether it answers; that it finds anything, `portal check` looks at."""
    with absence.watched(ScannerUnavailable):
        found.ping()
    return {Name.SCANNER: FINE}


def helper() -> Mapping[Name, Found]:
    """Whether files could be looked into when that was last wanted."""
    inspection.standing()
    return {Name.INSPECTION: FINE}
