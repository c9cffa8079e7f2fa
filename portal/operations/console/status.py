"""The state of tenants and parts: what is wrong, why, and what an operator can do about it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import IntEnum
from functools import partial

from portal.adapters.tracker_client.outcome import KEY_REFUSED
from portal.background.outbox import health as outbox
from portal.background.outbox.health import Lane
from portal.background.outbox.states import UNFINISHED, HeldFor, OutboxState
from portal.background.sync import health as sync_health
from portal.background.sync.health import Health
from portal.background.sync.tables import ListName
from portal.delivery.envelopes.health import WAITS_TOO_LONG
from portal.delivery.envelopes.kinds import lane
from portal.delivery.kinds import KINDS
from portal.delivery.privacy_requests import health as requests
from portal.delivery.privacy_requests.health import OpenRequests
from portal.jobs.pushes import job_events
from portal.operations.console.messages import cause, for_how_long, to_second
from portal.operations.health.part import PartName
from portal.platform.database.db import Database
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant


class Level(IntEnum):
    """Severity; the worst is the highest."""

    WELL = 0
    ATTENTION = 1
    """Needs attention, but nothing has stopped."""
    WRONG = 2

    @property
    def word(self) -> str:
        """Its name for people."""
        return {Level.WELL: "OK", Level.ATTENTION: "Needs attention", Level.WRONG: "Problem"}[self]


@dataclass(frozen=True, slots=True)
class Trouble:
    """A problem of a tenant or a part. href: the page where it is handled. since: when it began.

    cause: the same for problems with a common remedy; empty for a problem with its own. runbook: the section of the
    manual.
    """

    level: Level
    says: str
    remedy: str = ""
    href: str = ""
    link: str = ""
    since: datetime | None = None
    runbook: str = "troubleshoot"
    cause: str = ""
    affects: str = ""
    """What does not work because of it, beside a tenant's name."""


@dataclass(slots=True)
class Queue:
    """A tenant's submissions by state. oldest: when the oldest was accepted that is waiting and not held.

    looks: how many are held for an operator's review.
    """

    counts: Counter[OutboxState] = field(default_factory=Counter)
    unfinished: Counter[str] = field(default_factory=Counter)
    """By kind."""
    oldest: datetime | None = None
    looks: int = 0

    @property
    def waiting(self) -> int:
        """How many are not delivered yet and have not failed."""
        return sum(self.counts[state] for state in UNFINISHED)

    @property
    def what_waits(self) -> str:
        """The unfinished ones in words, `2 applications and 1 profile change`; empty if there are none."""
        counted = [(count, KINDS[name]) for name, count in sorted(self.unfinished.items()) if count]
        return " and ".join(f"{count} {kind.label if count == 1 else kind.plural}" for count, kind in counted)


@dataclass(frozen=True, slots=True)
class TenantStatus:
    """The state of one tenant. mirror, index: None if the list was never synced, or the database is unavailable."""

    slug: str
    name: str
    mirror: Health | None = None
    index: Health | None = None
    queue: Queue = field(default_factory=Queue)
    lane: Lane | None = None
    open_requests: OpenRequests = field(default_factory=lambda: OpenRequests(0, 0, 0.0))
    troubles: tuple[Trouble, ...] = ()

    @property
    def level(self) -> Level:
        """The level of its worst problem."""
        return max((one.level for one in self.troubles), default=Level.WELL)


def companies(db: Database, tenants: Tenants, now: datetime) -> list[TenantStatus]:
    """Return every tenant, worst first.

    Includes tenants whose file is invalid or missing, while they still have submissions or open requests. Raises
    DatabaseUnavailable.
    """
    mirrors, indexes = (sync_health.all_of(db, name, now) for name in (ListName.VACANCIES, ListName.CANDIDATES))
    queues, lanes, open_requests = _queues(db), outbox.all_lanes(db), requests.by_tenant(db, now)
    days = sync_health.days_left(db, tenants.all(), now)
    names, problems = _names(tenants), tenants.problems()
    in_hand = {slug for slug, queue in queues.items() if queue.waiting or queue.counts[OutboxState.DEAD]}
    found = []
    for slug in sorted({*names, *problems, *in_hand, *open_requests}):
        known = TenantStatus(
            slug,
            names.get(slug, slug),
            mirrors.get(slug),
            indexes.get(slug),
            queues.get(slug, Queue()),
            lanes.get(lane(slug)),
            open_requests.get(slug, OpenRequests(0, 0, 0.0)),
        )
        troubles = (
            *_of_file(tenants, slug, problems),
            *_of_queue(known, now, tenants.key_file(slug)),
            *_of_lists(known, tenants, problems),
            *_of_certificate(slug, days.get(slug)),
            *_of_webhook(db, tenants.get(slug), now),
        )
        found.append(replace(known, troubles=troubles))
    return sorted(found, key=lambda one: (-one.level, one.slug))


def without_database(tenants: Tenants) -> list[TenantStatus]:
    """Return what the tenant files alone show."""
    names, problems = _names(tenants), tenants.problems()
    return [
        TenantStatus(slug, names.get(slug, slug), troubles=tuple(_of_file(tenants, slug, problems)))
        for slug in sorted({*names, *problems})
    ]


def _queues(db: Database) -> dict[str, Queue]:
    found: dict[str, Queue] = {}
    for depth in outbox.depths(db):
        if depth.kind in KINDS:
            queue = found.setdefault(depth.tenant, Queue())
            queue.counts[depth.state] += depth.count
            if depth.state in UNFINISHED:
                queue.unfinished[depth.kind] += depth.count
            queue.oldest = min(filter(None, (queue.oldest, depth.oldest)), default=None)
    for kind in KINDS:
        for (tenant, who), count in outbox.waiting(db, kind).items():
            found.setdefault(tenant, Queue()).looks += count if who is HeldFor.OPERATOR else 0
    return found


def _names(tenants: Tenants) -> dict[str, str]:
    return {tenant.slug: tenant.name for tenant in tenants.all()}


def _of_file(tenants: Tenants, slug: str, problems: dict[str, str]) -> Iterator[Trouble]:
    if slug in problems:
        served = tenants.get(slug) is not None
        what = (
            "The site continues with its last valid file."
            if served
            else "Servers that already loaded it continue as before; servers started now do not have this site."
        )
        says, remedy = f"Tenant file {problems[slug]}", f"{what} A correction takes effect immediately."
        yield Trouble(Level.WRONG, says, remedy, runbook=_TENANT_FILE)
    elif tenants.get(slug) is None:
        says, remedy = f"There is no tenant file {slug}.toml", "Undelivered submissions wait for it."
        yield Trouble(Level.WRONG, says, remedy, runbook=_TENANT_FILE)


_TENANT_FILE = "troubleshoot#portaltenantfilewrong"


def _of_queue(known: TenantStatus, now: datetime, key_file: str | None) -> Iterator[Trouble]:
    here, queue = f"/submissions?tenant={known.slug}", known.queue
    page = f"/tenants/{known.slug}"
    if known.lane and (known.lane.in_trouble or (known.lane.rests_until and known.lane.rests_until > now)):
        yield _of_lane(known, known.lane, page, now, key_file)
    if dead := queue.counts[OutboxState.DEAD]:
        says = f"{dead} failed: not sent again until you retry or discard {'it' if dead == 1 else 'them'}"
        yield Trouble(Level.WRONG, says, "Find out why.", f"{here}&state=dead", "See failed", runbook=_DEAD)
    if queue.looks:
        says = f"{queue.looks} held for review: a bot may have sent {'it' if queue.looks == 1 else 'them'}"
        yield Trouble(Level.ATTENTION, says, "Release or discard.", f"{here}&state=held", "See held", runbook=_HELD)
    if queue.oldest and now - queue.oldest > WAITS_TOO_LONG:
        says = f"The oldest undelivered one has been waiting since {to_second(queue.oldest)}"
        yield Trouble(Level.WRONG, says, "", here, "See waiting", queue.oldest, _WAITING, _of_service(known.slug))
    if overdue := known.open_requests.overdue:
        many = overdue > 1
        says = f"{overdue} {'responses to requests are' if many else 'response to a request is'} overdue"
        yield Trouble(Level.WRONG, says, "Ask the company.", "/requests", "Requests", runbook=_OVERDUE)


_DEAD, _HELD = "troubleshoot#an-application-has-failed", "troubleshoot#portalheldforalook"
_WAITING, _OVERDUE = "troubleshoot#applications-are-waiting", "troubleshoot#portalanswerowed"
_SERVICE, _DATA = "troubleshoot#portalservicefails", "troubleshoot#portaldataold"
_OF_PARTS = {
    "StoreUnavailable": PartName.STORE,
    "StoreMisconfigured": PartName.STORE,
    "ScannerUnavailable": PartName.SCANNER,
    "InspectionUnavailable": PartName.INSPECTION,
    "DiskNearlyFull": PartName.DISKS,
    "TemporaryFolderFull": PartName.DISKS,
    "DatabaseUnavailable": PartName.DATABASE,
}
"""Failures of deliveries that a part causes which all tenants share."""


_NEW_KEY = "Put a new key into {}; checked again within a minute."


def _of_service(slug: str) -> str:
    return f"service {slug}"


def _of_lane(known: TenantStatus, lane: Lane, page: str, now: datetime, key_file: str | None) -> Trouble:
    why = cause(lane.reason)
    remedy = why.remedy
    if lane.reason == "KeyRefused" and key_file:
        remedy = _NEW_KEY.format(key_file)
    part = _OF_PARTS.get(lane.reason or "")
    since = lane.broken_since or lane.failing_since or known.queue.oldest
    says = why.says
    waiting = known.queue.waiting
    wait = f"Nothing is lost: {waiting} {'submission is waiting' if waiting == 1 else 'submissions are waiting'}. "
    rests = lane.rests_until and lane.rests_until > now
    probe = (
        f" The next attempt is at {to_second(lane.rests_until)}; or select “Try now”."
        if rests and lane.rests_until
        else ""
    )
    return Trouble(
        Level.WRONG if lane.in_trouble else Level.ATTENTION,
        says,
        f"{wait}{remedy}{probe}",
        page,
        "See tenant",
        since if lane.in_trouble else None,
        _SERVICE,
        part or _of_service(known.slug),
        f"{waiting} waiting" if waiting else "deliveries",
    )


def _of_lists(known: TenantStatus, tenants: Tenants, problems: dict[str, str]) -> Iterator[Trouble]:
    if known.slug in problems or tenants.get(known.slug) is None:
        return
    here = partial(Trouble, href=f"/tenants/{known.slug}", link="See tenant", runbook=_DATA)
    for what, health in (("Jobs", known.mirror), ("The candidate index", known.index)):
        verb, short = ("were", "jobs") if what == "Jobs" else ("was", "candidates")
        error = health.error or "" if health else ""
        key_file = tenants.key_file(known.slug) if KEY_REFUSED in error else None
        remedy = _NEW_KEY.format(key_file) if key_file else ""
        failure = f"{error}. {remedy}" if remedy else error
        failing = partial(here, cause=_of_service(known.slug), affects=f"syncing {short}")
        since = health.failing_since if health else None
        if health and health.age is None and health.failures:
            yield failing(Level.WRONG, f"{what} could never be read", failure, since=since)
        elif health is None or health.age is None:
            yield here(Level.ATTENTION, f"{what} {verb} never synced", "“portal worker” does this automatically.")
        elif health.age > sync_health.STALE.total_seconds():
            old = for_how_long(health.age)
            yield failing(Level.WRONG, f"{what} {verb} last synced {old} ago", failure, since=since)
        elif health.failures:
            says = f"Syncing {what[0].lower()}{what[1:]} fails: {error}"
            yield failing(Level.ATTENTION, says, remedy or "Retried automatically.", since=since)
        if health and health.alarm:
            yield here(Level.WRONG, health.alarm)


def _of_certificate(slug: str, days: float | None) -> Iterator[Trouble]:
    """Yield a problem if the service's certificate expires soon. days: until then; None without a certificate."""
    if days is not None and days < sync_health.WARNED_BELOW:
        says = f"The certificate of its service {sync_health.validity_in_words(days)}"
        remedy = "Renew it at the service; deliveries and passes stop when it expires."
        level, page = Level.ATTENTION if days > 0 else Level.WRONG, f"/tenants/{slug}"
        yield Trouble(level, says, remedy, page, "See tenant", runbook="troubleshoot#portalcertificateends")


def _of_webhook(db: Database, tenant: Tenant | None, now: datetime) -> Iterator[Trouble]:
    if tenant and tenant.webhooks.jobs:
        ok, says = job_events.status_of(db, tenant, now)
        if not ok:
            remedy = "Applications and pages are not affected."
            yield Trouble(Level.ATTENTION, f"Webhook: {says}", remedy, runbook="configure#webhooks")
