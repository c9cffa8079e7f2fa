"""Deferred writes of passes that found nothing new: kept in memory, and written together in one transaction.

If the process dies, only this is lost: that a list was read and nothing had changed. The next pass starts where the one
before did, and reads the same once more. A newer state is never overwritten: if another pass was made in between, its
token is in the row, and the deferred write is dropped.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa

from portal.background.sync.state import SyncState
from portal.background.sync.tables import ListName, passes
from portal.platform.database.db import Database, Instant

WRITTEN_EVERY = timedelta(seconds=30)
"""How long the first deferred write waits for others. A success, and the end of an alarm, appear this much later."""


@dataclass(slots=True)
class _DeferredWrites:
    """The deferred writes of one database. since: when the first unwritten pass ended."""

    since: datetime | None = None
    ended: dict[tuple[str, str], SyncState] = field(default_factory=dict)


_lock = Lock()
_kept: WeakKeyDictionary[Database, _DeferredWrites] = WeakKeyDictionary()


def remember(db: Database, name: ListName, tenant: str, after: SyncState) -> None:
    """Defer the write of a pass that ended in this state. after.owner: the token that the pass found in the row."""
    with _lock:
        kept = _kept.setdefault(db, _DeferredWrites())
        kept.since = kept.since or after.checked_at
        kept.ended[name, tenant] = after


def write_down(db: Database, now: datetime | None = None) -> int:
    """Write all deferred states, once the first has waited long enough; without `now`, at once.

    Return the number of lists. Raises DatabaseUnavailable and then keeps the deferred writes.
    """
    with _lock:
        kept = _kept.get(db)
        if kept is None or kept.since is None or (now is not None and abs(now - kept.since) < WRITTEN_EVERY):
            return 0
        written = dict(kept.ended)
    with db.write() as connection:
        connection.execute(_UPDATE, list(_rows(written.items())))
    with _lock:
        kept.ended = {key: state for key, state in kept.ended.items() if written.get(key) is not state}
        kept.since = min((state.checked_at for state in kept.ended.values() if state.checked_at), default=None)
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
