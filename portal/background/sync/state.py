"""The state of one list of one tenant: its row in `passes`, and what this process knows in addition.

The writes of passes that found nothing new are deferred: kept in memory, and written together in one transaction. If
the process dies, only this is lost: that a list was read and nothing had changed. The next pass starts where the one
before did, and reads the same once more. A newer state is never overwritten: if another pass was made in between, its
token is in the row, and the deferred write is dropped.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from hashlib import blake2b
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa

from portal.adapters.tracker_client.errors import Throttled
from portal.background.sync.lease import Held, Lease
from portal.background.sync.tables import ListName, passes
from portal.platform.database.db import Database, Instant, insert
from portal.platform.errors import PortalError, error_location
from portal.tenants.model import TrackerLink

_STALE = timedelta(minutes=5)
PAUSE_MOST = timedelta(minutes=15)
"""The longest pause after failures in a row."""
_ASKED_MOST = timedelta(days=1)
"""The longest Retry-After that is honoured (tracker_client.outcome)."""

_lock = Lock()
_ended: WeakKeyDictionary[Database, dict[tuple[str, str], datetime]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class SyncIntervals:
    """How often a list is read for changes, and how often completely, in seconds."""

    sync_interval: float
    reconcile_interval: float


@dataclass(frozen=True, slots=True)
class SyncState:
    """One row of `passes`. ended_at: when this process last ended a pass, which may be unwritten."""

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
    ended_at: datetime | None = None

    @property
    def last_look(self) -> datetime | None:
        """When a pass last ended, as far as this process knows."""
        return max((at for at in (self.checked_at, self.ended_at) if at is not None), default=None)

    def is_due(self, intervals: SyncIntervals, rules: str | None, now: datetime) -> bool:
        """Return whether a pass is due now; changed rules make it due at once, unless the service is failing."""
        if self.not_before is not None and now < self.not_before <= now + _ASKED_MOST:
            return False
        last, pause = self.last_look, self._pause(intervals)
        # If the last pass is in the far future, the clock was wrong and has been corrected since: do not wait until
        # then.
        return last is None or abs(now - last) >= pause or (rules != self.rules and not self.failures)

    def wants_whole(self, intervals: SyncIntervals, rules: str | None, now: datetime) -> bool:
        """Return whether that pass must read everything."""
        if self.full_at is None or rules != self.rules:
            return True
        again = self.full_due_at is not None and self.full_due_at <= now
        return again or abs(now - self.full_at) >= timedelta(seconds=intervals.reconcile_interval)

    def _pause(self, intervals: SyncIntervals) -> timedelta:
        interval = timedelta(seconds=intervals.sync_interval)
        grown = timedelta(seconds=intervals.sync_interval * 2.0 ** min(max(self.failures - 1, 0), 20))
        return max(interval, min(grown, PAUSE_MOST))

    def is_routine(self, now: datetime) -> bool:
        """Return whether a success now is just one more, so that recording it is not urgent."""
        return not self.failures and self.succeeded_at is not None and self.succeeded_at <= now

    def is_stale(self, now: datetime) -> bool:
        """Return whether the last recorded success is long ago."""
        return self.succeeded_at is None or abs(now - self.succeeded_at) >= _STALE

    def succeeded(self, now: datetime, *, watermark: datetime | None) -> "SyncState":
        """Return the state after a successful pass. watermark: until when everything was read; None if unknown."""
        ended = replace(self, checked_at=now, succeeded_at=now, failed_at=None, failing_since=None)
        ended = replace(ended, watermark=watermark or self.watermark)
        return replace(ended, failures=0, not_before=None, error=None)

    def read_whole(
        self, rules: str | None, now: datetime, *, alarm: str | None, look_again: datetime | None
    ) -> "SyncState":
        """Return the state after a full pass."""
        return replace(self, rules=rules, full_at=now, full_due_at=look_again, alarm=alarm)

    def failed(self, error: Exception, now: datetime) -> "SyncState":
        """Return the state after a failed pass."""
        pause = timedelta(seconds=error.retry_after) if isinstance(error, Throttled) else None
        return replace(
            self,
            checked_at=now,
            failed_at=now,
            failing_since=self.failing_since or now,
            failures=self.failures + 1,
            not_before=now + pause if pause else None,
            error=error_text(error),
        )


_MARK = "s"
"""First character of a hash of rules that includes the list's source; an earlier release wrote hex digits."""
_OF_SOURCE = 8


def rules_with_source(tracker: TrackerLink, own: str = "") -> str:
    """Return a hash of the source of a list and of its own rules. It fits into `passes.rules`."""
    address, source, rest = (
        blake2b(repr(what).encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()
        for what in ((tracker.base_url, tracker.slug), (tracker.base_url, tracker.api_key), own)
    )
    return f"{_MARK}{rest[: 31 - 2 * _OF_SOURCE]}{address[:_OF_SOURCE]}{source[:_OF_SOURCE]}"


def is_another_source(before: str | None, now: str | None) -> bool:
    """Return whether the address or the API key of a list's service changed between two hashes of its rules."""
    if not (before and now and before.startswith(_MARK) and now.startswith(_MARK)):
        return False
    return before[-_OF_SOURCE:] != now[-_OF_SOURCE:]


def is_same_address(before: str, now: str) -> bool:
    """Return whether two hashes of a list's rules are of the same address and slug, with any API key."""
    return before[-2 * _OF_SOURCE : -_OF_SOURCE] == now[-2 * _OF_SOURCE : -_OF_SOURCE]


def error_text(error: Exception) -> str:
    """Return the text to store for an error: only the text of a PortalError is free of data that was read."""
    return str(error) if isinstance(error, PortalError) else f"an internal error: {error_location(error)}"


def load(db: Database, name: ListName, tenant: str, held: Held | None = None) -> SyncState:
    """Return the state of one list of a tenant; insert its row if there is none."""
    with (held or Held(db)).read() as connection:
        found = connection.execute(_ONE, {"of": name, "at": tenant}).all()
    if not found:
        with db.write() as connection:
            connection.execute(insert(connection, passes).values(list=name, tenant=tenant).on_conflict_do_nothing())
            found = list(connection.execute(_ONE, {"of": name, "at": tenant}).all())
    return _known(db, found)[name, tenant]


def all_of(db: Database) -> dict[tuple[str, str], SyncState]:
    """Return every state by list and tenant."""
    found = db.rows(_EVERY)
    return _known(db, found)


def note(db: Database, name: ListName, tenant: str, now: datetime) -> None:
    """Remember in this process that a pass ended, successfully or not."""
    with _lock:
        _ended.setdefault(db, {})[name, tenant] = now


def write(lease: Lease, after: SyncState) -> None:
    """Record how a pass ended. Raises LeaseLost."""
    with lease.write() as connection:
        mine = sa.and_(passes.c.list == lease.name, passes.c.tenant == lease.tenant)
        connection.execute(sa.update(passes).where(mine).values({key: getattr(after, key) for key in _WRITTEN}))


_STORED = [field.name for field in fields(SyncState) if field.name != "ended_at"]
_WRITTEN = [name for name in _STORED if name != "owner"]
_EVERY = sa.select(passes.c.list, passes.c.tenant, *(passes.c[name] for name in _STORED))
_ONE = _EVERY.where(passes.c.list == sa.bindparam("of"), passes.c.tenant == sa.bindparam("at"))


def _known(db: Database, found: Sequence[sa.Row[*tuple[Any, ...]]]) -> dict[tuple[str, str], SyncState]:
    with _lock:
        ended = _ended.get(db, {})
        seen = {(row[0], row[1]): ended.get((row[0], row[1])) for row in found}
    return {key: replace(SyncState(*row[2:]), ended_at=seen[key]) for row in found for key in [(row[0], row[1])]}


@dataclass(frozen=True, slots=True)
class Missing:
    """Stored records that are no longer listed.

    rows: their ids. counted, of: how many of the records that matter are missing, out of how many. called: the name of
    the records that matter, like "open jobs".
    """

    rows: Sequence[int]
    counted: int
    of: int
    called: str


def is_too_much(missing: int, total: int) -> bool:
    """Return whether so many missing records can only be due to a fault: all of them, or more than a fifth.

    A single record may be missing while others remain: a company that fills one of three jobs needs no operator's
    approval.
    """
    return missing > 0 and (missing == total or missing > max(1, total // 5))


def objection(missing: Missing, tenant: str) -> str | None:
    """Return why a deletion needs an operator's approval; None if it needs none."""
    if not is_too_much(missing.counted, missing.of):
        return None
    return (
        f"the service no longer lists {missing.counted} of {missing.of} {missing.called}: nothing was withdrawn;"
        f" if that is meant, run `portal sync {tenant} --full`"
    )


WRITTEN_EVERY = timedelta(seconds=30)
"""How long the first deferred write waits for others. A success, and the end of an alarm, appear this much later."""


@dataclass(slots=True)
class _DeferredWrites:
    """The deferred writes of one database. since: when the first unwritten pass ended."""

    since: datetime | None = None
    ended: dict[tuple[str, str], SyncState] = field(default_factory=dict)


_kept: WeakKeyDictionary[Database, _DeferredWrites] = WeakKeyDictionary()


def defer_save(db: Database, name: ListName, tenant: str, after: SyncState) -> None:
    """Defer the write of a pass that ended in this state. after.owner: the token that the pass found in the row."""
    with _lock:
        writes = _kept.setdefault(db, _DeferredWrites())
        writes.since = writes.since or after.checked_at
        writes.ended[name, tenant] = after


def save_deferred(db: Database, now: datetime | None = None) -> int:
    """Write all deferred states, once the first has waited long enough; without `now`, at once.

    Return the number of lists. Raises DatabaseUnavailable and then keeps the deferred writes.
    """
    with _lock:
        writes = _kept.get(db)
        if writes is None or writes.since is None or (now is not None and abs(now - writes.since) < WRITTEN_EVERY):
            return 0
        written = dict(writes.ended)
    with db.write() as connection:
        connection.execute(_UPDATE, list(_rows(written.items())))
    with _lock:
        writes.ended = {key: state for key, state in writes.ended.items() if written.get(key) is not state}
        writes.since = min((state.checked_at for state in writes.ended.values() if state.checked_at), default=None)
    return len(written)


def _rows(written: Iterable[tuple[tuple[str, str], SyncState]]) -> Iterable[dict[str, Any]]:
    # In a fixed order, so that two workers never wait for each other's rows.
    for (name, tenant), state in sorted(written, key=lambda one: one[0]):
        facts = {"of": name, "at": tenant, "found": state.owner}
        yield {**facts, "ended_at": state.checked_at, "read_until": state.watermark}


_ENDED_AT = sa.bindparam("ended_at", type_=Instant)
_UPDATE = (
    sa.update(passes)
    .where(
        passes.c.list == sa.bindparam("of"),
        passes.c.tenant == sa.bindparam("at"),
        passes.c.owner.is_not_distinct_from(sa.bindparam("found")),
        passes.c.failures == 0,
        sa.or_(
            passes.c.checked_at.is_(None),
            passes.c.checked_at < sa.bindparam("ended_at", type_=passes.c.checked_at.type),
        ),
    )
    .values(
        checked_at=_ENDED_AT,
        succeeded_at=_ENDED_AT,
        watermark=sa.bindparam("read_until", type_=Instant),
    )
)
