"""From the wish to hear of new jobs to its end: asked for, confirmed by mail, renewed, ended.

What is kept of a person is their address and their search, sealed together, and keyed hashes of both. Whoever asks is
told the same, whether the address is known, was written to too often or has the alert already: what follows is said by
mail alone.
"""

import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Any
from urllib.parse import parse_qsl, urlencode

import sqlalchemy as sa

from portal.alerts import openings
from portal.alerts.mornings import Every, following
from portal.alerts.tables import alerts
from portal.db import Database, insert
from portal.letters import allowance
from portal.letters import queue as letters
from portal.sealing import Seal, address_hash, address_hashes, folded
from portal.tenants.model import Tenant
from portal.vacancies.folding import folded as plain

LASTS = timedelta(days=183)
CONFIRM_WITHIN = timedelta(days=7)
AT_MOST = 20
"""Alerts of one address at one company; more are not asked for by a person."""
_KEY = "alert"
_c = alerts.c


class Outcome(Enum):
    """What came of the wish to keep an alert."""

    KEPT = auto()
    OVER = auto()
    """It ended meanwhile."""
    TOO_MANY = auto()
    """The address has as many alerts at this company as one may have."""


@dataclass(frozen=True, slots=True)
class Search:
    """What somebody wants to hear of. address: the query of the list's address; words: the same for people."""

    address: str = field(repr=False)
    words: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Alert:
    """One subscription, opened."""

    id: str
    tenant: str
    email: str = field(repr=False)
    search: Search
    locale: str
    every: Every
    asked_at: datetime
    confirmed_at: datetime | None
    ends_at: datetime
    seen: int
    due_at: datetime | None


def ask(
    db: Database,
    seal: Seal,
    *,
    tenant: Tenant,
    email: str,
    search: Search,
    every: Every,
    locale: str,
    network: str,
    now: datetime,
) -> None:
    """Write to the address, so that its owner can confirm; nothing where it was written to too often today.

    Asked for again, it is one alert: what is confirmed stays as it is until its owner presses the button again.
    """
    with db.write() as connection:
        if not allowance.takes_alert(connection, seal, tenant=tenant.slug, recipient=email, network=network, now=now):
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
        letters.send(
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
    """What opens an alert to whoever has one of its letters."""
    return seal.hash(_KEY, tenant, alert)


def is_key(seal: Seal, tenant: str, alert: str, given: str) -> bool:
    """Whether it was made for this alert, by any key known here."""
    offered = given.encode("ascii", "replace")
    return any(hmac.compare_digest(one.encode(), offered) for one in seal.hashes(_KEY, tenant, alert))


def find(db: Database, seal: Seal, *, tenant: str, alert: str) -> Alert | None:
    """The alert; None once it has ended."""
    with db.read() as connection:
        row = connection.execute(sa.select(alerts).where(_c.id == alert, _c.tenant == tenant)).one_or_none()
    return opened(seal, row) if row else None


def keep(db: Database, seal: Seal, *, tenant: Tenant, alert: Alert, every: Every, now: datetime) -> Outcome:
    """Its owner pressed the button: it lasts for six months from now.

    The first time, what is open now counts as seen: they have just looked at it.
    """
    with db.write() as connection:
        row = connection.execute(sa.select(alerts).where(_c.id == alert.id).with_for_update()).one_or_none()
        if row is None:
            return Outcome.OVER
        values: dict[str, Any] = {"every": every, "ends_at": now + LASTS, "warned_at": None}
        if row.confirmed_at is None:
            if _confirmed(connection, seal, tenant.slug, alert.email) >= AT_MOST:
                return Outcome.TOO_MANY
            values |= {"confirmed_at": now, "seen": openings.look(connection, tenant, now)}
        if row.confirmed_at is None or row.every != every:
            values["due_at"] = following(every, alert.id, tenant.site.timezone, now)
        connection.execute(alerts.update().where(_c.id == alert.id).values(values))
    return Outcome.KEPT


def end(db: Database, *, tenant: str, alert: str, now: datetime) -> None:
    """Forget it, and the letters of it that still wait. Ended twice it is ended."""
    with db.write() as connection:
        forget(connection, [alert], tenant=tenant, now=now)


def of_person(connection: sa.Connection, seal: Seal, *, tenant: str, email: str) -> list[Alert]:
    """What an address has subscribed to at a tenant, oldest first."""
    mine = (_c.tenant == tenant, _c.recipient.in_(address_hashes(seal, tenant, email)))
    rows = connection.execute(sa.select(alerts).where(*mine).order_by(_c.asked_at, _c.id)).all()
    return [opened(seal, row) for row in rows]


def end_of_person(connection: sa.Connection, seal: Seal, *, tenant: str, email: str, alert: str, now: datetime) -> None:
    """One of what an address has subscribed to ends; nothing where it is not theirs, or has ended."""
    mine = (_c.id == alert, _c.tenant == tenant, _c.recipient.in_(address_hashes(seal, tenant, email)))
    forget(connection, connection.scalars(sa.select(_c.id).where(*mine)).all(), tenant=tenant, now=now)


def forget_person(connection: sa.Connection, seal: Seal, *, tenant: str, email: str, now: datetime) -> None:
    """Everything that an address has subscribed to at a tenant ends."""
    mine = (_c.tenant == tenant, _c.recipient.in_(address_hashes(seal, tenant, email)))
    forget(connection, connection.scalars(sa.select(_c.id).where(*mine)).all(), tenant=tenant, now=now)


def forget(connection: sa.Connection, ids: Sequence[str], *, tenant: str, now: datetime) -> None:
    """These rows, and the letters about them."""
    if ids:
        connection.execute(alerts.delete().where(_c.id.in_(ids), _c.tenant == tenant))
        letters.withdraw(connection, about=ids, now=now)


def sealed(seal: Seal, email: str, search: Search) -> str:
    """For the database, by the present key."""
    return seal.seal(json.dumps([email, search.address, search.words]))


def opened(seal: Seal, row: sa.Row[*tuple[Any, ...]]) -> Alert:
    """From the database. Raises Unreadable."""
    email, address, words = json.loads(seal.open(row.sealed))
    return Alert(
        id=row.id,
        tenant=row.tenant,
        email=email,
        search=Search(address, words),
        locale=row.locale,
        every=Every(row.every),
        asked_at=row.asked_at,
        confirmed_at=row.confirmed_at,
        ends_at=row.ends_at,
        seen=row.seen,
        due_at=row.due_at,
    )


def _same(seal: Seal, tenant: str, email: str, search: Search) -> list[str]:
    """The first is what a new alert has; the others are of other keys, and of how searches were compared before."""
    ways = (_meant(search.address), search.address)
    return [one for way in ways for one in seal.hashes("alert-same", tenant, folded(email), way)]


def _meant(address: str) -> str:
    """One spelling of a search: neither case, accents and spaces nor the order of its words or filters count."""
    said = ((name, " ".join(sorted(plain(value).split()))) for name, value in parse_qsl(address))
    return urlencode(sorted(said))


def _known(connection: sa.Connection, seal: Seal, tenant: str, email: str, search: Search) -> str | None:
    query = sa.select(_c.id).where(_c.same.in_(_same(seal, tenant, email, search)))
    return connection.scalar(query)


def _confirmed(connection: sa.Connection, seal: Seal, tenant: str, email: str) -> int:
    theirs = (_c.tenant == tenant, _c.recipient.in_(address_hashes(seal, tenant, email)))
    return connection.scalar(sa.select(sa.func.count()).where(*theirs, _c.confirmed_at.is_not(None))) or 0
