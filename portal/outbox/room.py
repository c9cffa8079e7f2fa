"""How much of each lane may be in flight: over all workers, of one of them, and while the lane is in trouble."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

import sqlalchemy as sa

from portal.outbox.states import State
from portal.outbox.tables import family, in_state, lanes, outbox

AT_ONCE = 4
"""Rows that one worker sends to one lane at once."""
BATCH = 24
"""Rows of one lane that one worker has claimed at once. If it is killed, so many may have to be asked for first."""
REFILL = 8
"""A lane of which a worker has more than so many is left out of its next claim."""
IN_FLIGHT = 64
"""Rows of one lane that are claimed at once, over all workers."""

_FLYING = sa.select(outbox.c.lane, sa.func.count()).where(in_state(State.SENDING)).group_by(outbox.c.lane)
_LANES = sa.select(lanes)


class Room:
    """How many more rows each lane may have in flight now."""

    def __init__(self, connection: sa.Connection, now: datetime, holding: Mapping[str, int]) -> None:
        self._flying: Counter[str] = Counter({row[0]: row[1] for row in connection.execute(_FLYING)})
        for lane, count in list(self._flying.items()):
            if family(lane) != lane:
                self._flying[family(lane)] += count
        self._holding = Counter(holding)
        self._most: dict[str, int] = {}
        for known in connection.execute(_LANES):
            if known.paused_until is not None and known.paused_until > now:
                self._most[known.lane] = 0
            elif known.failures or known.broken_since is not None:
                self._most[known.lane] = 1
        full = {lane for lane, most in self._most.items() if self._flying[lane] >= most}
        self.closed_families = sorted(lane for lane in full if family(lane) == lane)
        full |= {lane for lane, count in self._flying.items() if count >= IN_FLIGHT and family(lane) != lane}
        # Fewer and larger claims, each worth its transaction.
        full |= {lane for lane, count in self._holding.items() if count > REFILL}
        self.closed = sorted(full)

    def takes(self, lane: str) -> bool:
        """Whether one more goes; then it is counted."""
        whole = family(lane)
        has_room = (
            self._flying[lane] < self._most.get(lane, IN_FLIGHT)
            and self._holding[lane] < BATCH
            and (whole not in self._most or self._flying[whole] < self._most[whole])
        )
        if has_room:
            self._holding[lane] += 1
            for one in {lane, whole}:
                self._flying[one] += 1
        return has_room
