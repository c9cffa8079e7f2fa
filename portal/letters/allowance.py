"""How many letters reach a mailbox that anybody can cause: counted here, in the transaction that queues them.

Whoever asks at the same moment for one mailbox waits for each other (SQLite: the one write lock; PostgreSQL: an
advisory lock), so that two cannot both be the fifth. What is kept is keyed hashes, for as long as it counts.

A letter that somebody's application causes goes at once while there is room; what is beyond it is gathered. A code is
of use for minutes: what is beyond its room is not sent. Both have room of their own, so that an evening of applying
locks nobody out of signing in. A network from which the mailbox was proven lately always has room for a code, so that
others can use up only what is others'.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.db import Database
from portal.letters.tables import letters, mailbox_events
from portal.sealing import Seal, mailbox_hashes

OF_TENANT = 5
OF_ALL = 10
"""Letters a day at once to a mailbox, of one tenant and of all together."""
PROVEN = 10
"""Times as many to a mailbox that was proven lately: it is somebody's who uses it here, and still has an end."""
CODES = 60
CODES_OF_NETWORK = 20
"""Codes a day to a mailbox, from everywhere and from one network: no network can use up what there is."""
ALERTS = 10
ALERTS_OF_NETWORK = 5
"""Letters a day to a mailbox that ask whether an alert is wanted; they have room of their own as well."""
PROOF_LASTS = timedelta(days=90)
COUNTED = timedelta(days=7)
"""For so long gatherings are remembered. After the third of that time there is one a day."""
GATHERED = "gathered"
"""The template of a letter in which others are gathered."""

_DAY = timedelta(days=1)
_HOUR = timedelta(hours=1)
_HOURLY = 3
_PROOF, _CODE, _ALERT = "proof", "code", "alert"
_c = letters.c


@dataclass(frozen=True, slots=True)
class Room:
    """Whether a letter goes at once; if not, when a new gathering would go out. mailbox: keyed hash."""

    mailbox: str
    at_once: bool
    gathers_until: datetime


def room_for(connection: sa.Connection, seal: Seal, *, tenant: str, recipient: str, now: datetime) -> Room:
    """For one more letter to this address. Until the transaction ends nobody else is told of room in its mailbox."""
    mailboxes = mailbox_hashes(seal, recipient)
    _one_at_a_time(connection, mailboxes[0])
    asked = {"mailboxes": mailboxes, "slug": tenant, "week": now - COUNTED, "day": now - _DAY}
    found = connection.execute(_STANDING, asked | {"proof": now - PROOF_LASTS}).one()
    times = PROVEN if found.proven else 1
    pause = _HOUR if found.gatherings < _HOURLY else _DAY
    return Room(
        mailboxes[0],
        found.here < OF_TENANT * times and found.everywhere < OF_ALL * times,
        max(now + _HOUR, found.last + pause) if found.last else now + _HOUR,
    )


def takes_code(
    connection: sa.Connection, seal: Seal, *, tenant: str, recipient: str, network: str, now: datetime
) -> bool:
    """Whether a code may go to this address; if so, it is counted. network: the one that asks for it."""
    return _takes(
        connection, seal, tenant, recipient, network, now, what=_CODE, most=CODES, of_network=CODES_OF_NETWORK
    )


def takes_alert(
    connection: sa.Connection, seal: Seal, *, tenant: str, recipient: str, network: str, now: datetime
) -> bool:
    """The same for a letter that asks whether an alert is wanted."""
    return _takes(
        connection, seal, tenant, recipient, network, now, what=_ALERT, most=ALERTS, of_network=ALERTS_OF_NETWORK
    )


def _takes(
    connection: sa.Connection,
    seal: Seal,
    tenant: str,
    recipient: str,
    network: str,
    now: datetime,
    *,
    what: str,
    most: int,
    of_network: int,
) -> bool:
    e, mailboxes = mailbox_events.c, mailbox_hashes(seal, recipient)
    _one_at_a_time(connection, mailboxes[0])
    theirs = sa.func.count().filter(e.network.in_(_networks(seal, mailboxes, network)))
    counts = sa.select(sa.func.count(), theirs)
    sent, to_network = connection.execute(
        counts.where(e.mailbox.in_(mailboxes), e.what == what, e.at > now - _DAY)
    ).one()
    if to_network >= of_network:
        return False
    if sent >= most and not is_known(connection, seal, recipient=recipient, network=network, now=now):
        return False
    _note(connection, seal, tenant, mailboxes, what, network, now)
    return True


def is_known(connection: sa.Connection, seal: Seal, *, recipient: str, network: str, now: datetime) -> bool:
    """Whether this address was proven from this network lately."""
    e, mailboxes = mailbox_events.c, mailbox_hashes(seal, recipient)
    query = sa.select(e.id).where(
        e.mailbox.in_(mailboxes),
        e.what == _PROOF,
        e.at > now - PROOF_LASTS,
        e.network.in_(_networks(seal, mailboxes, network)),
    )
    return connection.execute(query.limit(1)).first() is not None


def prove(connection: sa.Connection, seal: Seal, *, tenant: str, recipient: str, network: str, now: datetime) -> None:
    """Its owner has typed in a code that was sent to this address, from this network."""
    e, mailboxes = mailbox_events.c, mailbox_hashes(seal, recipient)
    before = (e.mailbox.in_(mailboxes), e.tenant == tenant, e.what == _PROOF)
    same = e.network.in_(_networks(seal, mailboxes, network))
    connection.execute(mailbox_events.delete().where(*before, same))
    _note(connection, seal, tenant, mailboxes, _PROOF, network, now)


def proofs(connection: sa.Connection, seal: Seal, *, tenant: str, recipient: str) -> list[datetime]:
    """When this address was proven at a tenant, oldest first, as far as it is still known."""
    e = mailbox_events.c
    query = sa.select(e.at).where(*_at(seal, tenant, recipient), e.what == _PROOF).order_by(e.at)
    return list(connection.execute(query).scalars())


def forget(connection: sa.Connection, seal: Seal, *, tenant: str, recipient: str) -> None:
    """What is known of this address at a tenant."""
    connection.execute(mailbox_events.delete().where(*_at(seal, tenant, recipient)))


def forget_old(db: Database, now: datetime) -> None:
    """What no longer counts."""
    e = mailbox_events.c
    old = sa.or_(e.at < now - PROOF_LASTS, sa.and_(e.what.in_([_CODE, _ALERT]), e.at < now - _DAY))
    with db.read() as connection:
        if not connection.execute(sa.select(sa.exists().where(old))).scalar():
            return
    with db.write() as connection:
        connection.execute(mailbox_events.delete().where(old))


def _at(seal: Seal, tenant: str, recipient: str) -> tuple[sa.ColumnElement[bool], ...]:
    return mailbox_events.c.tenant == tenant, mailbox_events.c.mailbox.in_(mailbox_hashes(seal, recipient))


def _note(
    connection: sa.Connection,
    seal: Seal,
    tenant: str,
    mailboxes: Sequence[str],
    what: str,
    network: str,
    now: datetime,
) -> None:
    row = {
        "mailbox": mailboxes[0],
        "tenant": tenant,
        "what": what,
        "network": _networks(seal, mailboxes[:1], network)[0],
        "at": now,
    }
    connection.execute(mailbox_events.insert(), row)


def _networks(seal: Seal, mailboxes: Sequence[str], network: str) -> list[str]:
    """Hashed with the mailbox, so that nobody can see who shares a network."""
    return [one for mailbox in mailboxes for one in seal.hashes("network", mailbox, network)]


def _one_at_a_time(connection: sa.Connection, mailbox: str) -> None:
    if connection.dialect.name != "sqlite":
        connection.execute(_LOCK, {"lock": int(mailbox[:15], 16)})


_LOCK = sa.select(sa.func.pg_advisory_xact_lock(sa.bindparam("lock", type_=sa.BigInteger)))
_MAILBOXES: sa.BindParameter[Sequence[str]] = sa.bindparam("mailboxes", expanding=True)
_AT_ONCE = sa.and_(_c.template != GATHERED, _c.due_at > sa.bindparam("day"))
_STANDING = sa.select(
    sa.func.count().filter(_AT_ONCE, _c.tenant == sa.bindparam("slug")).label("here"),
    sa.func.count().filter(_AT_ONCE).label("everywhere"),
    sa.func.count().filter(_c.template == GATHERED).label("gatherings"),
    sa.func.max(_c.due_at).filter(_c.template == GATHERED).label("last"),
    sa.exists()
    .where(
        mailbox_events.c.mailbox.in_(_MAILBOXES),
        mailbox_events.c.what == _PROOF,
        mailbox_events.c.at > sa.bindparam("proof"),
    )
    .label("proven"),
).where(_c.mailbox.in_(_MAILBOXES), _c.gathering.is_(None), _c.due_at > sa.bindparam("week"))
