"""Tenants and parts: how each is, what is wrong, why, and what an operator does about it."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import IntEnum

from portal.console.words import at, cause, for_how_long
from portal.deliveries.accept import lane
from portal.kinds import KINDS
from portal.letters.queue import LANE as MAIL
from portal.outbox import glance
from portal.outbox.glance import Lane, Queue
from portal.outbox.states import State
from portal.parts import Parts
from portal.passes import health as passes
from portal.passes.health import Health
from portal.passes.tables import ListName
from portal.requests import health as requests
from portal.requests.health import Owed

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
    queues, lanes, owed = glance.queues(db, KINDS), glance.all_lanes(db), requests.owed(db, now)
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


def shared(parts: Parts) -> list[Part]:
    """What every tenant needs, as far as the database and this machine tell without asking anybody else.

    Raises DatabaseUnavailable.
    """
    now, short = parts.clock.now(), parts.disks.short()
    alive, seen = glance.workers_alive(parts.database, now)
    mail = glance.all_lanes(parts.database).get(MAIL)
    if alive:
        workers = Part("Workers", Level.WELL, f"{alive} at work")
    else:
        last = f"the last one showed itself at {at(seen)}" if seen else "none has shown itself within a day"
        workers = Part("Workers", Level.WRONG, f"None is at work; {last}. Start “portal worker”: nothing is lost.")
    return [Part("Database", Level.WELL, "answers"), workers, _mail(mail), _room(short)]


def _mail(lane: Lane | None) -> Part:
    if lane and lane.in_trouble:
        why = cause(lane.reason)
        return Part("Mail", Level.WRONG, f"{why.says}. Letters wait, and nothing is lost. {why.remedy}")
    return Part("Mail", Level.WELL, "no trouble known")


def _room(short: list[str]) -> Part:
    if short:
        return Part("Room on disks", Level.WRONG, f"Too little for {', '.join(short)}: files are not taken.")
    return Part("Room on disks", Level.WELL, "enough")


def _names(parts: Parts) -> dict[str, str]:
    return {tenant.slug: tenant.name for tenant in parts.tenants.all()}


def _of_file(parts: Parts, slug: str, problems: dict[str, str]) -> Iterator[Trouble]:
    if slug in problems:
        served = parts.tenants.get(slug) is not None
        what = "The site goes on as it was before." if served else "The site is closed until it is right."
        yield Trouble(Level.WRONG, f"Tenant file {slug}.toml: {problems[slug]}", f"{what} A correction acts at once.")
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
