"""Colleagues: who may use a company's hiring pages, in which role, and the log of what they did.

Roles, each of which may do what those before it may: a reader sees everything, a recruiter also changes jobs and
applications, an owner also manages colleagues and reads the log. A company keeps at least one owner.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from portal.background.mails import queue as mail_queue
from portal.background.mails.queue import Fact
from portal.background.mails.tables import letters
from portal.people.signin import sessions
from portal.platform.crypto.sealing import Seal, address_hashes
from portal.platform.database.db import Database, insert
from portal.tracker import upsert
from portal.tracker.candidates import folded
from portal.tracker.hiring.tables import colleagues, hiring_log, hiring_settings, replies
from portal.tracker.tables import tenants

DAY = timedelta(days=1)
MOST = 500
"""Maximum number of colleagues of one company."""
COMMAND = "command line"
"""The name in the log for the user of `portal tracker colleague`."""


class Role(StrEnum):
    """What a colleague may do, from the fewest permissions to the most."""

    READER = "reader"
    RECRUITER = "recruiter"
    OWNER = "owner"

    def includes(self, other: "Role") -> bool:
        """Return whether this role may do what the other may."""
        ranks = list(Role)
        return ranks.index(self) >= ranks.index(other)


class Notify(StrEnum):
    """Which emails a colleague gets about new applications."""

    EACH = "each"
    DAILY = "daily"
    NONE = "none"


class Activity(StrEnum):
    """The kind of an entry in the log."""

    INVITED = "invited"
    ROLE_CHANGED = "role-changed"
    REMOVED = "removed"
    SIGNED_IN = "signed-in"
    SESSIONS_ENDED = "sessions-ended"
    SIGNED_OUT = "signed-out"
    REPLIED = "replied"
    REPLY_UNDONE = "reply-undone"
    REPLY_WORDS = "reply-words"
    ERASED = "erased"
    SETTINGS = "settings"
    JOB_DRAFTED = "job-drafted"
    JOB_EDITED = "job-edited"
    JOB_PUBLISHED = "job-published"
    JOB_PAUSED = "job-paused"
    JOB_CLOSED = "job-closed"
    JOB_DISCARDED = "job-discarded"
    JOB_EXPORTED = "job-exported"
    MOVED = "moved"
    NOTED = "noted"
    NOTE_DELETED = "note-deleted"
    RATED = "rated"


class RefusedChange(StrEnum):
    """Why a change of colleagues was refused."""

    LAST_OWNER = "last-owner"
    TOO_MANY = "too-many"
    UNKNOWN = "unknown"


class ColleagueRefused(Exception):
    """A change that would break a rule; `why` names it."""

    def __init__(self, why: RefusedChange) -> None:
        super().__init__(why.value)
        self.why = why


@dataclass(frozen=True, slots=True)
class HiringTenant:
    """A company of the service."""

    id: int
    slug: str
    name: str


@dataclass(frozen=True, slots=True)
class Colleague:
    """A person who may use the hiring pages. locale: None if they have not chosen a language."""

    email: str
    role: Role
    notify: Notify
    locale: str | None
    added_at: datetime
    seen_at: datetime | None


def tenant(db: Database, slug: str) -> HiringTenant | None:
    """Return the company with that slug, or None."""
    c = tenants.c
    with db.read() as connection:
        row = connection.execute(sa.select(c.id, c.slug, c.name).where(c.slug == slug)).one_or_none()
    return HiringTenant(*row) if row else None


def any_there(db: Database) -> bool:
    """Return whether any company has colleagues."""
    with db.read() as connection:
        return connection.execute(sa.select(colleagues.c.email).limit(1)).first() is not None


def find(db: Database, tenant_id: int, email: str) -> Colleague | None:
    """Return the colleague with that address in any spelling of its case, or None."""
    return next(iter(_found(db, _this(tenant_id, email))), None)


def all_of(db: Database, tenant_id: int) -> list[Colleague]:
    """Return the colleagues of a company, owners first, then by address."""
    return sorted(_found(db, colleagues.c.tenant_id == tenant_id), key=lambda one: -list(Role).index(one.role))


def _found(db: Database, which: sa.ColumnElement[bool]) -> list[Colleague]:
    c = colleagues.c
    query = sa.select(c.email, c.role, c.notify, c.locale, c.added_at, c.seen_at).where(which).order_by(c.email)
    with db.read() as connection:
        rows = connection.execute(query).all()
    return [Colleague(email, Role(role), Notify(notify), *more) for email, role, notify, *more in rows]


def _this(tenant_id: int, email: str) -> sa.ColumnElement[bool]:
    return sa.and_(colleagues.c.tenant_id == tenant_id, colleagues.c.email == folded(email))


def add(
    db: Database, seal: Seal | None, to: HiringTenant, email: str, role: Role, *, by: str, locale: str, now: datetime
) -> bool:
    """Add a colleague and email an invitation; if they exist already, return False and change nothing.

    email: checked. seal: None sends no invitation. Raises ColleagueRefused for more than MOST.
    """
    row = {"tenant_id": to.id, "email": folded(email), "role": role.value, "notify": Notify.EACH.value}
    with db.write() as connection:
        lock_company(connection, to.id)
        count = connection.scalar(sa.select(sa.func.count()).where(colleagues.c.tenant_id == to.id)) or 0
        if count >= MOST:
            raise ColleagueRefused(RefusedChange.TOO_MANY)
        added = insert(connection, colleagues).values(row | {"added_at": now}).on_conflict_do_nothing()
        if connection.execute(added.returning(colleagues.c.email)).first() is None:
            return False
        # Colleagues are notified of applications from now on, unless notification has begun before.
        last = connection.scalar(sa.select(tenants.c.last_turn).where(tenants.c.id == to.id)) or now
        marks = {"tenant_id": to.id, "notified_turn": last, "digest_turn": last, "digest_at": now + DAY}
        upsert.put_if_new(connection, hiring_settings, [marks])
        log(connection, to.id, by=by, what=Activity.INVITED, about=folded(email), now=now)
        if seal:
            mail_queue.send(
                connection,
                seal,
                tenant=to.slug,
                template="colleague_invitation",
                locale=locale,
                recipient=email,
                facts={"by": by},
                now=now,
            )
    return True


def change_role(db: Database, to: HiringTenant, email: str, role: Role, *, by: str, now: datetime) -> None:
    """Give a colleague another role. Raises ColleagueRefused."""
    with db.write() as connection:
        if _replaceable(connection, to.id, email, role) is not role:
            connection.execute(colleagues.update().where(_this(to.id, email)).values(role=role.value))
            log(connection, to.id, by=by, what=Activity.ROLE_CHANGED, about=folded(email), now=now)


def choose(db: Database, at: HiringTenant, email: str, *, notify: Notify, locale: str) -> None:
    """Store which emails a colleague wants, and in which language they use the pages."""
    with db.write() as connection:
        connection.execute(colleagues.update().where(_this(at.id, email)).values(notify=notify.value, locale=locale))


def came(db: Database, at: HiringTenant, email: str, *, now: datetime) -> None:
    """Record that a colleague signed in."""
    with db.write() as connection:
        connection.execute(colleagues.update().where(_this(at.id, email)).values(seen_at=now))
        log(connection, at.id, by=folded(email), what=Activity.SIGNED_IN, now=now)


def remove(db: Database, seal: Seal | None, to: HiringTenant, email: str, *, by: str, now: datetime) -> None:
    """Remove a colleague, end their sessions and withdraw unsent emails.

    These are the colleague's replies, and emails to them as a colleague. Raises ColleagueRefused.
    """
    with db.write() as connection:
        _replaceable(connection, to.id, email, None)
        connection.execute(colleagues.delete().where(_this(to.id, email)))
        if seal:
            addresses, one = address_hashes(seal, to.slug, email), letters.c
            sessions.forget(connection, tenant=to.slug, addresses=addresses)
            to_them = sa.select(one.id).where(one.tenant == to.slug, one.recipient.in_(addresses))
            as_colleague = to_them.where(one.template != "reply")  # they may have applied, too
            mail_queue.withdraw(connection, ids=connection.scalars(as_colleague).all(), now=now)
        log(connection, to.id, by=by, what=Activity.REMOVED, about=folded(email), now=now)
        r, unsent = replies.c, sa.select(letters.c.id).where(letters.c.sealed.is_not(None))
        theirs = (r.tenant_id == to.id, r.by == folded(email), r.undone_at.is_(None), r.letter.in_(unsent))
        waiting = connection.scalars(sa.select(r.letter).where(*theirs)).all()
        if waiting:  # locks in the order in which the outbox settles: outbox, letters, replies
            mail_queue.withdraw(connection, ids=waiting, now=now)
            connection.execute(replies.update().where(r.letter.in_(waiting)).values(undone_at=now))
            log(connection, to.id, by=by, what=Activity.REPLY_UNDONE, now=now)


def sign_out(db: Database, seal: Seal, at: HiringTenant, email: str | None, *, by: str, now: datetime) -> int:
    """End a colleague's sessions, or those of all colleagues if email is None; return how many."""
    addresses = address_hashes(seal, at.slug, email) if email else None
    with db.write() as connection:
        ended = sessions.forget(connection, tenant=at.slug, addresses=addresses)
        log(connection, at.id, by=by, what=Activity.SIGNED_OUT, about=folded(email) if email else None, now=now)
    return ended


def send_email(
    connection: sa.Connection,
    seal: Seal,
    company: sa.Row[Any],
    whom: Role | Notify,
    template: str,
    facts: Mapping[str, Fact],
    now: datetime,
) -> None:
    """Queue an email to the colleagues with a role or a choice of emails. company: with id and slug."""
    c = colleagues.c
    has = (c.role if isinstance(whom, Role) else c.notify) == whom.value
    found = sa.select(c.email, c.locale).where(c.tenant_id == company.id, has).order_by(c.email)
    for one in connection.execute(found):
        to = {"tenant": company.slug, "recipient": one.email, "locale": one.locale or "en"}
        mail_queue.send(connection, seal, template=template, facts=facts, now=now, **to)


def log(
    connection: sa.Connection, tenant_id: int, *, by: str, what: Activity, now: datetime, about: str | None = None
) -> None:
    """Write a line of the log, in the transaction of the logged action. about: an address, or an id of a job or
    application."""
    row = {"tenant_id": tenant_id, "at": now, "by": by, "what": what.value, "about": about}
    connection.execute(hiring_log.insert().values(row))


def lock_company(connection: sa.Connection, tenant_id: int) -> None:
    """Serialise changes of a company, so that two of them cannot together remove the last owners."""
    connection.execute(sa.select(tenants.c.id).where(tenants.c.id == tenant_id).with_for_update())


def _replaceable(connection: sa.Connection, tenant_id: int, email: str, role: Role | None) -> Role:
    """Return a colleague's role if it may be changed to `role` (None: they are removed). Raises ColleagueRefused."""
    lock_company(connection, tenant_id)
    c = colleagues.c
    before = connection.scalar(sa.select(c.role).where(_this(tenant_id, email)))
    if before is None:
        raise ColleagueRefused(RefusedChange.UNKNOWN)
    owners = sa.select(sa.func.count()).where(c.tenant_id == tenant_id, c.role == Role.OWNER.value)
    if before == Role.OWNER and role is not Role.OWNER and connection.scalar(owners) == 1:
        raise ColleagueRefused(RefusedChange.LAST_OWNER)
    return Role(before)
