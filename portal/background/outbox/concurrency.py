"""Concurrency limits of each lane: for all workers together, for one of them, and while the lane is failing."""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import family, in_state, lanes, outbox

AT_ONCE = 4
"""Rows that one worker sends to one lane at the same time."""
BATCH = 24
"""Rows of one lane that one worker claims at once; if it is killed, the service may be queried about all of them."""
REFILL = 8
"""A worker that holds more rows of a lane than this skips the lane in its next claim."""
IN_FLIGHT = 64
"""Rows of one lane that all workers together have claimed at once."""

_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_IN_FLIGHT_BY_LANE = (
    sa.select(outbox.c.lane, sa.func.count()).where(in_state(OutboxState.SENDING)).group_by(outbox.c.lane)
)
_LEASES = sa.select(outbox.c.lane, outbox.c.lease_until).where(in_state(OutboxState.SENDING))
_LANES = sa.select(lanes)


class LaneCapacity:
    """How many more rows each lane may have in flight now. lease: seconds, from the policy."""

    def __init__(self, connection: sa.Connection, now: datetime, holding: Mapping[str, int], lease: float) -> None:
        self._in_flight: Counter[str] = Counter({row[0]: row[1] for row in connection.execute(_IN_FLIGHT_BY_LANE)})
        for lane, count in list(self._in_flight.items()):
            if family(lane) != lane:
                self._in_flight[family(lane)] += count
        self._holding = Counter(holding)
        self._most: dict[str, int] = {}
        tried: dict[str, datetime] = {}
        for known in connection.execute(_LANES):
            if known.paused_until is not None and known.paused_until > now:
                self._most[known.lane] = 0
            elif known.failures or known.broken_since is not None:
                self._most[known.lane] = 1
                tried[known.lane] = (known.paused_until or _LONG_AGO) + timedelta(seconds=lease)
        if tried:
            self._count_probes_alone(connection, tried)
        full = {lane for lane, most in self._most.items() if self._in_flight[lane] >= most}
        self.excluded_families = sorted(lane for lane in full if family(lane) == lane)
        full |= {lane for lane, count in self._in_flight.items() if count >= IN_FLIGHT and family(lane) != lane}
        # Makes claims fewer and larger, because each costs a transaction.
        full |= {lane for lane, count in self._holding.items() if count > REFILL}
        self.excluded_lanes = sorted(full)

    def _count_probes_alone(self, connection: sa.Connection, tried: Mapping[str, datetime]) -> None:
        """Count only rows claimed since the pause ended, so that older requests that hang do not prevent a probe.

        tried: lanes that one row may probe → the end of leases that begin when the pause ends.
        """
        for lane in tried:
            self._in_flight[lane] = 0
        for row in connection.execute(_LEASES):
            for lane in {row.lane, family(row.lane)} & tried.keys():
                self._in_flight[lane] += row.lease_until >= tried[lane]

    def is_probing(self, lane: str) -> bool:
        """Return whether the lane admits a single row, to probe whether an outage is over."""
        return self._most.get(lane) == 1 or self._most.get(family(lane)) == 1

    def try_reserve(self, lane: str) -> bool:
        """Return whether the lane has room for one more row; if so, count it."""
        whole = family(lane)
        has_room = (
            self._in_flight[lane] < self._most.get(lane, IN_FLIGHT)
            and self._holding[lane] < BATCH
            and (whole not in self._most or self._in_flight[whole] < self._most[whole])
        )
        if has_room:
            self._holding[lane] += 1
            for one in {lane, whole}:
                self._in_flight[one] += 1
        return has_room
