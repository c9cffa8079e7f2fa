"""Quotas of emails that anybody can cause, by mailbox; counted in the transaction that queues the email.

Concurrent requests for one mailbox wait for each other (SQLite: the single write lock; PostgreSQL: an advisory lock),
so that two emails cannot both count as the fifth. Only keyed hashes are stored, for as long as they count. A
transaction locks one mailbox and never a second: results that cause an email to a person are recorded one per
transaction (outbox/worker.py).

An email caused by an application is sent immediately within the quota, and later in a digest beyond it. A code is
useful for minutes only, so beyond its quota it is not sent. Both have quotas of their own, so that many applications
cannot prevent a sign-in. A network from which the mailbox was proven lately can always request a code, so that
strangers can use up only the quota of strangers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

import sqlalchemy as sa

from portal.background.mails.tables import letters, mailbox_events
from portal.platform.crypto.sealing import Seal, mailbox_hashes
from portal.platform.database.db import Database, delete_old

MAILS_OF_TENANT = 5
MAILS_OF_ALL_TENANTS = 10
"""Emails a day that a mailbox receives immediately: from one tenant, and from all tenants together."""
PROVEN_FACTOR = 10
"""Factor by which the quota is larger for a mailbox that was proven lately, because its owner uses this portal."""
CODES = 60
CODES_OF_NETWORK = 20
"""Codes a day to a mailbox, from everywhere and from one network: no network can use up the whole quota."""
ALERTS = 10
ALERTS_OF_NETWORK = 5
"""Emails a day to a mailbox that ask to confirm a job alert; they have a quota of their own as well."""


class RequestedMail(StrEnum):
    """Emails that are sent on request, or not at all."""

    CODE = "code"
    ALERT = "alert"


_QUOTAS = {RequestedMail.CODE: (CODES, CODES_OF_NETWORK), RequestedMail.ALERT: (ALERTS, ALERTS_OF_NETWORK)}
PROOF_LASTS = timedelta(days=90)
DIGESTS_COUNTED_FOR = timedelta(days=7)
"""Period in which digests count. After the third digest in it, there is one a day."""
DIGEST_TEMPLATE = "gathered"
"""The template of a digest."""

_DAY = timedelta(days=1)
_HOUR = timedelta(hours=1)
_HOURLY_DIGESTS = 3
_PROOF = "proof"
_c = letters.c


@dataclass(frozen=True, slots=True)
class MailboxQuota:
    """Whether an email may be sent immediately; if not, when a new digest would be due. mailbox: keyed hash."""

    mailbox: str
    at_once: bool
    digest_due_at: datetime


def locked_quota(connection: sa.Connection, seal: Seal, *, tenant: str, recipient: str, now: datetime) -> MailboxQuota:
    """Return the quota for one more email to this address; its mailbox is locked until the transaction ends."""
    mailboxes = mailbox_hashes(seal, recipient)
    _one_at_a_time(connection, mailboxes[0])
    asked = {"mailboxes": mailboxes, "slug": tenant, "week": now - DIGESTS_COUNTED_FOR, "day": now - _DAY}
    found = connection.execute(_USAGE, asked | {"proof": now - PROOF_LASTS}).one()
    factor = PROVEN_FACTOR if found.proven else 1
    pause = _HOUR if found.gatherings < _HOURLY_DIGESTS else _DAY
    return MailboxQuota(
        mailboxes[0],
        found.here < MAILS_OF_TENANT * factor and found.everywhere < MAILS_OF_ALL_TENANTS * factor,
        max(now + _HOUR, found.last + pause) if found.last else now + _HOUR,
    )


def count_if_allowed(
    connection: sa.Connection,
    seal: Seal,
    what: RequestedMail,
    *,
    tenant: str,
    recipient: str,
    network: str,
    now: datetime,
) -> bool:
    """Return whether such an email may be sent to this address; if so, count it. network: the one that requests it."""
    most, of_network = _QUOTAS[what]
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
    """Return whether this address was proven from this network lately."""
    e, mailboxes = mailbox_events.c, mailbox_hashes(seal, recipient)
    query = sa.select(e.id).where(
        e.mailbox.in_(mailboxes),
        e.what == _PROOF,
        e.at > now - PROOF_LASTS,
        e.network.in_(_networks(seal, mailboxes, network)),
    )
    return connection.execute(query.limit(1)).first() is not None


def prove(connection: sa.Connection, seal: Seal, *, tenant: str, recipient: str, network: str, now: datetime) -> None:
    """Record that the owner of this address typed in a code that was sent to it, from this network."""
    e, mailboxes = mailbox_events.c, mailbox_hashes(seal, recipient)
    before = (e.mailbox.in_(mailboxes), e.tenant == tenant, e.what == _PROOF)
    same = e.network.in_(_networks(seal, mailboxes, network))
    connection.execute(mailbox_events.delete().where(*before, same))
    _note(connection, seal, tenant, mailboxes, _PROOF, network, now)


def proofs(connection: sa.Connection, seal: Seal, *, tenant: str, recipient: str) -> list[datetime]:
    """Return when this address was proven at a tenant, oldest first, as far as that is still stored."""
    e = mailbox_events.c
    query = sa.select(e.at).where(*_at(seal, tenant, recipient), e.what == _PROOF).order_by(e.at)
    return list(connection.execute(query).scalars())


def forget(connection: sa.Connection, seal: Seal, *, tenant: str, recipient: str) -> None:
    """Delete what is stored about this address at a tenant."""
    connection.execute(mailbox_events.delete().where(*_at(seal, tenant, recipient)))


def forget_old(db: Database, now: datetime) -> None:
    """Delete events that no longer count."""
    e = mailbox_events.c
    old = sa.or_(e.at < now - PROOF_LASTS, sa.and_(e.what.in_(list(RequestedMail)), e.at < now - _DAY))
    delete_old(db, mailbox_events, old)


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
    """Return hashes of the network, combined with the mailbox so that shared networks cannot be recognised."""
    return [one for mailbox in mailboxes for one in seal.hashes("network", mailbox, network)]


def _one_at_a_time(connection: sa.Connection, mailbox: str) -> None:
    if connection.dialect.name != "sqlite":
        connection.execute(_LOCK, {"lock": int(mailbox[:15], 16)})


_LOCK = sa.select(sa.func.pg_advisory_xact_lock(sa.bindparam("lock", type_=sa.BigInteger)))
_MAILBOXES: sa.BindParameter[Sequence[str]] = sa.bindparam("mailboxes", expanding=True)
_AT_ONCE = sa.and_(_c.template != DIGEST_TEMPLATE, _c.due_at > sa.bindparam("day"))
_USAGE = sa.select(
    sa.func.count().filter(_AT_ONCE, _c.tenant == sa.bindparam("slug")).label("here"),
    sa.func.count().filter(_AT_ONCE).label("everywhere"),
    sa.func.count().filter(_c.template == DIGEST_TEMPLATE).label("gatherings"),
    sa.func.max(_c.due_at).filter(_c.template == DIGEST_TEMPLATE).label("last"),
    sa.exists()
    .where(
        mailbox_events.c.mailbox.in_(_MAILBOXES),
        mailbox_events.c.what == _PROOF,
        mailbox_events.c.at > sa.bindparam("proof"),
    )
    .label("proven"),
).where(_c.mailbox.in_(_MAILBOXES), _c.gathering.is_(None), _c.due_at > sa.bindparam("week"))
