"""Tenants and parts: how each is, what is wrong, why, and what an operator does about it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import IntEnum

from portal.console.words import at, cause, for_how_long
from portal.db import Database
from portal.deliveries.accept import lane
from portal.kinds import KINDS
from portal.outbox import glance
from portal.outbox import health as outbox
from portal.outbox.glance import Lane
from portal.outbox.states import UNFINISHED, HeldFor, State
from portal.parts import Parts
from portal.passes import health as passes
from portal.passes.health import Health
from portal.passes.tables import ListName
from portal.requests import health as requests
from portal.requests.health import Owed
from portal.standing.part import Name
from portal.standing.part import Part as Found
from portal.standing.part import State as FoundState

_STALE = timedelta(minutes=30).total_seconds()
_WAITS_TOO_LONG = timedelta(hours=1)


class Level(IntEnum):
    """How bad it is; the worst is the highest."""

    WELL = 0
    LOOK = 1
    """Somebody should look at it; nothing stands still."""
    WRONG = 2

    @property
    def word(self) -> str:
        """For people."""
        return {Level.WELL: "Well", Level.LOOK: "Look", Level.WRONG: "Wrong"}[self]


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong with a tenant or a part. href: where it is handled."""

    level: Level
    says: str
    remedy: str = ""
    href: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """Something that every tenant needs."""

    name: str
    level: Level
    says: str
    manual: str = ""
    """The paragraph of the manual that says what to do."""


_NAMES = {
    Name.DATABASE: "Database",
    Name.STORE: "Store of files",
    Name.DISKS: "Room on disks",
    Name.INSPECTION: "Looking into files",
    Name.SCANNER: "Malware scanner",
    Name.MAIL: "Mail",
    Name.WORKERS: "Workers",
    Name.LIMITS: "Shared limits",
}
_LEVELS = {FoundState.OK: Level.WELL, FoundState.DEGRADED: Level.LOOK, FoundState.DOWN: Level.WRONG}


@dataclass(slots=True)
class Queue:
    """What one tenant has in hand. oldest: since when the one waits that waits longest and is held for nobody.

    looks: how many are held until an operator has looked at them.
    """

    counts: Counter[State] = field(default_factory=Counter)
    oldest: datetime | None = None
    looks: int = 0

    @property
    def waiting(self) -> int:
        """How many are not delivered yet, and are not dead."""
        return sum(self.counts[state] for state in UNFINISHED)


@dataclass(frozen=True, slots=True)
class Company:
    """One tenant. mirror, index: None where the list was never read, or the database is away."""

    slug: str
    name: str
    mirror: Health | None = None
    index: Health | None = None
    queue: Queue = field(default_factory=Queue)
    lane: Lane | None = None
    owed: Owed = field(default_factory=lambda: Owed(0, 0, 0.0))
    troubles: tuple[Trouble, ...] = ()

    @property
    def level(self) -> Level:
        """Of the worst of its troubles."""
        return max((one.level for one in self.troubles), default=Level.WELL)


def companies(parts: Parts) -> list[Company]:
    """Every tenant, the worst first; also one whose file is wrong or gone, while something of it is in hand.

    Raises DatabaseUnavailable.
    """
    db, now = parts.database, parts.clock.now()
    mirrors, indexes = (passes.all_of(db, name, now) for name in (ListName.VACANCIES, ListName.CANDIDATES))
    queues, lanes, owed = _queues(db), glance.all_lanes(db), requests.owed(db, now)
    names, problems = _names(parts), parts.tenants.problems()
    in_hand = {slug for slug, queue in queues.items() if queue.waiting or queue.counts[State.DEAD]}
    found = []
    for slug in sorted({*names, *problems, *in_hand, *owed}):
        known = Company(
            slug,
            names.get(slug, slug),
            mirrors.get(slug),
            indexes.get(slug),
            queues.get(slug, Queue()),
            lanes.get(lane(slug)),
            owed.get(slug, Owed(0, 0, 0.0)),
        )
        troubles = (*_of_file(parts, slug, problems), *_of_queue(parts, known, now), *_of_lists(known, parts, problems))
        found.append(replace(known, troubles=troubles))
    return sorted(found, key=lambda one: (-one.level, one.slug))


def without_database(parts: Parts) -> list[Company]:
    """What the tenant files alone tell."""
    names, problems = _names(parts), parts.tenants.problems()
    return [
        Company(slug, names.get(slug, slug), troubles=tuple(_of_file(parts, slug, problems)))
        for slug in sorted({*names, *problems})
    ]


def shared(found: Iterable[Found]) -> list[Part]:
    """What every tenant needs. Tenants themselves are told one by one."""
    return [
        Part(
            _NAMES[one.name],
            _LEVELS[one.state],
            "; ".join(filter(None, (one.says, one.means))),
            "" if one.state is FoundState.OK else one.do,
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
            queue.oldest = min(filter(None, (queue.oldest, depth.oldest)), default=None)
    for kind in KINDS:
        for (tenant, who), count in outbox.waiting(db, kind).items():
            found.setdefault(tenant, Queue()).looks += count if who is HeldFor.OPERATOR else 0
    return found


def _names(parts: Parts) -> dict[str, str]:
    return {tenant.slug: tenant.name for tenant in parts.tenants.all()}


def _of_file(parts: Parts, slug: str, problems: dict[str, str]) -> Iterator[Trouble]:
    if slug in problems:
        served = parts.tenants.get(slug) is not None
        what = (
            "The site goes on as it was before."
            if served
            else "A server that had it goes on as it was; one that starts now has no site of it."
        )
        yield Trouble(Level.WRONG, f"Tenant file {problems[slug]}", f"{what} A correction acts at once.")
    elif parts.tenants.get(slug) is None:
        yield Trouble(Level.WRONG, f"There is no tenant file {slug}.toml", "What is in hand waits for it.")


def _of_queue(parts: Parts, known: Company, now: datetime) -> Iterator[Trouble]:
    here, queue = f"/submissions?tenant={known.slug}", known.queue
    page = f"/tenants/{known.slug}"
    if known.lane and (known.lane.in_trouble or (known.lane.rests_until and known.lane.rests_until > now)):
        yield _of_lane(parts, known, known.lane, page)
    if dead := queue.counts[State.DEAD]:
        says = f"{dead} dead: not tried any more until you retry or discard {'it' if dead == 1 else 'them'}"
        yield Trouble(Level.WRONG, says, "Look at why.", f"{here}&state=dead", "Dead ones")
    if queue.looks:
        says = f"{queue.looks} held for a look: a program may have sent {'it' if queue.looks == 1 else 'them'}"
        yield Trouble(Level.LOOK, says, "Release or discard.", f"{here}&state=held", "Held ones")
    if queue.oldest and now - queue.oldest > _WAITS_TOO_LONG:
        says = f"The oldest undelivered one waits since {at(queue.oldest)}"
        yield Trouble(Level.WRONG, says, "", here, "What waits")
    if known.owed.overdue:
        many = known.owed.overdue > 1
        says = (
            f"{known.owed.overdue} {'answers to people’s requests are' if many else 'answer to a request is'} overdue"
        )
        yield Trouble(Level.WRONG, says, "Ask the company.", "/requests", "Requests")


def _of_lane(parts: Parts, known: Company, lane: Lane, page: str) -> Trouble:
    why, now = cause(lane.reason), parts.clock.now()
    since = lane.broken_since or known.queue.oldest
    says = f"{why.says}{f', since {at(since)}' if since and lane.in_trouble else ''}"
    waiting = known.queue.waiting
    wait = f"Nothing is lost: {waiting} {'submission waits' if waiting == 1 else 'submissions wait'}. "
    rests = lane.rests_until and lane.rests_until > now
    probe = f" The next try is at {at(lane.rests_until)}; or press Try now." if rests and lane.rests_until else ""
    return Trouble(
        Level.WRONG if lane.in_trouble else Level.LOOK, says, f"{wait}{why.remedy}{probe}", page, "To the tenant"
    )


def _of_lists(known: Company, parts: Parts, problems: dict[str, str]) -> Iterator[Trouble]:
    if known.slug in problems or parts.tenants.get(known.slug) is None:
        return
    page = f"/tenants/{known.slug}"
    for what, health in (("Jobs", known.mirror), ("The index of candidates", known.index)):
        verb = "were" if what == "Jobs" else "was"
        if health is None or health.age is None:
            yield Trouble(
                Level.LOOK, f"{what} {verb} never read", "“portal worker” does it by itself.", page, "To the tenant"
            )
        elif health.age > _STALE:
            old = for_how_long(health.age)
            yield Trouble(Level.WRONG, f"{what} {verb} last read {old} ago", health.error or "", page, "To the tenant")
        elif health.failures:
            says = f"Reading {what[0].lower()}{what[1:]} fails: {health.error}"
            yield Trouble(Level.LOOK, says, "Tried again by itself.", page, "To the tenant")
        if health and health.alarm:
            yield Trouble(Level.WRONG, health.alarm, "", page, "To the tenant")
