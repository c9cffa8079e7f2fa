"""Sessions of self-service: kept here, so that signing out ends them. The browser holds a random token, this a hash."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.clock import Clock
from portal.db import Database
from portal.letters import allowance
from portal.logs import Seen, seen
from portal.outbox import queue as outbox
from portal.outbox.states import FINISHED, State
from portal.sealing import Seal, address_hash, address_hashes, mailbox_in_a_log
from portal.signin.codes import KIND, Proven, Purpose, attempt_in, holder_of, is_proven, new_token, tell_of_failing
from portal.signin.tables import code_requests, sessions

_BATCH = 500
_TOUCHES = 20
"""A use is written down once in a twentieth of the lifetime, not with every page."""
_KEPT = timedelta(hours=1)
_LONGEST = timedelta(hours=12)
"""A session ends after this even if it is in use all the time: a stolen one must not last for ever."""


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who has proven an address of this tenant. candidate: the record that is theirs, once it is known which.

    holder: the session's own name within the portal, a hash of its token.
    """

    tenant: str
    holder: str = field(repr=False)
    address: str
    email: str = field(repr=False)
    candidate: str | None
    opened_at: datetime


def sign_in(
    db: Database, seal: Seal, *, tenant: str, holder: str, typed: str, clock: Clock, network: str = ""
) -> str | None:
    """The token of a new session for the right code, else None. Other sessions of that address end with it."""
    now = clock.now()
    with db.write() as connection:
        proven = attempt_in(
            connection,
            seal,
            tenant=tenant,
            purpose=Purpose.SIGN_IN,
            holder=holder,
            typed=typed,
            now=now,
            network=network,
        )
        opened = None if proven is None else _open(connection, seal, proven, now)
    if proven is None or opened is None:
        tell_of_failing(db, seal, tenant=tenant, purpose=Purpose.SIGN_IN, holder=holder, now=now)
        return None
    token, others = opened
    mailbox = mailbox_in_a_log(seal, proven.email)
    seen(Seen.SESSION_BEGUN, tenant=tenant, mailbox=mailbox)
    if others:
        seen(Seen.SESSION_REPLACED, tenant=tenant, mailbox=mailbox)
    return token


def find(db: Database, seal: Seal, *, tenant: str, token: str, ttl: float, clock: Clock) -> Session | None:
    """The session of that token at that tenant, unless it was left alone for `ttl` seconds or is half a day old.

    It counts as used now.
    """
    now = clock.now()
    s = sessions.c
    query = sa.select(sessions).where(
        s.tenant == tenant,
        s.token.in_(seal.hashes("holder", token)),
        s.used_at > now - timedelta(seconds=ttl),
        s.opened_at > now - _LONGEST,
    )
    with db.read() as connection:
        row = connection.execute(query).one_or_none()
    if row is None:
        return None
    if now - row.used_at >= timedelta(seconds=ttl / _TOUCHES):
        with db.write() as connection:
            connection.execute(sessions.update().where(s.token == row.token).values(used_at=now))
    return Session(tenant, row.token, row.address, seal.open(row.sealed_address), row.candidate, row.opened_at)


def choose(db: Database, session: Session, candidate: str) -> None:
    """Which record this session is about. Other sessions about that record end, also those of its other addresses."""
    s = sessions.c
    others = sa.and_(s.tenant == session.tenant, s.candidate == candidate, s.token != session.holder)
    with db.write() as connection:
        ended = connection.execute(sessions.delete().where(others)).rowcount
        connection.execute(sessions.update().where(s.token == session.holder).values(candidate=candidate))
    if ended:
        seen(Seen.SESSION_REPLACED, tenant=session.tenant)


def close(db: Database, seal: Seal, *, tenant: str, token: str) -> None:
    """Sign out; nothing happens to an unknown token."""
    with db.write() as connection:
        ended = connection.execute(
            sessions.delete()
            .where(sessions.c.tenant == tenant, sessions.c.token.in_(seal.hashes("holder", token)))
            .returning(sessions.c.sealed_address)
        ).all()
    for one in ended:
        seen(Seen.SESSION_ENDED, tenant=tenant, mailbox=mailbox_in_a_log(seal, seal.open(one.sealed_address)))


def forget(connection: sa.Connection, seal: Seal, *, tenant: str, email: str) -> int:
    """Everything of an address: its sessions, and its requests for codes; returns how many sessions ended."""
    ended = 0
    for table in (code_requests, sessions):
        here = sa.and_(table.c.tenant == tenant, table.c.address.in_(address_hashes(seal, tenant, email)))
        ended = connection.execute(table.delete().where(here)).rowcount
    return ended


def is_open(connection: sa.Connection, session: Session) -> bool:
    """Whether it was not ended meanwhile; on PostgreSQL it stays as it is until this transaction ends."""
    query = sa.select(sessions.c.token).where(sessions.c.token == session.holder).with_for_update()
    return connection.execute(query).first() is not None


def move(
    connection: sa.Connection, seal: Seal, *, tenant: str, old: str, new: str, candidates: Collection[str]
) -> None:
    """Sessions about these records that an address opened go on with another, where they have proven that one too.

    One that somebody else's transaction holds just now stays as it is: who holds it may wait for what we hold.
    """
    s = sessions.c
    theirs = (s.tenant == tenant, s.address.in_(address_hashes(seal, tenant, old)), s.candidate.in_(candidates))
    found = connection.execute(sa.select(s.token).where(*theirs).with_for_update(skip_locked=True)).scalars().all()
    for token in found:
        if is_proven(connection, seal, tenant=tenant, holder=token, email=new):
            values = {"address": address_hash(seal, tenant, new), "sealed_address": seal.seal(new)}
            connection.execute(sessions.update().where(s.token == token).values(**values))


def forget_of_candidates(connection: sa.Connection, *, tenant: str, candidates: Sequence[str]) -> None:
    """Sessions about these records, whichever of their addresses opened them."""
    theirs = sa.and_(sessions.c.tenant == tenant, sessions.c.candidate.in_(candidates))
    connection.execute(sessions.delete().where(theirs))


def forget_expired(db: Database, *, ttl: float, clock: Clock) -> None:
    """Delete what no longer opens anything. Proofs of new addresses live as long as a session."""
    now = clock.now()
    asked_before = now - max(_KEPT, timedelta(seconds=ttl))
    old_session = sa.or_(sessions.c.used_at < now - timedelta(seconds=ttl), sessions.c.opened_at < now - _LONGEST)
    old_request = code_requests.c.expires_at < asked_before
    with db.read() as connection:
        old = connection.execute(sa.select(sa.or_(sa.exists().where(old_session), sa.exists().where(old_request))))
        any_old = old.scalar()
        ended = outbox.finished(connection, [KIND], (*FINISHED, State.DEAD), before=asked_before, limit=_BATCH)
    if any_old or ended:
        with db.write() as connection:
            connection.execute(sessions.delete().where(old_session))
            connection.execute(code_requests.delete().where(old_request))
            outbox.remove(connection, KIND, [one.subject for one in ended])


@dataclass(frozen=True, slots=True)
class Access:
    """One session, code or proof of the address as the portal still knows it, for its owner's own eyes."""

    kind: str
    at: datetime
    last_used_at: datetime | None


def of_person(db: Database, seal: Seal, *, tenant: str, email: str) -> list[Access]:
    """Sessions and code requests of an address, and when it was proven."""
    hashes = address_hashes(seal, tenant, email)
    s, c = sessions.c, code_requests.c
    with db.read() as connection:
        opened = connection.execute(
            sa.select(s.opened_at, s.used_at).where(s.tenant == tenant, s.address.in_(hashes)).order_by(s.opened_at)
        )
        found = [Access("session", row.opened_at, row.used_at) for row in opened]
        asked = connection.execute(
            sa.select(c.asked_at, c.used_at).where(c.tenant == tenant, c.address.in_(hashes)).order_by(c.id)
        )
        found += [Access("code", row.asked_at, row.used_at) for row in asked]
        proofs = allowance.proofs(connection, seal, tenant=tenant, recipient=email)
        return [*found, *(Access("proof", at, None) for at in proofs)]


def _open(connection: sa.Connection, seal: Seal, proven: Proven, now: datetime) -> tuple[str, int]:
    """Its token, and how many others ended with it."""
    token = new_token()
    hashes = address_hashes(seal, proven.tenant, proven.email)
    theirs = sa.and_(sessions.c.tenant == proven.tenant, sessions.c.address.in_(hashes))
    others = connection.execute(sessions.delete().where(theirs)).rowcount
    connection.execute(
        sessions.insert().values(
            token=holder_of(seal, token),
            tenant=proven.tenant,
            address=proven.address,
            sealed_address=seal.seal(proven.email),
            opened_at=now,
            used_at=now,
        )
    )
    return token, others
