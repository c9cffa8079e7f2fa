"""Which pictures are due, and which are stored.

A picture is fetched when its URL is new, a day after it was fetched, and after a failure repeatedly with growing
pauses. The last valid one is shown until there is a newer one, also if its URL was replaced by a broken one.

1. A worker claims what is due by an UPDATE of the row as it was read, so only one worker succeeds. 2. It fetches and
checks, outside of any transaction. 3. It stores the result, unless the tenant's file names another URL by that time.
"""

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from typing import Any

import sqlalchemy as sa

from portal.platform.clock import Clock
from portal.platform.database.db import Database, insert
from portal.platform.errors import PictureUnusable
from portal.tenants.model import Tenant
from portal.tenants.pictures import drawing
from portal.tenants.pictures.checking import MOST_FETCHED, Picture, checked
from portal.tenants.pictures.fetching import PictureDownloader
from portal.tenants.pictures.tables import PictureKind, pictures

log = logging.getLogger(__name__)

_DAILY = timedelta(days=1)
_CLAIMED = timedelta(minutes=5)
_FIRST_PAUSE = timedelta(minutes=1)
_AT_ONCE = 4
"""Concurrent downloads, so that a host that hangs does not delay other tenants' pictures."""

Renew = Callable[[sa.Connection, str], None]
"""(transaction, tenant's slug): called when a tenant's pages show another picture from now on."""
_c = pictures.c


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture as pages refer to it. width, height: its proportions."""

    digest: str
    width: int
    height: int
    media_type: str


@dataclass(frozen=True, slots=True)
class _Due:
    tenant: str
    slot: str
    address: str
    seen: Any
    """Its row as it was read, None if it has none yet."""


def addresses(tenant: Tenant) -> dict[str, str]:
    """Return slot → URL of the pictures that the tenant's file names: logo, logo_dark, cover, cover_dark, persons'."""
    site = tenant.site
    named = {"logo": site.logo, "logo_dark": site.logo_dark, "cover": site.cover, "cover_dark": site.cover_dark}
    persons = [person.picture for person in site.people if person.picture]
    return {slot: address for slot, address in named.items() if address} | {person_slot(one): one for one in persons}


def person_slot(address: str) -> str:
    """Return the slot of a person's picture. Another URL has another slot, so that a name never gets the previous
    picture."""
    return "p" + sha256(address.encode()).hexdigest()[:9]


def kind_of(slot: str) -> PictureKind:
    """Return the kind of the pictures in a slot."""
    name = slot.removesuffix("_dark")
    return PictureKind(name) if name in set(PictureKind) else PictureKind.PERSON


def setting_of(slot: str) -> str:
    """Return the name of the setting that a slot's URL is in."""
    return "site.people.picture" if kind_of(slot) is PictureKind.PERSON else f"site.{slot}"


def refresh(db: Database, tenants: Iterable[Tenant], downloader: PictureDownloader, clock: Clock, renew: Renew) -> int:
    """Fetch what is due and delete what no file names any more; returns how many were fetched, including failures."""
    now = clock.now()
    rows = db.rows(sa.select(_c.tenant, _c.kind, _c.address, _c.due_at, _c.failures))
    known = {(row.tenant, row.kind): row for row in rows}
    due: list[_Due] = []
    for tenant in tenants:
        named = addresses(tenant)
        _forget(db, tenant.slug, [slot for of, slot in known if of == tenant.slug and slot not in named])
        for slot, address in named.items():
            row = known.get((tenant.slug, slot))
            if row is None or row.address != address or row.due_at <= now:
                due.append(_Due(tenant.slug, slot, address, row))
    mine = [one for one in due if _claim(db, one, now)]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(lambda one: _fetch(db, one, downloader, clock, renew), mine))
    return len(mine)


def keep(
    db: Database, tenant: str, slot: str, address: str, picture: Picture, *, until: datetime, renew: Renew
) -> None:
    """Store this picture and show it; its URL is fetched again at `until`."""
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
        before = connection.execute(sa.select(_c.digest).where(*_this(tenant, slot))).scalar()
        new = insert(connection, pictures).values(tenant=tenant, kind=slot, address=address, **fresh)
        # Skip if the file now names another URL: this is then the wrong picture.
        connection.execute(
            new.on_conflict_do_update(index_elements=["tenant", "kind"], set_=fresh, where=_c.address == address)
        )
        if before != picture.digest:
            renew(connection, tenant)


def shown(db: Database, tenant: Tenant) -> dict[str, ShownPicture]:
    """Return slot → what the tenant's pages can show now; makes no query if its file names no picture."""
    named = addresses(tenant)
    if not named:
        return {}
    query = sa.select(_c.kind, _c.digest, _c.width, _c.height, _c.media_type)
    rows = db.rows(query.where(_c.tenant == tenant.slug, _c.digest.is_not(None)))
    found = {row.kind: ShownPicture(row.digest, row.width, row.height, row.media_type) for row in rows}
    return {slot: picture for slot, picture in found.items() if slot in named}


def served(db: Database, slug: str, digest: str) -> tuple[str, bytes] | None:
    """Return media type and bytes of a tenant's picture, None if it has no such picture."""
    row = db.row(sa.select(_c.media_type, _c.body).where(_c.tenant == slug, _c.digest == digest).limit(1))
    return (row.media_type, bytes(row.body)) if row else None


def pixels(db: Database, slug: str, picture: ShownPicture, largest: tuple[int, int]) -> bytes | None:
    """Return a tenant's picture as WebP, an SVG as large as fits `largest`; None if it cannot be drawn."""
    found = served(db, slug, picture.digest)
    if found is None or found[0] != "image/svg+xml":
        return found and found[1]
    scale = min(largest[0] / picture.width, largest[1] / picture.height)
    size = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
    return _rasterised(picture.digest, found[1], size)


@lru_cache(200)
def _rasterised(digest: str, svg: bytes, size: tuple[int, int]) -> bytes | None:
    """Draw an SVG; each process tries once, so that an invalid SVG does not delay every email."""
    try:
        return drawing.rasterised(svg, size=size)[2]
    except PictureUnusable as error:
        log.warning("the picture %s is shown on pages only: %s", digest, error)
        return None


def missing(db: Database, tenant: Tenant) -> dict[str, str]:
    """Return slot → why its picture could not be fetched as the tenant's file says, for `portal check`."""
    rows = {row.kind: row for row in db.rows(sa.select(pictures).where(_c.tenant == tenant.slug))}
    reasons = {}
    for slot, address in addresses(tenant).items():
        row = rows.get(slot)
        if row is None or row.address != address:
            reasons[slot] = "not fetched yet: a worker does it within seconds"
        elif row.problem:
            stays = "the last good one is shown" if row.digest else "the page does without"
            reasons[slot] = f"{row.problem}; {stays}, and it is tried again"
    return reasons


def _this(tenant: str, slot: str) -> tuple[sa.ColumnElement[bool], ...]:
    return _c.tenant == tenant, _c.kind == slot


def _forget(db: Database, slug: str, slots: list[str]) -> None:
    if slots:
        db.run(sa.delete(pictures).where(_c.tenant == slug, _c.kind.in_(slots)))


def _claim(db: Database, one: _Due, now: datetime) -> bool:
    """Claim a picture for this worker; returns whether it succeeded. After five minutes any worker can claim it
    again."""
    claimed: dict[str, Any] = {"due_at": now + _CLAIMED}
    statement: sa.Insert | sa.Update
    with db.write() as connection:
        if one.seen is None:
            row = {"tenant": one.tenant, "kind": one.slot, "address": one.address, **claimed}
            statement = insert(connection, pictures).values(row).on_conflict_do_nothing()
        else:
            if one.seen.address != one.address:
                claimed |= {"address": one.address, "failures": 0, "problem": None}
            as_seen = (_c.address == one.seen.address, _c.due_at == one.seen.due_at)
            statement = sa.update(pictures).where(*_this(one.tenant, one.slot), *as_seen).values(claimed)
        return bool(connection.execute(statement.returning(_c.kind)).all())


def _fetch(db: Database, one: _Due, downloader: PictureDownloader, clock: Clock, renew: Renew) -> None:
    try:
        kind = kind_of(one.slot)
        picture = checked(downloader.fetch(one.address, MOST_FETCHED[kind]), kind)
    except PictureUnusable as error:
        log.warning("tenant %s: %s: %s", one.tenant, setting_of(one.slot), error)
        failures = 1 + (one.seen.failures if one.seen and one.seen.address == one.address else 0)
        again = clock.now() + min(_FIRST_PAUSE * 4 ** min(failures - 1, 6), _DAILY)
        values = {"failures": failures, "problem": str(error)[:300], "due_at": again}
        with db.write() as connection:
            mine = (*_this(one.tenant, one.slot), _c.address == one.address)
            connection.execute(sa.update(pictures).where(*mine).values(values))
        return
    keep(db, one.tenant, one.slot, one.address, picture, until=clock.now() + _DAILY, renew=renew)
