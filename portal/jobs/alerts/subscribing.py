"""The life of an alert: requested, confirmed by email, renewed, ended.

An alert stores the address and the search, encrypted together, and keyed hashes of both. The response to a request is
the same whether the address is known, has received too many mails or has the alert already; only emails say more.
"""

import hmac
import json
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum, StrEnum, auto
from typing import Any
from urllib.parse import parse_qsl, urlencode
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from portal.background.mails import queue as mail_queue
from portal.background.mails import quota
from portal.background.mails.quota import RequestedMail
from portal.jobs import open_jobs
from portal.jobs.alerts.tables import alert_looks, alert_openings, alerts
from portal.jobs.mirror import version
from portal.jobs.search.folding import folded as plain
from portal.platform.crypto.sealing import Seal, address_hash, address_hashes, folded
from portal.platform.database.db import Database, insert
from portal.tenants.model import Tenant


def record_new_jobs(connection: sa.Connection, tenant: Tenant, now: datetime) -> int:
    """Record jobs that are open for the first time; return the highest number. One query suffices without changes."""
    tag = version.within(connection, tenant.slug, now).tag
    mine = alert_looks.c.tenant == tenant.slug
    known = connection.execute(sa.select(alert_looks).where(mine)).one_or_none()
    if known is not None and known.version == tag:
        return int(known.number)
    first = {"tenant": tenant.slug, "version": "", "number": 0}
    connection.execute(insert(connection, alert_looks).on_conflict_do_nothing(), first)
    number: int = connection.execute(sa.select(alert_looks.c.number).where(mine).with_for_update()).scalar_one()
    is_open = open_jobs.open_rows(tenant, now).subquery()
    noted = sa.select(is_open.c.row, sa.literal(tenant.slug), sa.literal(number + 1)).where(
        ~sa.exists().where(alert_openings.c.row == is_open.c.row)
    )
    added = connection.execute(alert_openings.insert().from_select(["row", "tenant", "number"], noted)).rowcount
    number += 1 if added else 0
    connection.execute(alert_looks.update().where(mine).values(version=tag, number=number))
    return number


def since(tenant: Tenant, seen: int) -> sa.Select[tuple[int]]:
    """Return a query for rows of the mirror that were recorded after a number."""
    o = alert_openings.c
    return sa.select(o.row).where(o.tenant == tenant.slug, o.number > seen)


HOUR = 7
_SPREAD = 90
"""Minutes after HOUR over which the mails of a morning are spread."""


class AlertFrequency(StrEnum):
    """How often to send mails about new jobs."""

    DAY = "day"
    WEEK = "week"


def next_mail_at(every: AlertFrequency, alert: str, zone: str, now: datetime) -> datetime:
    """Return the next morning, or that of the same day next week; in UTC. alert: its id, hexadecimal."""
    days = 1 if every is AlertFrequency.DAY else 7
    there = now.astimezone(ZoneInfo(zone))
    morning = there.replace(hour=HOUR, minute=0, second=0, microsecond=0, fold=0) + timedelta(days=days)
    minutes = timedelta(minutes=int(alert[:6], 16) % _SPREAD)
    return morning.astimezone(now.tzinfo) + minutes


LASTS = timedelta(days=183)
CONFIRM_WITHIN = timedelta(days=7)
AT_MOST = 20
"""Maximum alerts of one address at one company."""
_KEY = "alert"
_c = alerts.c


class SubscribeOutcome(Enum):
    """Result of confirming or renewing an alert."""

    KEPT = auto()
    OVER = auto()
    """The alert has ended meanwhile."""
    TOO_MANY = auto()
    """The address has the maximum number of alerts at this company."""


@dataclass(frozen=True, slots=True)
class AlertSearch:
    """The search of an alert. address: the query of the list's URL; words: the same in words, for people."""

    address: str = field(repr=False)
    words: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Alert:
    """One subscription, decrypted."""

    id: str
    tenant: str
    email: str = field(repr=False)
    search: AlertSearch
    locale: str
    every: AlertFrequency
    asked_at: datetime
    confirmed_at: datetime | None
    ends_at: datetime
    seen: int
    due_at: datetime | None


def request_alert(
    db: Database,
    seal: Seal,
    *,
    tenant: Tenant,
    email: str,
    search: AlertSearch,
    every: AlertFrequency,
    locale: str,
    network: str,
    now: datetime,
) -> None:
    """Send a confirmation mail to the address; do nothing if it has received too many today.

    Requesting an alert again creates no second one: a confirmed alert stays as it is until its owner confirms again.
    """
    with db.write() as connection:
        asked = {"tenant": tenant.slug, "recipient": email, "network": network}
        if not quota.count_if_allowed(connection, seal, RequestedMail.ALERT, **asked, now=now):
            return
        alert = _known(connection, seal, tenant.slug, email, search)
        if alert is None:
            alert = secrets.token_hex(16)
            row = {
                "id": alert,
                "tenant": tenant.slug,
                "recipient": address_hash(seal, tenant.slug, email),
                "same": _same(seal, tenant.slug, email, search)[0],
                "sealed": sealed(seal, email, search),
                "locale": locale,
                "every": every,
                "asked_at": now,
                "ends_at": now + CONFIRM_WITHIN,
            }
            connection.execute(insert(connection, alerts).values(row).on_conflict_do_nothing())
        mail_queue.send(
            connection,
            seal,
            tenant=tenant.slug,
            template="alert_confirm",
            locale=locale,
            recipient=email,
            facts={"alert": alert, "key": key_of(seal, tenant.slug, alert), "every": every, "search": search.words},
            now=now,
            about=alert,
        )


def key_of(seal: Seal, tenant: str, alert: str) -> str:
    """Return the key in an alert's mails that gives access to it."""
    return seal.hash(_KEY, tenant, alert)


def is_key(seal: Seal, tenant: str, alert: str, given: str) -> bool:
    """Return whether the key belongs to this alert, made with any secret key known here."""
    offered = given.encode("ascii", "replace")
    return any(hmac.compare_digest(one.encode(), offered) for one in seal.hashes(_KEY, tenant, alert))


def find(db: Database, seal: Seal, *, tenant: str, alert: str) -> Alert | None:
    """Return the alert; None if it has ended."""
    row = db.row(sa.select(alerts).where(_c.id == alert, _c.tenant == tenant))
    return opened(seal, row) if row else None


def confirm_or_renew(
    db: Database, seal: Seal, *, tenant: Tenant, alert: Alert, every: AlertFrequency, now: datetime
) -> SubscribeOutcome:
    """Confirm or renew an alert on its owner's request: it lasts six months from now.

    At the first confirmation, the jobs that are open now count as announced, because their list was on the page.
    """
    with db.write() as connection:
        row = connection.execute(sa.select(alerts).where(_c.id == alert.id).with_for_update()).one_or_none()
        if row is None:
            return SubscribeOutcome.OVER
        values: dict[str, Any] = {"every": every, "ends_at": now + LASTS, "warned_at": None}
        if row.confirmed_at is None:
            if _confirmed(connection, seal, tenant.slug, alert.email) >= AT_MOST:
                return SubscribeOutcome.TOO_MANY
            values |= {"confirmed_at": now, "seen": record_new_jobs(connection, tenant, now)}
        if row.confirmed_at is None or row.every != every:
            values["due_at"] = next_mail_at(every, alert.id, tenant.site.timezone, now)
        connection.execute(alerts.update().where(_c.id == alert.id).values(values))
    return SubscribeOutcome.KEPT


def end(db: Database, *, tenant: str, alert: str, now: datetime) -> None:
    """Delete an alert and its queued mails; do nothing if it has ended."""
    with db.write() as connection:
        forget(connection, [alert], tenant=tenant, now=now)


def of_person(connection: sa.Connection, seal: Seal, *, tenant: str, email: str) -> list[Alert]:
    """Return the alerts of an address at a tenant, oldest first."""
    mine = (_c.tenant == tenant, _c.recipient.in_(address_hashes(seal, tenant, email)))
    rows = connection.execute(sa.select(alerts).where(*mine).order_by(_c.asked_at, _c.id)).all()
    return [opened(seal, row) for row in rows]


def end_of_person(connection: sa.Connection, seal: Seal, *, tenant: str, email: str, alert: str, now: datetime) -> None:
    """Delete one alert of an address; do nothing if it belongs to another address, or has ended."""
    mine = (_c.id == alert, _c.tenant == tenant, _c.recipient.in_(address_hashes(seal, tenant, email)))
    forget(connection, connection.scalars(sa.select(_c.id).where(*mine)).all(), tenant=tenant, now=now)


def forget_person(connection: sa.Connection, *, tenant: str, addresses: Collection[str], now: datetime) -> None:
    """Delete all alerts of addresses, given as keyed hashes, at a tenant."""
    mine = (_c.tenant == tenant, _c.recipient.in_(addresses))
    forget(connection, connection.scalars(sa.select(_c.id).where(*mine)).all(), tenant=tenant, now=now)


def forget(connection: sa.Connection, ids: Sequence[str], *, tenant: str, now: datetime) -> None:
    """Delete these alerts, and the queued mails about them."""
    if ids:
        connection.execute(alerts.delete().where(_c.id.in_(ids), _c.tenant == tenant))
        mail_queue.withdraw(connection, about=ids, now=now)


def sealed(seal: Seal, email: str, search: AlertSearch) -> str:
    """Return address and search, encrypted with the current key, as stored in the database."""
    return seal.seal(json.dumps([email, search.address, search.words]))


def comparison_hash(seal: Seal, tenant: str, opened: str) -> str:
    """Return the hash, by the current key, that recognises the same alert. opened: what sealed() encrypted."""
    email, address, words = json.loads(opened)
    return _same(seal, tenant, email, AlertSearch(address, words))[0]


def opened(seal: Seal, row: sa.Row[*tuple[Any, ...]]) -> Alert:
    """Return the alert in a database row. Raises Unreadable."""
    email, address, words = json.loads(seal.open(row.sealed))
    return Alert(
        id=row.id,
        tenant=row.tenant,
        email=email,
        search=AlertSearch(address, words),
        locale=row.locale,
        every=AlertFrequency(row.every),
        asked_at=row.asked_at,
        confirmed_at=row.confirmed_at,
        ends_at=row.ends_at,
        seen=row.seen,
        due_at=row.due_at,
    )


def _same(seal: Seal, tenant: str, email: str, search: AlertSearch) -> list[str]:
    """Return hashes of address and search: the first for a new alert, the others by older keys and hash inputs."""
    ways = (_canonical(search.address), search.address)
    return [one for way in ways for one in seal.hashes("alert-same", tenant, folded(email), way)]


def _canonical(address: str) -> str:
    """Return a canonical form of a search: case, accents, spaces and the order of words and filters do not matter."""
    parameters = ((name, " ".join(sorted(plain(value).split()))) for name, value in parse_qsl(address))
    return urlencode(sorted(parameters))


def _known(connection: sa.Connection, seal: Seal, tenant: str, email: str, search: AlertSearch) -> str | None:
    query = sa.select(_c.id).where(_c.same.in_(_same(seal, tenant, email, search)))
    return connection.scalar(query)


def _confirmed(connection: sa.Connection, seal: Seal, tenant: str, email: str) -> int:
    theirs = (_c.tenant == tenant, _c.recipient.in_(address_hashes(seal, tenant, email)))
    return connection.scalar(sa.select(sa.func.count()).where(*theirs, _c.confirmed_at.is_not(None))) or 0
