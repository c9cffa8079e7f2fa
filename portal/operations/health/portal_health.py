"""The current health of every part."""

import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa
from flask import Blueprint, Response, jsonify, request

from portal.adapters.inspection import inspection
from portal.adapters.inspection.scanner import Scanner
from portal.adapters.storage.store import Store
from portal.background.mails.queue import LANE as MAIL
from portal.background.outbox import health as outbox
from portal.background.outbox import heartbeat
from portal.background.outbox.retry_policy import DEFERS_ALL
from portal.background.sync import health as sync_health
from portal.background.sync.tables import ListName
from portal.delivery.envelopes.kinds import lane
from portal.delivery.uploads.disk_space import DATABASE, DATABASE_DISK_FULL, Disks
from portal.gateway import metrics_access
from portal.operations.health.part import (
    FINE,
    MEANS,
    BackgroundProbe,
    PartHealth,
    PartName,
    PartState,
    ProbeResult,
    runbook_address,
)
from portal.people.signin import deliver
from portal.platform.clock import Clock
from portal.platform.config.settings import Settings
from portal.platform.database.db import Database, Instant, insert, metadata
from portal.platform.errors import DatabaseUnavailable, PortalError, ScannerUnavailable
from portal.platform.logs.outage_log import Outage
from portal.platform.rate_limits import Throttle
from portal.site.routing.access import operations
from portal.tenants.folder import Tenants

_FAILED_PASSES = 3
"""Failed passes over a tenant's vacancies in a row from which on its service counts as failing; one may be chance."""


def probe_database(
    database: Database, disks: Disks, tenants: Tenants, clock: Clock, *, code_ttl: float
) -> Mapping[PartName, ProbeResult]:
    """Check the database's schema and that it is writable; also report workers, mail and services from its rows."""
    database.require_current_schema()
    if not disks.lets_write(DATABASE):
        raise DatabaseUnavailable(DATABASE_DISK_FULL)
    database.require_writable()
    troubled = outbox.open_breakers(database)
    lists = sync_health.all_of(database, ListName.VACANCIES, clock.now())
    unread = {slug for slug, one in lists.items() if one.failures >= _FAILED_PASSES}
    failing = [tenant.slug for tenant in tenants.all() if lane(tenant.slug) in troubled or tenant.slug in unread]
    failing_services = ProbeResult(PartState.DEGRADED, f"failing or rejecting: {', '.join(failing)}")
    return {
        PartName.DATABASE: FINE,
        PartName.WORKERS: _workers(heartbeat.worker_status(database, clock.now()), clock.now()),
        PartName.MAIL: _mail(database, clock.now(), code_ttl),
        PartName.SERVICES: failing_services if failing else FINE,
    }


def _mail(db: Database, now: datetime, code_ttl: float) -> ProbeResult:
    lane = outbox.all_lanes(db).get(MAIL)
    if lane and lane.in_trouble:
        reason = lane.reason or ""
        rest = outbox.pauses_left(db, now).get(MAIL)
        what = "the mail server defers every message" if reason == DEFERS_ALL else "the last emails could not be sent"
        next_try = f"at {now + timedelta(seconds=rest):%H:%M:%S} UTC" if rest else "now"
        waiting = outbox.waiting_in(db, MAIL)
        says = f"{what}: {waiting} wait, the next try is {next_try} ({reason})"
        return ProbeResult(PartState.DOWN, says, lane.failing_since)
    if late := deliver.count_unsent(db, now, ttl=code_ttl):
        wait = "sign-in code waits" if late == 1 else "sign-in codes wait"
        return ProbeResult(PartState.DEGRADED, f"{late} {wait} for more than {deliver.UNSENT_ALERT_SECONDS} s")
    return FINE


def _workers(found: heartbeat.WorkerStatus, now: datetime) -> ProbeResult:
    if found.fresh:
        return ProbeResult(PartState.OK, f"{found.fresh} running")
    if found.silent_for is None:
        return ProbeResult(PartState.DOWN, "none has reported: start `portal worker`")
    since = now - timedelta(seconds=found.silent_for)
    return ProbeResult(PartState.DOWN, f"the last one reported {found.silent_for:.0f} s ago", since)


def probe_tenants(tenants: Tenants) -> Mapping[PartName, ProbeResult]:
    """Check the tenant files."""
    if not tenants.all():
        return {PartName.TENANTS: ProbeResult(PartState.DOWN, "no valid tenant file")}
    problems = tenants.problems()
    if problems:
        return {PartName.TENANTS: ProbeResult(PartState.DEGRADED, "; ".join(problems.values()))}
    return {PartName.TENANTS: FINE}


def probe_store(store: Store) -> Mapping[PartName, ProbeResult]:
    """Check that file storage would accept an object."""
    store.reach()
    return {PartName.STORE: FINE}


def probe_disks(places_short_of_space: Callable[[], list[str]]) -> Mapping[PartName, ProbeResult]:
    """Check that the disks have space for files."""
    short = places_short_of_space()
    return {PartName.DISKS: ProbeResult(PartState.DEGRADED, f"nearly full: {', '.join(short)}") if short else FINE}


def probe_limits(throttle: Throttle) -> Mapping[PartName, ProbeResult]:
    """Check the Redis that holds the rate limits of several processes."""
    throttle.check()
    return {PartName.LIMITS: FINE}


def probe_scanner(found: Scanner, outage: Outage) -> Mapping[PartName, ProbeResult]:
    """Check that the scanner responds; `portal check` verifies that it detects anything."""
    with outage.watched(ScannerUnavailable):
        found.ping()
    return {PartName.SCANNER: FINE}


def probe_helper() -> Mapping[PartName, ProbeResult]:
    """Check that files could be inspected when that was last needed."""
    inspection.require_working()
    return {PartName.INSPECTION: FINE}


_failures = sa.Table(
    "part_failures",
    metadata,
    sa.Column("part", sa.String(20), primary_key=True),
    sa.Column("since", Instant, nullable=False),
)
_SHARED = frozenset({PartName.STORE, PartName.LIMITS, PartName.SCANNER, PartName.SERVICES, PartName.MAIL})
"""Parts that fail for all processes at once: the first process that notices records since when."""
_DATABASE_TIMEOUT = 1.0
"""Seconds that a response waits for the database to say since when a part has failed."""


def record_failures(db: Database, parts: Mapping[PartName, PartState], now: datetime) -> dict[PartName, datetime]:
    """Record which shared parts fail and which do not; return since when. Empty while the database is unavailable."""
    failing = {name for name in parts.keys() & _SHARED if parts[name] is not PartState.OK}
    healthy = (parts.keys() & _SHARED) - failing
    try:
        db.require_current_schema()
        with db.read() as connection:
            known = {PartName(row.part): row.since for row in connection.execute(sa.select(_failures))}
        if failing - known.keys() or healthy & known.keys():
            with db.write() as connection:
                connection.execute(_failures.delete().where(_failures.c.part.in_(healthy)))
                for name in sorted(failing):
                    row = insert(connection, _failures).values(part=name, since=now)
                    connection.execute(row.on_conflict_do_nothing())
                known = {PartName(row.part): row.since for row in connection.execute(sa.select(_failures))}
    except (PortalError, sa.exc.DBAPIError):  # a role without read permission, which other checks report
        return {}
    return {name: known[name] for name in failing & known.keys()}


REMOTE_RESULT_SECONDS = 10.0
"""Seconds for which the result of a part on another machine is reused."""


class PortalHealth:
    """The health of all parts; one instance per process. It probes only when somebody asks."""

    def __init__(self, clock: Clock, probes: Sequence[BackgroundProbe], database: Database) -> None:
        self._clock, self._probes, self._database = clock, probes, database
        self._lock = threading.Lock()
        self._since: dict[PartName, tuple[PartState, datetime]] = {}

    def of_each(self) -> list[PartHealth]:
        """Return the health of every part that the settings name, within part.TIMEOUT seconds, even if parts hang.

        Parts whose state is read from the database are omitted while the database does not respond.
        """
        for probe in self._probes:
            probe.begin()
        found: dict[PartName, ProbeResult] = {}
        for probe in self._probes:
            found.update(probe.found())
        return self._dated(found)

    def _dated(self, found: Mapping[PartName, ProbeResult]) -> list[PartHealth]:
        now = self._clock.now()
        with self._lock:
            changed = {
                n: one.state for n, one in found.items() if n not in self._since or self._since[n][0] != one.state
            }
            self._since.update({name: (state, now) for name, state in changed.items()})
        database = found.get(PartName.DATABASE)
        if changed and database and database.state is PartState.OK:
            self._compare(changed, now)
        since = {name: one.since or self._since[name][1] for name, one in found.items()}
        return [
            PartHealth(name, one.state, one.says, since[name], "" if one.state is PartState.OK else MEANS[name])
            for name, one in sorted(found.items(), key=lambda item: list(PartName).index(item[0]))
        ]

    def _compare(self, changed: Mapping[PartName, PartState], now: datetime) -> None:
        """Use the database's record of since when parts have failed, if it responds soon enough."""

        def ask() -> None:
            for name, since in record_failures(self._database, changed, now).items():
                self._since[name] = changed[name], since

        asked = threading.Thread(target=ask, daemon=True, name="since when parts fail")
        asked.start()
        asked.join(_DATABASE_TIMEOUT)


def is_ready(parts: list[PartHealth]) -> bool:
    """Return whether applications can be accepted."""
    return not any(part.stops for part in parts)


def takes_files(parts: list[PartHealth]) -> bool:
    """Return whether applications can be accepted with a CV."""
    inspection = next((part.state for part in parts if part.name is PartName.INSPECTION), PartState.OK)
    return is_ready(parts) and inspection is not PartState.DOWN


def blueprint(
    health: PortalHealth, database: Database, tenants: Tenants, disks: Disks, clock: Clock, settings: Settings
) -> Blueprint:
    """Return the blueprint of both endpoints. They show no content of tenants, and no details to strangers."""
    pages = Blueprint("health", __name__)

    @pages.get("/healthz")
    @operations
    def healthz() -> Response:
        return Response("ok\n", mimetype="text/plain")

    @pages.get("/readyz")
    @operations
    def readyz() -> tuple[Response, int]:
        found = health.of_each()
        ready = is_ready(found)
        status = 200 if ready else 503
        token, proxies = settings.metrics_token, settings.trusted_proxies
        if metrics_access.may_see(request.environ, token=token, base_url=settings.base_url, proxies=proxies):
            return jsonify(ready=ready, **_readiness(found, database, tenants, disks, clock.now(), settings)), status
        return jsonify(ready=ready), status

    return pages


def _readiness(
    found: list[PartHealth], db: Database, tenants: Tenants, disks: Disks, now: datetime, settings: Settings
) -> dict[str, object]:
    states = {part.name: part.state for part in found}
    age: dict[str, float | None] = {tenant.slug: None for tenant in tenants.all()}
    if states.get(PartName.DATABASE) is not PartState.DOWN:
        try:
            known = sync_health.all_of(db, ListName.VACANCIES, now)
        except PortalError:
            known = {}  # the database became unavailable since its probe; the next response reports it
        age.update({slug: one.age for slug, one in known.items() if slug in age})
    short = disks.places_short_of_space()
    return {
        "missing": {part.name: part.says for part in found if part.stops},
        "parts": {part.name: _part_as_json(part, settings) for part in found},
        "mirrorAge": age,
        "uploads": "paused" if short or not takes_files(found) else "taken",
        "shortOfRoom": short,
    }


def _part_as_json(part: PartHealth, settings: Settings) -> dict[str, str]:
    summary = {"state": part.state, "says": part.says}
    if part.state is PartState.OK:
        return summary
    known = {"since": part.since.isoformat(timespec="seconds"), "means": part.means}
    return {**summary, **known, "runbook": runbook_address(settings, part.runbook)}
