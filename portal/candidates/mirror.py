"""Passes over §4.2 that keep the index true: incremental by modification time, full to find deletions.

A pass, one per tenant at a time:
 1. the lease is taken by UPDATE and row count; a holder that died lets go of it after LEASE;
 2. pages are read one by one and each is committed by itself; what did not change is not written;
 3. only after the last page is committed does the watermark move;
 4. a full pass that read everything takes out what it did not see, unless that looks like the service's fault;
 5. however a pass ends, it lets go of the lease, so that the next one starts when it is due and not LEASE later.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from portal.candidates.index import addresses_of, candidate_key, remove
from portal.candidates.tables import candidate_addresses, candidate_passes, candidates
from portal.clock import Clock
from portal.contract.candidates import Candidate
from portal.db import Database
from portal.errors import DatabaseUnavailable, PortalError, Throttled
from portal.sealing import Seal
from portal.tenants.model import Tenant
from portal.upstream.client import Page, Upstream
from portal.upstream.pager import pages

LEASE = timedelta(minutes=10)
_OVERLAP = timedelta(minutes=10)
_FEW = 10
"""So many deletions are believed whatever share they are; beyond, a fifth of a tenant's candidates at most."""


@dataclass(slots=True)
class Report:
    """What a pass did. skipped: another worker is at this tenant. held_back: deletions that were not believed."""

    skipped: bool = False
    full: bool = False
    seen: int = 0
    changed: int = 0
    removed: int = 0
    bad: int = 0
    held_back: int = 0


def due(
    db: Database, tenants: Iterable[Tenant], now: datetime, sync_interval: float, reconcile_interval: float
) -> list[tuple[Tenant, bool]]:
    """Which tenants want a pass now, and whether a full one. Intervals in seconds."""
    with db.read() as connection:
        known = {row.tenant: row for row in connection.execute(sa.select(candidate_passes))}
    found: list[tuple[Tenant, bool]] = []
    for tenant in tenants:
        row = known.get(tenant.slug)
        if row is None:
            found.append((tenant, True))
        elif not _rests(row, now, sync_interval):
            whole = row.full_at is None or abs(now - row.full_at) >= timedelta(seconds=reconcile_interval)
            found.append((tenant, whole))
    return found


def sync(
    db: Database,
    upstream: Upstream,
    tenant: Tenant,
    seal: Seal,
    clock: Clock,
    *,
    full: bool = False,
    force: bool = False,
) -> Report:
    """One pass. force: believe deletions whatever they look like.

    Whatever is raised (UpstreamError, DatabaseUnavailable, a fault of ours) is written down first, and goes on.
    """
    before = _take(db, tenant.slug, clock.now())
    if before is None:
        return Report(skipped=True)
    report = Report(full=full or before.watermark is None)
    try:
        return _run(db, upstream, tenant, seal, clock, before, report, force=force)
    except BaseException as error:  # who breaks off `portal sync` keeps no worker waiting either
        _failed(db, tenant.slug, error, clock.now())
        raise


def _run(
    db: Database,
    upstream: Upstream,
    tenant: Tenant,
    seal: Seal,
    clock: Clock,
    before: sa.Row[Any],
    report: Report,
    *,
    force: bool,
) -> Report:
    since = None if report.full else before.watermark - _OVERLAP
    began: datetime | None = None
    seen: set[int] = set()
    for number, page in enumerate(pages(partial(upstream.candidates, modified_since=since), operation="4.2")):
        if number == 0:
            began = page.served_at
        seen |= _page(db, seal, tenant.slug, page, report)
        _renew(db, tenant.slug, clock.now())
    done = clock.now()
    values: dict[str, object] = {
        "checked_at": done,
        "succeeded_at": done,
        "failures": 0,
        "error": None,
        "not_before": None,
    }
    if began is not None:
        values["watermark"] = min(began, clock.now())  # a service years ahead must not hide every change until then
    if report.full:
        values["full_at"] = clock.now()
        _sweep(db, tenant.slug, seen, report, force=force)
        if report.held_back:
            values["error"] = f"{report.held_back} candidates are missing at the service, too many to be believed"
    _let_go(db, tenant.slug, **values)
    return report


def _page(db: Database, seal: Seal, tenant: str, page: Page[Candidate], report: Report) -> set[int]:
    """Commit one page; the index rows it was about."""
    report.seen += len(page.items)
    report.bad += len(page.bad)
    wanted = {candidate_key(seal, tenant, one.id): one for one in page.items}
    former = {old: key for key, one in wanted.items() for old in seal.hashes("candidate", tenant, one.id)}
    former |= {
        old: "" for bad in page.bad if bad.id for old in seal.hashes("candidate", tenant, bad.id)
    }  # unreadable now, and still there
    with db.read() as connection:
        known = _known(connection, tenant, former)
    stands = {former[key]: facts for key, facts in known.items()}
    fresh = {key: one for key, one in wanted.items() if not _same(seal, tenant, key, one, stands.get(key))}
    if fresh:
        with db.write() as connection:
            for key, one in fresh.items():
                _store(connection, seal, tenant, key, one, stands.get(key))
            report.changed += len(fresh)
            known = _known(connection, tenant, [*former, *wanted])
    return {facts.row for facts in known.values()}


@dataclass(frozen=True, slots=True)
class _Facts:
    row: int
    key: str
    modified_at: datetime | None
    addresses: frozenset[str]


def _known(connection: sa.Connection, tenant: str, keys: Iterable[str]) -> dict[str, _Facts]:
    c, a = candidates.c, candidate_addresses.c
    query = (
        sa.select(c.row, c.key, c.modified_at, a.address)
        .outerjoin(candidate_addresses, a.candidate == c.row)
        .where(c.tenant == tenant, c.key.in_(list(keys)))
    )
    found: dict[str, _Facts] = {}
    for row in connection.execute(query):
        before = found.get(row.key)
        addresses = (before.addresses if before else frozenset()) | ({row.address} if row.address else set())
        found[row.key] = _Facts(row.row, row.key, row.modified_at, addresses)
    return found


def _same(seal: Seal, tenant: str, key: str, one: Candidate, facts: _Facts | None) -> bool:
    return (
        facts is not None
        and facts.key == key
        and facts.modified_at == one.modified_at
        and facts.addresses == _addresses(seal, tenant, one)
    )


def _addresses(seal: Seal, tenant: str, one: Candidate) -> frozenset[str]:
    entries = (one.emails.emails if one.emails else None) or ()
    return addresses_of(seal, tenant, (entry.email for entry in entries))


def _store(connection: sa.Connection, seal: Seal, tenant: str, key: str, one: Candidate, facts: _Facts | None) -> None:
    values = {"key": key, "sealed_id": seal.seal(one.id), "modified_at": one.modified_at}
    if facts is None:
        insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
        statement = insert(candidates).values(tenant=tenant, **values)
        statement = statement.on_conflict_do_update(index_elements=["tenant", "key"], set_=values)
        row = connection.execute(statement.returning(candidates.c.row)).scalar_one()
    else:
        row = facts.row
        connection.execute(candidates.update().where(candidates.c.row == row).values(**values))
    connection.execute(candidate_addresses.delete().where(candidate_addresses.c.candidate == row))
    addresses = sorted(_addresses(seal, tenant, one))
    if addresses:
        connection.execute(
            candidate_addresses.insert(),
            [{"tenant": tenant, "candidate": row, "address": address} for address in addresses],
        )


def _sweep(db: Database, tenant: str, seen: set[int], report: Report, *, force: bool) -> None:
    with db.write() as connection:
        every = set(connection.execute(sa.select(candidates.c.row).where(candidates.c.tenant == tenant)).scalars())
        missing = every - seen
        believable = len(missing) <= max(_FEW, len(every) // 5) and bool(seen)
        if missing and not (believable or force):
            report.held_back = len(missing)
            return
        report.removed = remove(connection, sorted(missing))


def _rests(row: sa.Row[Any], now: datetime, interval: float) -> bool:
    if row.not_before is not None and now < row.not_before:
        return True
    return row.checked_at is not None and abs(now - row.checked_at) < timedelta(seconds=interval)


def _take(db: Database, tenant: str, now: datetime) -> sa.Row[Any] | None:
    """The lease, as the row it stands in; None while another worker has it."""
    free = sa.or_(candidate_passes.c.lease_until.is_(None), candidate_passes.c.lease_until <= now)
    with db.write() as connection:
        insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
        connection.execute(insert(candidate_passes).values(tenant=tenant).on_conflict_do_nothing())
        taken = connection.execute(
            candidate_passes.update()
            .where(candidate_passes.c.tenant == tenant, free)
            .values(lease_until=now + LEASE)
            .returning(*candidate_passes.c)
        )
        return taken.one_or_none()


def _failed(db: Database, tenant: str, error: BaseException, now: datetime) -> None:
    pause = timedelta(seconds=error.retry_after) if isinstance(error, Throttled) else timedelta()
    # The text of an error that is none of ours may hold what was read.
    says = str(error) if isinstance(error, PortalError) else f"broken off by {type(error).__name__}"
    failures = candidate_passes.c.failures + 1
    # Without a database there is nothing to let go with: the lease ends by itself, and the error is what counts.
    with suppress(DatabaseUnavailable):
        _let_go(db, tenant, checked_at=now, not_before=now + pause, failures=failures, error=says)


def _renew(db: Database, tenant: str, now: datetime) -> None:
    with db.read() as connection:
        until = connection.execute(
            sa.select(candidate_passes.c.lease_until).where(candidate_passes.c.tenant == tenant)
        ).scalar()
    if until is None or until - now < LEASE / 2:
        _let_go(db, tenant, lease_until=now + LEASE)


def _let_go(db: Database, tenant: str, **values: object) -> None:
    with db.write() as connection:
        connection.execute(
            candidate_passes.update()
            .where(candidate_passes.c.tenant == tenant)
            .values(**{"lease_until": None, **values})
        )
