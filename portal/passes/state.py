"""Where a pass over one list of one tenant stands: its row, and what this process knows beside it."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa

from portal.db import Database, insert
from portal.errors import PortalError, Throttled, place_of
from portal.passes.lease import Held, Lease
from portal.passes.tables import ListName, passes

_STALE = timedelta(minutes=5)
PAUSE_MOST = timedelta(minutes=15)
"""What the pause after failures in a row grows to."""
_ASKED_MOST = timedelta(days=1)
"""The longest Retry-After that is kept (upstream.outcome)."""

_lock = Lock()
_looks: WeakKeyDictionary[Database, dict[tuple[str, str], datetime]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Pace:
    """How often a list is read for what changed, and how often whole, in seconds."""

    sync_interval: float
    reconcile_interval: float


@dataclass(frozen=True, slots=True)
class State:
    """One row of `passes`. looked_at: when this process last ended a pass, perhaps unwritten."""

    owner: str | None = None
    watermark: datetime | None = None
    checked_at: datetime | None = None
    succeeded_at: datetime | None = None
    full_at: datetime | None = None
    full_due_at: datetime | None = None
    failed_at: datetime | None = None
    failing_since: datetime | None = None
    failures: int = 0
    not_before: datetime | None = None
    rules: str | None = None
    error: str | None = None
    alarm: str | None = None
    looked_at: datetime | None = None

    @property
    def last_look(self) -> datetime | None:
        """When a pass last ended, as far as anybody here knows."""
        return max((at for at in (self.checked_at, self.looked_at) if at is not None), default=None)

    def is_due(self, pace: Pace, rules: str | None, now: datetime) -> bool:
        """Whether a pass is wanted now; changed rules wait for nothing but a service that fails."""
        if self.not_before is not None and now < self.not_before <= now + _ASKED_MOST:
            return False
        last, pause = self.last_look, self._pause(pace)
        # A last pass far in the future is a clock that was put right since: no reason to wait for it.
        return last is None or abs(now - last) >= pause or (rules != self.rules and not self.failures)

    def wants_whole(self, pace: Pace, rules: str | None, now: datetime) -> bool:
        """Whether that pass is to read everything."""
        if self.full_at is None or rules != self.rules:
            return True
        again = self.full_due_at is not None and self.full_due_at <= now
        return again or abs(now - self.full_at) >= timedelta(seconds=pace.reconcile_interval)

    def _pause(self, pace: Pace) -> timedelta:
        interval = timedelta(seconds=pace.sync_interval)
        grown = timedelta(seconds=pace.sync_interval * 2.0 ** min(max(self.failures - 1, 0), 20))
        return max(interval, min(grown, PAUSE_MOST))

    def is_routine(self, now: datetime) -> bool:
        """Whether a success now is nothing but one more: nothing hurries to say so."""
        return not self.failures and self.succeeded_at is not None and self.succeeded_at <= now

    def is_stale(self, now: datetime) -> bool:
        """Whether it is long since a success was written down."""
        return self.succeeded_at is None or abs(now - self.succeeded_at) >= _STALE

    def succeeded(self, now: datetime, *, watermark: datetime | None) -> "State":
        """After a pass. watermark: until when everything was read; None where that is not known."""
        ended = replace(self, checked_at=now, succeeded_at=now, failed_at=None, failing_since=None)
        ended = replace(ended, watermark=watermark or self.watermark)
        return replace(ended, failures=0, not_before=None, error=None)

    def read_whole(
        self, rules: str | None, now: datetime, *, alarm: str | None, look_again: datetime | None
    ) -> "State":
        """After a full pass."""
        return replace(self, rules=rules, full_at=now, full_due_at=look_again, alarm=alarm)

    def failed(self, error: Exception, now: datetime) -> "State":
        """After a pass that did not come to its end."""
        pause = timedelta(seconds=error.retry_after) if isinstance(error, Throttled) else None
        return replace(
            self,
            checked_at=now,
            failed_at=now,
            failing_since=self.failing_since or now,
            failures=self.failures + 1,
            not_before=now + pause if pause else None,
            error=said_of(error),
        )


def said_of(error: Exception) -> str:
    """An error as it may be written down: the text of one that is none of ours may hold what was read."""
    return str(error) if isinstance(error, PortalError) else f"a fault of the portal: {place_of(error)}"


def load(db: Database, name: ListName, tenant: str, held: Held | None = None) -> State:
    """The state of one list of a tenant, made if there is none."""
    with (held or Held(db)).read() as connection:
        found = connection.execute(_ONE, {"of": name, "at": tenant}).all()
    if not found:
        with db.write() as connection:
            connection.execute(insert(connection, passes).values(list=name, tenant=tenant).on_conflict_do_nothing())
            found = list(connection.execute(_ONE, {"of": name, "at": tenant}).all())
    return _known(db, found)[name, tenant]


def all_of(db: Database) -> dict[tuple[str, str], State]:
    """Every state by list and tenant."""
    with db.read() as connection:
        found = connection.execute(_EVERY).all()
    return _known(db, found)


def note(db: Database, name: ListName, tenant: str, now: datetime) -> None:
    """Remember in this process that a pass ended, however it did."""
    with _lock:
        _looks.setdefault(db, {})[name, tenant] = now


def write(lease: Lease, after: State) -> None:
    """Write down how a pass ended. Raises LeaseLost."""
    with lease.write() as connection:
        mine = sa.and_(passes.c.list == lease.name, passes.c.tenant == lease.tenant)
        connection.execute(sa.update(passes).where(mine).values({key: getattr(after, key) for key in _WRITTEN}))


_STORED = [field.name for field in fields(State) if field.name != "looked_at"]
_WRITTEN = [name for name in _STORED if name != "owner"]
_EVERY = sa.select(passes.c.list, passes.c.tenant, *(passes.c[name] for name in _STORED))
_ONE = _EVERY.where(passes.c.list == sa.bindparam("of"), passes.c.tenant == sa.bindparam("at"))


def _known(db: Database, found: Sequence[sa.Row[*tuple[Any, ...]]]) -> dict[tuple[str, str], State]:
    with _lock:
        looks = _looks.get(db, {})
        seen = {(row[0], row[1]): looks.get((row[0], row[1])) for row in found}
    return {key: replace(State(*row[2:]), looked_at=seen[key]) for row in found for key in [(row[0], row[1])]}
