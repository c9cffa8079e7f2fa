"""The state of tenants and parts: what is wrong, why, and what an operator can do about it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import IntEnum

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
from portal.operations.health.part import PartHealth as Found
from portal.operations.health.part import PartName
from portal.operations.health.part import PartState as FoundState
from portal.platform.database.db import Database
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant


class Level(IntEnum):
    """Severity; the worst is the highest."""

    WELL = 0
    LOOK = 1
    """Needs attention, but nothing has stopped."""
    WRONG = 2

    @property
    def word(self) -> str:
        """Its name for people."""
        return {Level.WELL: "OK", Level.LOOK: "Needs attention", Level.WRONG: "Problem"}[self]


@dataclass(frozen=True, slots=True)
class Trouble:
    """A problem of a tenant or a part. href: the page where it is handled."""

    level: Level
    says: str
    remedy: str = ""
    href: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class PartStatus:
    """The state of a part that all tenants share."""

    name: str
    level: Level
    says: str
    manual: str = ""
    """The paragraph of the manual that says what to do."""


_NAMES = {
    PartName.DATABASE: "Database",
    PartName.STORE: "File storage",
    PartName.DISKS: "Disk space",
    PartName.INSPECTION: "CV inspection",
    PartName.SCANNER: "Malware scanner",
    PartName.MAIL: "Email",
    PartName.WORKERS: "Workers",
    PartName.LIMITS: "Shared rate limits",
}
_LEVELS = {FoundState.OK: Level.WELL, FoundState.DEGRADED: Level.LOOK, FoundState.DOWN: Level.WRONG}


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
            *_of_queue(known, now),
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


def shared(found: Iterable[Found]) -> list[PartStatus]:
    """Return the parts that all tenants share. Tenants' own parts are reported per tenant."""
    return [
        PartStatus(
            _NAMES[one.name],
            _LEVELS[one.state],
            "; ".join(filter(None, (one.says, one.means))),
            "" if one.state is FoundState.OK else one.runbook,
        )
        for one in found
        if one.name in _NAMES
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
        yield Trouble(Level.WRONG, f"Tenant file {problems[slug]}", f"{what} A correction takes effect immediately.")
    elif tenants.get(slug) is None:
        yield Trouble(Level.WRONG, f"There is no tenant file {slug}.toml", "Undelivered submissions wait for it.")


def _of_queue(known: TenantStatus, now: datetime) -> Iterator[Trouble]:
    here, queue = f"/submissions?tenant={known.slug}", known.queue
    page = f"/tenants/{known.slug}"
    if known.lane and (known.lane.in_trouble or (known.lane.rests_until and known.lane.rests_until > now)):
        yield _of_lane(known, known.lane, page, now)
    if dead := queue.counts[OutboxState.DEAD]:
        says = f"{dead} failed: not sent again until you retry or discard {'it' if dead == 1 else 'them'}"
        yield Trouble(Level.WRONG, says, "Find out why.", f"{here}&state=dead", "See failed")
    if queue.looks:
        says = f"{queue.looks} held for review: a bot may have sent {'it' if queue.looks == 1 else 'them'}"
        yield Trouble(Level.LOOK, says, "Release or discard.", f"{here}&state=held", "See held")
    if queue.oldest and now - queue.oldest > WAITS_TOO_LONG:
        says = f"The oldest undelivered one has been waiting since {to_second(queue.oldest)}"
        yield Trouble(Level.WRONG, says, "", here, "See waiting")
    if overdue := known.open_requests.overdue:
        many = overdue > 1
        says = f"{overdue} {'responses to requests are' if many else 'response to a request is'} overdue"
        yield Trouble(Level.WRONG, says, "Ask the company.", "/requests", "Requests")


def _of_lane(known: TenantStatus, lane: Lane, page: str, now: datetime) -> Trouble:
    why = cause(lane.reason)
    since = lane.broken_since or known.queue.oldest
    says = f"{why.says}{f', since {to_second(since)}' if since and lane.in_trouble else ''}"
    waiting = known.queue.waiting
    wait = f"Nothing is lost: {waiting} {'submission is waiting' if waiting == 1 else 'submissions are waiting'}. "
    rests = lane.rests_until and lane.rests_until > now
    probe = (
        f" The next attempt is at {to_second(lane.rests_until)}; or select “Try now”."
        if rests and lane.rests_until
        else ""
    )
    return Trouble(
        Level.WRONG if lane.in_trouble else Level.LOOK, says, f"{wait}{why.remedy}{probe}", page, "See tenant"
    )


def _of_lists(known: TenantStatus, tenants: Tenants, problems: dict[str, str]) -> Iterator[Trouble]:
    if known.slug in problems or tenants.get(known.slug) is None:
        return
    here = {"href": f"/tenants/{known.slug}", "link": "See tenant"}
    for what, health in (("Jobs", known.mirror), ("The candidate index", known.index)):
        verb = "were" if what == "Jobs" else "was"
        if health and health.age is None and health.failures:
            yield Trouble(Level.WRONG, f"{what} could never be read", health.error or "", **here)
        elif health is None or health.age is None:
            yield Trouble(Level.LOOK, f"{what} {verb} never synced", "“portal worker” does this automatically.", **here)
        elif health.age > sync_health.STALE.total_seconds():
            old = for_how_long(health.age)
            yield Trouble(Level.WRONG, f"{what} {verb} last synced {old} ago", health.error or "", **here)
        elif health.failures:
            says = f"Syncing {what[0].lower()}{what[1:]} fails: {health.error}"
            yield Trouble(Level.LOOK, says, "Retried automatically.", **here)
        if health and health.alarm:
            yield Trouble(Level.WRONG, health.alarm, **here)


def _of_certificate(slug: str, days: float | None) -> Iterator[Trouble]:
    """Yield a problem if the service's certificate expires soon. days: until then; None without a certificate."""
    if days is not None and days < sync_health.WARNED_BELOW:
        says = f"The certificate of its service {sync_health.validity_in_words(days)}"
        remedy = "Renew it at the service; deliveries and passes stop when it expires."
        yield Trouble(Level.LOOK if days > 0 else Level.WRONG, says, remedy, f"/tenants/{slug}", "See tenant")


def _of_webhook(db: Database, tenant: Tenant | None, now: datetime) -> Iterator[Trouble]:
    if tenant and tenant.webhooks.jobs:
        fine, says = job_events.status_of(db, tenant, now)
        if not fine:
            yield Trouble(Level.LOOK, f"Webhook: {says}", "Applications and pages are not affected.")
