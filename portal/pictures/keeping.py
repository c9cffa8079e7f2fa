"""Which pictures are due, and what is kept of them.

A picture is fetched when its address is new, a day after it was, and after a failure again and again with growing
pauses. The last good one is shown until there is a better one, also where its address was replaced by a broken one.

1. A worker claims what is due: an UPDATE of the row as it was seen, which puts off everybody else. 2. It fetches and
checks, in no transaction. 3. It writes down what came of it, unless the tenant's file named another address meanwhile.
"""

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from portal.clock import Clock
from portal.db import Database, insert
from portal.errors import PictureUnusable
from portal.pictures.checking import MOST_FETCHED, Picture, checked
from portal.pictures.fetching import Web
from portal.pictures.tables import Kind, pictures
from portal.straight import Straight
from portal.tenants.model import Tenant

log = logging.getLogger(__name__)

_DAILY = timedelta(days=1)
_CLAIMED = timedelta(minutes=5)
_FIRST_PAUSE = timedelta(minutes=1)
_AT_ONCE = 4
"""A host that hangs holds up no other tenant's picture."""

Renew = Callable[[sa.Connection, str], None]
"""(a transaction, a tenant's slug): its pages show another picture from now on."""
_c = pictures.c


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture as pages name it. width, height: its proportions."""

    digest: str
    width: int
    height: int
    media_type: str


@dataclass(frozen=True, slots=True)
class _Due:
    tenant: str
    kind: Kind
    address: str
    seen: Any
    """Its row, None where it has none yet."""


def addresses(tenant: Tenant) -> dict[Kind, str]:
    """The pictures that the tenant's file names."""
    named = {Kind.LOGO: tenant.site.logo, Kind.COVER: tenant.site.cover}
    return {kind: address for kind, address in named.items() if address}


def refresh(db: Database, tenants: Iterable[Tenant], web: Web, clock: Clock, renew: Renew) -> int:
    """Fetch what is due and forget what no file names any more; returns how many were fetched, well or not."""
    now = clock.now()
    with db.read() as connection:
        rows = connection.execute(sa.select(_c.tenant, _c.kind, _c.address, _c.due_at, _c.failures)).all()
    known = {(row.tenant, Kind(row.kind)): row for row in rows}
    due: list[_Due] = []
    for tenant in tenants:
        named = addresses(tenant)
        _forget(db, tenant.slug, [kind for kind in Kind if kind not in named and (tenant.slug, kind) in known])
        for kind, address in named.items():
            row = known.get((tenant.slug, kind))
            if row is None or row.address != address or row.due_at <= now:
                due.append(_Due(tenant.slug, kind, address, row))
    mine = [one for one in due if _claim(db, one, now)]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(lambda one: _fetch(db, one, web, clock, renew), mine))
    return len(mine)


def keep(
    db: Database, tenant: str, kind: Kind, address: str, picture: Picture, *, until: datetime, renew: Renew
) -> None:
    """Show this picture; it is fetched from its address at `until`."""
    fresh = {
        "due_at": until,
        "failures": 0,
        "problem": None,
        "digest": picture.digest,
        "media_type": picture.media_type,
        "width": picture.width,
        "height": picture.height,
        "body": picture.body,
    }
    with db.write() as connection:
        before = connection.execute(sa.select(_c.digest).where(*_this(tenant, kind))).scalar()
        new = insert(connection, pictures).values(tenant=tenant, kind=kind, address=address, **fresh)
        # Not where the file names another address by now: what was fetched is another picture then.
        connection.execute(
            new.on_conflict_do_update(index_elements=["tenant", "kind"], set_=fresh, where=_c.address == address)
        )
        if before != picture.digest:
            renew(connection, tenant)


def shown(db: Database, tenant: Tenant) -> dict[Kind, Shown]:
    """What the tenant's pages can show now; nothing is asked where its file names no picture."""
    named = addresses(tenant)
    if not named:
        return {}
    with db.read() as connection:
        rows = _SHOWN.all(connection, {"of": tenant.slug})
    found = {Kind(row.kind): Shown(row.digest, row.width, row.height, row.media_type) for row in rows}
    return {kind: picture for kind, picture in found.items() if kind in named}


def served(db: Database, slug: str, digest: str) -> tuple[str, bytes] | None:
    """Media type and bytes of a tenant's picture, None if it has no such picture."""
    with db.read() as connection:
        row = connection.execute(
            sa.select(_c.media_type, _c.body).where(_c.tenant == slug, _c.digest == digest).limit(1)
        ).one_or_none()
    return (row.media_type, bytes(row.body)) if row else None


def missing(db: Database, tenant: Tenant) -> dict[Kind, str]:
    """Pictures that are not as the tenant's file says → why, for `portal check`."""
    with db.read() as connection:
        rows = {row.kind: row for row in connection.execute(sa.select(pictures).where(_c.tenant == tenant.slug))}
    said = {}
    for kind, address in addresses(tenant).items():
        row = rows.get(kind)
        if row is None or row.address != address:
            said[kind] = "not fetched yet: a worker does it within seconds"
        elif row.problem:
            stays = "the last good one is shown" if row.digest else "the page does without"
            said[kind] = f"{row.problem}; {stays}, and it is tried again"
    return said


_SHOWN = Straight(
    sa.select(_c.kind, _c.digest, _c.width, _c.height, _c.media_type).where(
        _c.tenant == sa.bindparam("of"), _c.digest.is_not(None)
    )
)


def _this(tenant: str, kind: Kind) -> tuple[sa.ColumnElement[bool], ...]:
    return _c.tenant == tenant, _c.kind == kind


def _forget(db: Database, slug: str, kinds: list[Kind]) -> None:
    if kinds:
        with db.write() as connection:
            connection.execute(sa.delete(pictures).where(_c.tenant == slug, _c.kind.in_(kinds)))


def _claim(db: Database, one: _Due, now: datetime) -> bool:
    """Whether it is this worker's to fetch. Nobody else takes it for five minutes, then anybody."""
    claimed: dict[str, Any] = {"due_at": now + _CLAIMED}
    statement: sa.Insert | sa.Update
    with db.write() as connection:
        if one.seen is None:
            row = {"tenant": one.tenant, "kind": one.kind, "address": one.address, **claimed}
            statement = insert(connection, pictures).values(row).on_conflict_do_nothing()
        else:
            if one.seen.address != one.address:
                claimed |= {"address": one.address, "failures": 0, "problem": None}
            as_seen = (_c.address == one.seen.address, _c.due_at == one.seen.due_at)
            statement = sa.update(pictures).where(*_this(one.tenant, one.kind), *as_seen).values(claimed)
        return bool(connection.execute(statement.returning(_c.kind)).all())


def _fetch(db: Database, one: _Due, web: Web, clock: Clock, renew: Renew) -> None:
    try:
        picture = checked(web.fetch(one.address, MOST_FETCHED[one.kind]), one.kind)
    except PictureUnusable as error:
        log.warning("tenant %s: site.%s: %s", one.tenant, one.kind, error)
        failures = 1 + (one.seen.failures if one.seen and one.seen.address == one.address else 0)
        again = clock.now() + min(_FIRST_PAUSE * 4 ** min(failures - 1, 6), _DAILY)
        told = {"failures": failures, "problem": str(error)[:300], "due_at": again}
        with db.write() as connection:
            mine = (*_this(one.tenant, one.kind), _c.address == one.address)
            connection.execute(sa.update(pictures).where(*mine).values(told))
        return
    keep(db, one.tenant, one.kind, one.address, picture, until=clock.now() + _DAILY, renew=renew)
