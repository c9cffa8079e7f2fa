"""Where a tenant's mirror stands between passes: the row of `mirrors`, and the list of what was set aside."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from threading import Lock
from weakref import WeakKeyDictionary

import sqlalchemy as sa

from portal.db import Database, Instant
from portal.errors import Throttled, UpstreamError
from portal.vacancies import counts
from portal.vacancies.tables import mirrors, vacancy_problems

WRITTEN_EVERY = timedelta(minutes=5)
"""How often a pass that found nothing new is written down; in between this process alone knows of it."""
_SETTLE_AT = 200

_lock = Lock()
_checked: WeakKeyDictionary[Database, dict[str, datetime]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class State:
    """One row of `mirrors`."""

    version: int
    rules: str | None
    judged_by: str | None
    counted_at: datetime
    watermark: datetime | None
    checked_at: datetime | None
    full_at: datetime | None
    full_due_at: datetime | None
    failed_at: datetime | None
    failing_since: datetime | None
    not_before: datetime | None
    error: str | None
    alarm: str | None

    def rests(self, now: datetime, interval: float) -> bool:
        """Whether it is too early for another pass."""
        if self.not_before is not None and now < self.not_before:
            return True
        last = max((at for at in (self.checked_at, self.failed_at) if at is not None), default=None)
        # A last pass far in the future is a clock that was put right since: no reason to wait for it.
        return last is not None and abs(now - last) < timedelta(seconds=interval)

    def succeeded(self, now: datetime, *, worth_writing: bool) -> "State":
        """After a pass; the same object where there is nothing to write down."""
        recent = self.checked_at is not None and timedelta() <= now - self.checked_at < WRITTEN_EVERY
        if not worth_writing and recent and self.error is None:
            return self
        return replace(self, checked_at=now, failed_at=None, failing_since=None, not_before=None, error=None)

    def read_whole(self, rules: str, now: datetime, *, alarm: str | None, look_again: datetime | None) -> "State":
        """After a full pass."""
        return replace(self, rules=rules, full_at=now, full_due_at=look_again, alarm=alarm)


def load(db: Database, tenant: str, now: datetime) -> State:
    """The tenant's state, made if there is none."""
    found = _read(db, mirrors.c.tenant == tenant).get(tenant)
    if found is not None:
        return found
    with db.write() as connection:
        # A mirror that is built anew must not repeat the versions of the one before: pages are kept by version.
        first = {"tenant": tenant, "version": int(now.timestamp()), "counted_at": now}
        connection.execute(counts.insert_or(connection, mirrors).on_conflict_do_nothing(), first)
    return _read(db, mirrors.c.tenant == tenant)[tenant]


def all_of(db: Database) -> dict[str, State]:
    """Every tenant's state, with what this process knows of passes that were not worth writing down."""
    found = _read(db, sa.true())
    with _lock:
        checked = dict(_checked.get(db, {}))
    for tenant, at in checked.items():
        mine = found.get(tenant)
        if mine is not None and (mine.checked_at is None or mine.checked_at < at):
            found[tenant] = replace(mine, checked_at=at)
    return found


def judged(db: Database, tenant: str, judged_by: str) -> None:
    """Every standing, and so every count, is by these stages."""
    with db.write() as connection:
        connection.execute(
            sa.update(mirrors)
            .where(mirrors.c.tenant == tenant)
            .values(judged_by=judged_by, version=mirrors.c.version + 1)
        )


def passed(db: Database, tenant: str, before: State, after: State, now: datetime) -> None:
    """Write down a pass that succeeded, if there is anything to write."""
    with _lock:
        _checked.setdefault(db, {})[tenant] = now
    with db.read() as connection:
        crossings = counts.crossings(connection, tenant, before.counted_at, now)
    if after == before and crossings < _SETTLE_AT:
        return
    values = {key: getattr(after, key) for key in _WRITTEN}
    with db.write() as connection:
        connection.execute(sa.update(mirrors).where(mirrors.c.tenant == tenant).values(**values))
        if crossings:
            counts.settle(connection, tenant, before.counted_at, now)


def failed(db: Database, tenant: str, error: UpstreamError, now: datetime) -> None:
    """Write down that a pass failed, and how long the service wants to be left alone."""
    pause = timedelta(seconds=error.retry_after) if isinstance(error, Throttled) else None
    with db.write() as connection:
        connection.execute(
            sa.update(mirrors)
            .where(mirrors.c.tenant == tenant)
            .values(
                error=str(error),
                failed_at=now,
                failing_since=sa.func.coalesce(mirrors.c.failing_since, sa.literal(now, Instant)),
                not_before=now + pause if pause else None,
            )
        )


def put_aside(
    connection: sa.Connection, tenant: str, news: dict[str, str], mended: Iterable[str], now: datetime
) -> None:
    """Add to the list of records that could not be read, and take off what is good again."""
    mine = vacancy_problems.c.tenant == tenant
    if news:
        insert = counts.insert_or(connection, vacancy_problems)
        told = insert.on_conflict_do_update(
            index_elements=["tenant", "vacancy_id"], set_={"problem": insert.excluded.problem}
        )
        rows = [{"tenant": tenant, "vacancy_id": k, "problem": v[:500], "since": now} for k, v in news.items()]
        connection.execute(told, rows)
    gone = list(mended)
    if gone:
        connection.execute(sa.delete(vacancy_problems).where(mine, vacancy_problems.c.vacancy_id.in_(gone)))


_WRITTEN = (
    "rules",
    "watermark",
    "checked_at",
    "full_at",
    "full_due_at",
    "failed_at",
    "failing_since",
    "not_before",
    "error",
    "alarm",
)


def _read(db: Database, where: sa.ColumnElement[bool]) -> dict[str, State]:
    with db.read() as connection:
        rows = connection.execute(sa.select(mirrors).where(where)).mappings().all()
    return {row["tenant"]: State(**{key: value for key, value in row.items() if key != "tenant"}) for row in rows}
