"""The probe of each part. Probes are cheap, because every load balancer checks every server again and again."""

from collections.abc import Mapping
from datetime import timedelta

from portal.adapters.inspection import inspection
from portal.adapters.inspection.scanner import Scanner
from portal.background.mails.queue import LANE as MAIL
from portal.background.outbox import health as outbox
from portal.background.outbox import heartbeat
from portal.background.outbox.retry_policy import DEFERS_ALL
from portal.delivery.envelopes.accept import lane
from portal.delivery.uploads.disk_space import DATABASE
from portal.operations.health.part import PartName, PartState, ProbeResult
from portal.people.signin import health as codes
from portal.platform.errors import DatabaseUnavailable, ScannerUnavailable
from portal.platform.logs.outage_log import Outage
from portal.services import Services

FINE = ProbeResult(PartState.OK, "")


def database(services: Services) -> Mapping[PartName, ProbeResult]:
    """Check the database's schema and that it is writable; also report workers, mail and services from its rows."""
    services.database.require_current_schema()
    if not services.disks.lets_write(DATABASE):
        raise DatabaseUnavailable("the database disk is full: free up disk space")
    services.database.require_writable()
    troubled = outbox.open_breakers(services.database)
    failing = [tenant.slug for tenant in services.tenants.all() if lane(tenant.slug) in troubled]
    failing_services = ProbeResult(PartState.DEGRADED, f"failing or rejecting: {', '.join(failing)}")
    return {
        PartName.DATABASE: FINE,
        PartName.WORKERS: _workers(heartbeat.crew(services.database, services.clock.now())),
        PartName.MAIL: mail(services, troubled.get(MAIL)),
        PartName.SERVICES: failing_services if failing else FINE,
    }


def mail(services: Services, reason: str | None) -> ProbeResult:
    """Return the state of email. reason: class name of the failure that opened its circuit breaker, or None."""
    db, now = services.database, services.clock.now()
    if reason is not None:
        rest = outbox.resting(db, now).get(MAIL)
        what = "the mail server defers every message" if reason == DEFERS_ALL else "the last emails could not be sent"
        next_try = f"at {now + timedelta(seconds=rest):%H:%M:%S} UTC" if rest else "now"
        waiting = outbox.waiting_in(db, MAIL)
        return ProbeResult(PartState.DOWN, f"{what}: {waiting} wait, the next try is {next_try} ({reason})")
    if late := codes.late(db, now, ttl=services.settings.code_ttl):
        wait = "sign-in code waits" if late == 1 else "sign-in codes wait"
        return ProbeResult(PartState.DEGRADED, f"{late} {wait} for more than {codes.LATE} s")
    return FINE


def _workers(found: heartbeat.WorkerStatus) -> ProbeResult:
    if found.fresh:
        return ProbeResult(PartState.OK, f"{found.fresh} running")
    if found.silent_for is None:
        return ProbeResult(PartState.DOWN, "none has reported: start `portal worker`")
    return ProbeResult(PartState.DOWN, f"the last one reported {found.silent_for:.0f} s ago")


def tenants(services: Services) -> Mapping[PartName, ProbeResult]:
    """Check the tenant files."""
    if not services.tenants.all():
        return {PartName.TENANTS: ProbeResult(PartState.DOWN, "no valid tenant file")}
    problems = services.tenants.problems()
    if problems:
        return {PartName.TENANTS: ProbeResult(PartState.DEGRADED, "; ".join(problems.values()))}
    return {PartName.TENANTS: FINE}


def store(services: Services) -> Mapping[PartName, ProbeResult]:
    """Check that file storage would accept an object."""
    services.store.reach()
    return {PartName.STORE: FINE}


def disks(services: Services) -> Mapping[PartName, ProbeResult]:
    """Check that the disks have space for files."""
    short = services.short_of_room()
    return {PartName.DISKS: ProbeResult(PartState.DEGRADED, f"nearly full: {', '.join(short)}") if short else FINE}


def limits(services: Services) -> Mapping[PartName, ProbeResult]:
    """Check the Redis that holds the rate limits of several processes."""
    services.throttle.check()
    return {PartName.LIMITS: FINE}


def scanner(found: Scanner, absence: Outage) -> Mapping[PartName, ProbeResult]:
    """Check that the scanner responds; `portal check` verifies that it detects anything."""
    with absence.watched(ScannerUnavailable):
        found.ping()
    return {PartName.SCANNER: FINE}


def helper() -> Mapping[PartName, ProbeResult]:
    """Check that files could be inspected when that was last needed."""
    inspection.standing()
    return {PartName.INSPECTION: FINE}
