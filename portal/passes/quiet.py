"""Passes that found nothing new: this process remembers them, and writes them down together, in one transaction.

What is lost with the process is that a list was read and that nothing had changed; the next pass over it begins where
the one before did, and reads that once more. Nobody else's word is written over: of a pass that was made in between
the token stands in the row, and then what was remembered is dropped.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa

from portal.db import Database, Instant
from portal.passes.state import State
from portal.passes.tables import ListName, passes

WRITTEN_EVERY = timedelta(seconds=30)
"""How long the first of them waits for the others: as much later an operator learns of a success, and an alarm ends."""


@dataclass(slots=True)
class _Kept:
    """since: when the first pass ended that is not written down."""

    since: datetime | None = None
    ended: dict[tuple[str, str], State] = field(default_factory=dict)


_lock = Lock()
_kept: WeakKeyDictionary[Database, _Kept] = WeakKeyDictionary()


def remember(db: Database, name: ListName, tenant: str, after: State) -> None:
    """A pass ended so, and wrote nothing. after.owner: the token that it found in the row."""
    with _lock:
        kept = _kept.setdefault(db, _Kept())
        kept.since = kept.since or after.checked_at
        kept.ended[name, tenant] = after


def write_down(db: Database, now: datetime | None = None) -> int:
    """Write down all that is remembered, once the first has waited long enough; without `now`, at once.

    Returns how many lists that were. Raises DatabaseUnavailable, and remembers them still.
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


def _rows(written: Iterable[tuple[tuple[str, str], State]]) -> Iterable[dict[str, Any]]:
    # In one order everywhere, so that two workers never wait for each other's rows.
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
