"""Sign-in codes of eight digits, typed into the page that requested them.

A holder is a random token that only the requesting browser has (its cookie, or a session's token); here it is stored as
a keyed hash.

A request writes one row and one outbox row, whether or not the address is known. The worker looks the address up,
generates the code, stores its keyed hash and emails it; this ends the codes of the same holder's earlier requests for
that address. Codes of other holders stay valid, so a request for another person's address does not affect that person's
codes. If the mailbox's quota is used up, no code is sent, and its holder's earlier code stays valid.

Trying, in one transaction:
 1. UPDATE … tries = tries + 1 WHERE the holder's latest request is unused, unexpired and has tries left, else the code
    is rejected. Of fifty concurrent tries five are counted, one after the other, on both databases.
 2. The hash of the typed code is compared with the stored one.
 3. UPDATE … used_at WHERE it is still unused; if no row matches, the code is rejected. So one code opens one session.
"""

import hmac
import secrets
import unicodedata
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

import sqlalchemy as sa

from portal.background.mails import quota
from portal.background.mails.queue import lane
from portal.background.mails.quota import RequestedMail
from portal.background.outbox import queue
from portal.people.signin.tables import code_requests
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal, address_hash, address_hashes, mailbox_in_a_log
from portal.platform.database.db import Database
from portal.platform.logs import SecurityEvent, log_security_event

KIND = "code"
TRIES = 5
PROOF_MAX_AGE = timedelta(minutes=5)
"""How long after typing in a code irreversible actions are permitted."""
CONFIRM_CODE_TTL = timedelta(minutes=5)
"""The longest lifetime of a code of Purpose.CONFIRM, which is requested for such an action."""
DIGITS = 8


class Purpose(StrEnum):
    """What a code proves."""

    SIGN_IN = "sign-in"
    ADDRESS = "address"
    """Proves that a new address of a record belongs to the record's owner."""
    CONFIRM = "confirm"
    """Proves that the signed-in person still has access to the address with which they signed in."""


@dataclass(frozen=True, slots=True)
class Proven:
    """An address that its owner has just proven."""

    tenant: str
    address: str
    email: str = field(repr=False)


def digits_in(typed: str) -> str:
    """Return the digits that a person typed, in any script and with anything between them, as 0 to 9."""
    return "".join(str(unicodedata.digit(char)) for char in typed[:100] if unicodedata.category(char) == "Nd")


def new_token() -> str:
    """Return 256 random bits for a cookie."""
    return secrets.token_urlsafe(32)


def holder_of(seal: Seal, token: str) -> str:
    """Return the keyed hash under which a browser's token is stored."""
    return seal.hash("holder", token)


def request_code(
    connection: sa.Connection,
    seal: Seal,
    *,
    tenant: str,
    purpose: Purpose,
    holder: str,
    email: str,
    locale: str,
    ttl: float,
    now: datetime,
    network: str = "",
) -> None:
    """Queue a code for an address. The work here is the same for every address; the worker looks the address up.

    network: the requesting one. Nothing is queued if the mailbox's quota of codes for that network is used up.
    """
    asked = {"tenant": tenant, "recipient": email, "network": network}
    if not quota.count_if_allowed(connection, seal, RequestedMail.CODE, **asked, now=now):
        return
    row = {"tenant": tenant, "purpose": purpose, "holder": holder, "locale": locale}
    made = _request(connection, seal, row, email, now=now, ttl=ttl)
    queue.enqueue(connection, kind=KIND, subject=str(made), tenant=tenant, lane=f"{lane(tenant)}:{KIND}", now=now)


def issue(db: Database, seal: Seal, *, tenant: str, holder: str, email: str, now: datetime, ttl: float) -> str | None:
    """Return a code to sign in that is not sent by email; it becomes the holder's only valid one."""
    row = {"tenant": tenant, "purpose": Purpose.SIGN_IN, "holder": holder, "locale": ""}
    with db.write() as connection:
        made = _request(connection, seal, row, email, now=now, ttl=ttl)
    return generate_code(db, seal, made, now=now, ttl=ttl)


def _request(
    connection: sa.Connection, seal: Seal, row: dict[str, str], email: str, *, now: datetime, ttl: float
) -> int:
    """Insert a request; return its id."""
    whose = {"address": address_hash(seal, row["tenant"], email), "sealed_address": seal.seal(email)}
    times = {"asked_at": now, "expires_at": now + timedelta(seconds=ttl)}
    made: int = connection.execute(
        code_requests.insert().values(**row, **whose, **times).returning(code_requests.c.id)
    ).scalar_one()
    return made


def attempt(
    db: Database,
    seal: Seal,
    *,
    tenant: str,
    purpose: Purpose,
    holder: str,
    typed: str,
    clock: Clock,
    email: str | None = None,
    network: str = "",
) -> Proven | None:
    """Try a code; return None if it is rejected, for any reason. email: only a code for this address counts.

    network: the one from which it is typed in. See the steps above.
    """
    now = clock.now()
    with db.write() as connection:
        proven = attempt_in(
            connection,
            seal,
            tenant=tenant,
            purpose=purpose,
            holder=holder,
            typed=typed,
            now=now,
            email=email,
            network=network,
        )
    if proven is None:
        log_rejection(db, seal, tenant=tenant, purpose=purpose, holder=holder, now=now, email=email)
    return proven


def log_rejection(
    db: Database, seal: Seal, *, tenant: str, purpose: Purpose, holder: str, now: datetime, email: str | None = None
) -> None:
    """Log to the security log why a code was rejected; the response is the same for every reason."""
    latest = sa.select(code_requests).where(*_requested_by(seal, tenant, purpose, holder, email))
    row = db.row(latest.order_by(code_requests.c.id.desc()).limit(1))
    what = SecurityEvent.CODE_WRONG
    if row is not None and row.expires_at <= now:
        what = SecurityEvent.CODE_EXPIRED
    elif row is not None and (row.used_at is not None or row.tries >= TRIES):
        what = SecurityEvent.CODE_SPENT
    log_security_event(
        what, tenant=tenant, mailbox=mailbox_in_a_log(seal, seal.open(row.sealed_address)) if row else None
    )


def _requested_by(
    seal: Seal, tenant: str, purpose: Purpose, holder: str, email: str | None
) -> list[sa.ColumnElement[bool]]:
    c = code_requests.c
    asked = [c.tenant == tenant, c.purpose == purpose, c.holder == holder]
    return asked if email is None else [*asked, c.address.in_(address_hashes(seal, tenant, email))]


def attempt_in(
    connection: sa.Connection,
    seal: Seal,
    *,
    tenant: str,
    purpose: Purpose,
    holder: str,
    typed: str,
    now: datetime,
    email: str | None = None,
    network: str = "",
) -> Proven | None:
    """Try a code within the caller's transaction, so that what follows from the proof is committed with it."""
    c = code_requests.c
    asked = _requested_by(seal, tenant, purpose, holder, email)
    latest = sa.select(sa.func.max(c.id)).where(*asked).scalar_subquery()
    row = connection.execute(
        code_requests.update()
        .where(c.id == latest, c.used_at.is_(None), c.expires_at > now, c.tries < TRIES)
        .values(tries=c.tries + 1)
        .returning(c.id, c.code, c.address, c.sealed_address)
    ).one_or_none()
    if row is None:
        return None
    guesses = seal.hashes("code", tenant, purpose, str(row.id), typed)
    right = [hmac.compare_digest(guess, row.code or "") for guess in guesses]
    if not any(right):
        return None
    used = connection.execute(
        code_requests.update().where(c.id == row.id, c.used_at.is_(None), c.code == row.code).values(used_at=now)
    )
    if used.rowcount != 1:
        return None
    proven = Proven(tenant, row.address, seal.open(row.sealed_address))
    quota.prove(connection, seal, tenant=tenant, recipient=proven.email, network=network, now=now)
    return proven


def was_used_by_browser(
    connection: sa.Connection,
    seal: Seal,
    *,
    tenant: str,
    holder: str,
    typed: str,
    now: datetime,
    opened: tuple[str, datetime] | None,
) -> bool:
    """Return whether this code signed in this very browser: the holder's latest, or the one that opened its session.

    opened: the session's address, and when it was opened, which is when its code was used.
    """
    c, asked = code_requests.c, _requested_by(seal, tenant, Purpose.SIGN_IN, holder, None)
    latest = c.id == sa.select(sa.func.max(c.id)).where(*asked).scalar_subquery()
    its = sa.and_(c.address == opened[0], c.used_at == opened[1]) if opened else sa.false()
    spent = (c.tenant == tenant, c.purpose == Purpose.SIGN_IN, c.used_at.is_not(None), c.expires_at > now)
    rows = connection.execute(sa.select(c.id, c.code).where(*spent, latest | its)).all()
    return any(
        hmac.compare_digest(guess, row.code or "")
        for row in rows
        for guess in seal.hashes("code", tenant, Purpose.SIGN_IN, str(row.id), typed)
    )


def generate_code(db: Database, seal: Seal, request_id: int, *, now: datetime, ttl: float) -> str | None:
    """Generate the code of a request; return None if the holder requested another one since.

    It is from then on the holder's only valid code for this address.
    """
    c = code_requests.c
    with db.write() as connection:
        row = connection.execute(sa.select(code_requests).where(c.id == request_id)).one_or_none()
        if row is None or row.used_at is not None:
            return None
        same = sa.and_(
            c.tenant == row.tenant, c.holder == row.holder, c.address == row.address, c.purpose == row.purpose
        )
        if connection.execute(sa.select(c.id).where(same, c.id > request_id).limit(1)).first():
            return None
        code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}"
        connection.execute(code_requests.update().where(same, c.id != request_id).values(code=None))
        connection.execute(
            code_requests.update()
            .where(c.id == request_id)
            .values(
                code=seal.hash("code", row.tenant, row.purpose, str(request_id), code),
                expires_at=now + timedelta(seconds=ttl),
            )
        )
    return code


def is_waiting(
    connection: sa.Connection, seal: Seal, *, tenant: str, purpose: Purpose, holder: str, email: str, now: datetime
) -> bool:
    """Return whether this holder requested a code for this address that can still be typed in."""
    c, asked = code_requests.c, _requested_by(seal, tenant, purpose, holder, email)
    query = sa.select(c.id).where(*asked, c.used_at.is_(None), c.expires_at > now, c.tries < TRIES)
    return connection.execute(query.limit(1)).first() is not None


def is_proven(connection: sa.Connection, seal: Seal, *, tenant: str, holder: str, email: str) -> bool:
    """Return whether this session has proven this address."""
    c, asked = code_requests.c, _requested_by(seal, tenant, Purpose.ADDRESS, holder, email)
    return connection.execute(sa.select(c.id).where(*asked, c.used_at.is_not(None)).limit(1)).first() is not None
