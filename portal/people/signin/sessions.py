"""Sessions of self-service, stored in the database so that signing out ends them: a hash of the browser's random token.

A session about a candidate's record and its entry in that record's history are written in one transaction.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.background.mails import quota
from portal.background.outbox import queue as outbox
from portal.background.outbox.states import FINISHED, OutboxState
from portal.people.index import history, index
from portal.people.index.history import HistoryEventKind
from portal.people.signin.codes import (
    KIND,
    PROOF_MAX_AGE,
    Proven,
    Purpose,
    attempt_in,
    holder_of,
    is_proven,
    log_rejection,
    new_token,
)
from portal.people.signin.tables import code_requests, sessions
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal, address_hash, address_hashes, mailbox_in_a_log
from portal.platform.database.db import Database
from portal.platform.logs import SecurityEvent, log_security_event

_BATCH = 500
_TOUCHES = 20
"""The time of last use is written once per twentieth of the lifetime, not with every page."""
_KEPT = timedelta(hours=1)
_LONGEST = timedelta(hours=12)
"""A session ends after this even if it is in constant use: a stolen session must not last for ever."""


@dataclass(frozen=True, slots=True)
class Session:
    """A session of a person who has proven an address at this tenant. candidate: their record, once it is chosen.

    holder: the id of the session in the database, a hash of its token.
    """

    tenant: str
    holder: str = field(repr=False)
    address: str
    email: str = field(repr=False)
    candidate: str | None
    opened_at: datetime


def sign_in(
    db: Database,
    seal: Seal,
    *,
    tenant: str,
    holder: str,
    typed: str,
    clock: Clock,
    network: str = "",
    is_candidate: bool = True,
) -> str | None:
    """Return the token of a new session for the right code, else None.

    is_candidate: other sessions of that address end, and if the address is in exactly one record, the session is about
    that record from the start.
    """
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
        opened = None if proven is None else _open(connection, seal, proven, now, is_candidate=is_candidate)
    if proven is None or opened is None:
        log_rejection(db, seal, tenant=tenant, purpose=Purpose.SIGN_IN, holder=holder, now=now)
        return None
    token, others = opened
    mailbox = mailbox_in_a_log(seal, proven.email)
    log_security_event(SecurityEvent.SESSION_BEGUN, tenant=tenant, mailbox=mailbox)
    if others:
        log_security_event(SecurityEvent.SESSION_REPLACED, tenant=tenant, mailbox=mailbox)
    return token


def find(db: Database, seal: Seal, *, tenant: str, token: str, ttl: float, clock: Clock) -> Session | None:
    """Return the tenant's session with that token, unless it was unused for `ttl` seconds or is half a day old.

    Finding it counts as a use.
    """
    now = clock.now()
    s = sessions.c
    in_time = (s.used_at > now - timedelta(seconds=ttl), s.opened_at > now - _LONGEST)
    row = db.row(sa.select(sessions).where(s.tenant == tenant, s.token.in_(seal.hashes("holder", token)), *in_time))
    if row is None:
        return None
    if now - row.used_at >= timedelta(seconds=ttl / _TOUCHES):
        db.run(sessions.update().where(s.token == row.token).values(used_at=now))
    return Session(tenant, row.token, row.address, seal.open(row.sealed_address), row.candidate, row.opened_at)


def choose(db: Database, session: Session, candidate: str, *, clock: Clock) -> None:
    """Set which record this session is about. Other sessions about it end, including those of its other addresses."""
    if session.candidate == candidate:
        return  # already chosen: the history has an entry
    with db.write() as connection:
        ended = _choose(connection, session.tenant, session.holder, session.address, candidate, clock.now())
    if ended:
        log_security_event(SecurityEvent.SESSION_REPLACED, tenant=session.tenant)


def close(db: Database, seal: Seal, *, tenant: str, token: str) -> None:
    """Sign out; do nothing for an unknown token."""
    with db.write() as connection:
        ended = connection.execute(
            sessions.delete()
            .where(sessions.c.tenant == tenant, sessions.c.token.in_(seal.hashes("holder", token)))
            .returning(sessions.c.sealed_address)
        ).all()
    for one in ended:
        log_security_event(
            SecurityEvent.SESSION_ENDED, tenant=tenant, mailbox=mailbox_in_a_log(seal, seal.open(one.sealed_address))
        )


@dataclass(frozen=True, slots=True)
class OpenSession:
    """One session of an address. holder: as in Session."""

    holder: str = field(repr=False)
    opened_at: datetime
    used_at: datetime


def open_of(db: Database, seal: Seal, *, tenant: str, email: str) -> list[OpenSession]:
    """Return the stored sessions of an address, the newest first."""
    s = sessions.c
    theirs = (s.tenant == tenant, s.address.in_(address_hashes(seal, tenant, email)))
    query = sa.select(s.token, s.opened_at, s.used_at).where(*theirs).order_by(s.opened_at.desc())
    return [OpenSession(*row) for row in db.rows(query)]


def end_others(db: Database, seal: Seal, session: Session) -> int:
    """End the other sessions of a session's address; return how many."""
    s = sessions.c
    hashes = address_hashes(seal, session.tenant, session.email)
    others = (s.tenant == session.tenant, s.address.in_(hashes), s.token != session.holder)
    return db.run(sessions.delete().where(*others))


def forget(connection: sa.Connection, *, tenant: str, addresses: Collection[str] | None) -> int:
    """Delete the sessions and code requests of addresses, given as keyed hashes; return how many sessions ended.

    addresses: None for everybody's.
    """
    ended = 0
    for table in (code_requests, sessions):
        whose = sa.true() if addresses is None else table.c.address.in_(addresses)
        here = sa.and_(table.c.tenant == tenant, whose)
        ended = connection.execute(table.delete().where(here)).rowcount
    return ended


def is_open(connection: sa.Connection, session: Session) -> bool:
    """Return whether the session still exists; on PostgreSQL its row is locked until the transaction ends."""
    query = sa.select(sessions.c.token).where(sessions.c.token == session.holder).with_for_update()
    return connection.execute(query).first() is not None


def is_fresh(connection: sa.Connection, seal: Seal, session: Session, now: datetime) -> bool:
    """Return whether a code sent to the session's current address was typed in within codes.PROOF_MAX_AGE."""
    c = code_requests.c
    of_sign_in = sa.and_(c.purpose == Purpose.SIGN_IN, c.used_at == session.opened_at)
    asked_again = sa.and_(c.purpose.in_([Purpose.CONFIRM, Purpose.ADDRESS]), c.holder == session.holder)
    query = sa.select(c.id).where(
        c.tenant == session.tenant,
        c.address.in_(address_hashes(seal, session.tenant, session.email)),
        c.used_at >= now - PROOF_MAX_AGE,
        sa.or_(of_sign_in, asked_again),
    )
    return connection.execute(query.limit(1)).first() is not None


def move(
    connection: sa.Connection, seal: Seal, *, tenant: str, old: str, new: str, candidates: Collection[str]
) -> None:
    """Continue sessions about these records with a new address, where they have proven both addresses.

    A session that another transaction has locked is left as it is: that transaction may be waiting for our locks.
    """
    s = sessions.c
    theirs = (s.tenant == tenant, s.address.in_(address_hashes(seal, tenant, old)), s.candidate.in_(candidates))
    found = connection.execute(sa.select(s.token).where(*theirs).with_for_update(skip_locked=True)).scalars().all()
    for token in found:
        if is_proven(connection, seal, tenant=tenant, holder=token, email=new):
            values = {"address": address_hash(seal, tenant, new), "sealed_address": seal.seal(new)}
            connection.execute(sessions.update().where(s.token == token).values(**values))


def forget_of_candidates(connection: sa.Connection, *, tenant: str, candidates: Sequence[str]) -> int:
    """Delete the sessions about these records, whichever of their addresses opened them; return how many."""
    theirs = sa.and_(sessions.c.tenant == tenant, sessions.c.candidate.in_(candidates))
    return connection.execute(sessions.delete().where(theirs)).rowcount


def forget_expired(db: Database, *, ttl: float, clock: Clock) -> None:
    """Delete expired sessions and code requests. Proofs of new addresses live as long as a session."""
    now = clock.now()
    asked_before = now - max(_KEPT, timedelta(seconds=ttl))
    old_session = sa.or_(sessions.c.used_at < now - timedelta(seconds=ttl), sessions.c.opened_at < now - _LONGEST)
    old_request = code_requests.c.expires_at < asked_before
    with db.read() as connection:
        old = connection.execute(sa.select(sa.or_(sa.exists().where(old_session), sa.exists().where(old_request))))
        any_old = old.scalar()
        ended = outbox.finished(connection, [KIND], (*FINISHED, OutboxState.DEAD), before=asked_before, limit=_BATCH)
    if any_old or ended:
        with db.write() as connection:
            connection.execute(sessions.delete().where(old_session))
            connection.execute(code_requests.delete().where(old_request))
            outbox.remove(connection, KIND, [one.subject for one in ended])


@dataclass(frozen=True, slots=True)
class SignInRecord:
    """One session, code or proof of an address as far as it is still stored, for the owner of the address."""

    kind: str
    at: datetime
    last_used_at: datetime | None


def of_person(db: Database, seal: Seal, *, tenant: str, email: str) -> list[SignInRecord]:
    """Return the sessions and code requests of an address, and when it was proven."""
    hashes = address_hashes(seal, tenant, email)
    s, c = sessions.c, code_requests.c
    with db.read() as connection:
        opened = connection.execute(
            sa.select(s.opened_at, s.used_at).where(s.tenant == tenant, s.address.in_(hashes)).order_by(s.opened_at)
        )
        found = [SignInRecord("session", row.opened_at, row.used_at) for row in opened]
        asked = connection.execute(
            sa.select(c.asked_at, c.used_at).where(c.tenant == tenant, c.address.in_(hashes)).order_by(c.id)
        )
        found += [SignInRecord("code", row.asked_at, row.used_at) for row in asked]
        proofs = quota.proofs(connection, seal, tenant=tenant, recipient=email)
        return [*found, *(SignInRecord("proof", at, None) for at in proofs)]


def _choose(connection: sa.Connection, tenant: str, holder: str, address: str, candidate: str, now: datetime) -> int:
    """Set the session's record and write it to the history; return how many other sessions ended."""
    s = sessions.c
    others = sa.and_(s.tenant == tenant, s.candidate == candidate, s.token != holder)
    ended = connection.execute(sessions.delete().where(others)).rowcount
    connection.execute(sessions.update().where(s.token == holder).values(candidate=candidate))
    history.note(
        connection, tenant=tenant, candidate=candidate, address=address, what=HistoryEventKind.SIGNED_IN, now=now
    )
    return ended


def _open(
    connection: sa.Connection, seal: Seal, proven: Proven, now: datetime, *, is_candidate: bool
) -> tuple[str, int]:
    """Open a session; return its token, and how many other sessions ended."""
    token, others = new_token(), 0
    holder = holder_of(seal, token)
    if is_candidate:
        hashes = address_hashes(seal, proven.tenant, proven.email)
        theirs = sa.and_(sessions.c.tenant == proven.tenant, sessions.c.address.in_(hashes))
        others = connection.execute(sessions.delete().where(theirs)).rowcount
    connection.execute(
        sessions.insert().values(
            token=holder,
            tenant=proven.tenant,
            address=proven.address,
            sealed_address=seal.seal(proven.email),
            opened_at=now,
            used_at=now,
        )
    )
    records = index.at_address(connection, seal, proven.tenant, proven.email) if is_candidate else []
    if len(records) == 1:
        others += _choose(connection, proven.tenant, holder, proven.address, records[0].key, now)
    return token, others
