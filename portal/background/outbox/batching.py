"""Batches of work that the threads of one worker share: one claims rows for all, and results are recorded together.

A claim and a record each cost one transaction, however many rows they cover; so the more work there is, the more rows
share a transaction. A single row is claimed and recorded alone and at once.
"""

import threading
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import timedelta

from portal.background.outbox.claim import Claim
from portal.background.outbox.concurrency import AT_ONCE, BATCH, REFILL
from portal.background.outbox.retry_policy import Policy
from portal.background.outbox.settle import AttemptResult
from portal.background.outbox.tables import family
from portal.platform.clock import Clock

IDLE = 0.5
"""Seconds between queries for work when nothing was due."""
_GATHER = 0.05
"""Maximum seconds that a result waits to be recorded with others, while more attempts are in progress."""
_ENOUGH = 8
"""With this many results, they are recorded without waiting for more."""
_AGAIN = 0.05
"""Seconds between a claim and the query for rows of other lanes; lanes that have capacity again are queried sooner."""


class WorkBatcher:
    """The work of threads that handle the same kinds of rows.

    claim: (how many, how many are held of each lane, whether there most likely are any) → rows. hand_back: returns rows
    that were not begun. record: records results. threads: how many there are; a quarter is reserved for lanes to which
    nothing is being sent, so that several lanes that hang leave threads for the others.
    """

    def __init__(
        self,
        stop: threading.Event,
        policy: Policy,
        clock: Clock,
        *,
        claim: Callable[[int, Mapping[str, int], bool], list[Claim]],
        hand_back: Callable[[Sequence[Claim]], None],
        record: Callable[[Sequence[AttemptResult]], None],
        threads: int = BATCH,
    ) -> None:
        self._stop, self._policy, self._clock = stop, policy, clock
        self._claim, self._hand_back, self._record = claim, hand_back, record
        self._looking = threading.Lock()
        """Held by the one thread that queries for work; the others wait for it, and make no queries."""
        self._recording = threading.Lock()
        self._lock = threading.Lock()
        """Guards everything below."""
        self._changed = threading.Event()
        self._look_at = 0.0
        self._rests_until = 0.0
        self._paused_until = 0.0
        self._found_many = False
        self._waiting: deque[Claim] = deque()
        self._threads, self._kept_free = threads, threads // 4
        self._sending: Counter[str] = Counter()
        self._holding: Counter[str] = Counter()
        self._ended: list[AttemptResult] = []
        self._enough = threading.Event()

    def next(self) -> Claim | None:
        """Return a row to attempt now, or None after IDLE seconds, sooner if something has changed."""
        with self._looking:
            if self._stop.is_set():
                return None  # otherwise each thread would wait for the lock only to find that the worker stops
            self._changed.clear()
            found = self._begin()
            if found is None and self._clock.monotonic() >= self._next_look:
                found = self._look()
            if found is None:
                looks_at = self._next_look
                self._changed.wait(min(IDLE, max(0.01, looks_at - self._clock.monotonic())))
            return found

    def rest_until(self, monotonic: float) -> None:
        """Claim nothing until this time of the monotonic clock.

        A time in the past means that there is work now (see wakeup).
        """
        self._rests_until = monotonic
        if monotonic <= self._clock.monotonic():
            with self._lock:
                self._look_at = 0.0
            self._changed.set()

    def pause(self, seconds: float) -> None:
        """Hand back rows that were not begun and claim nothing for that long, even if there is work."""
        self._paused_until = self._clock.monotonic() + seconds
        self.leave()

    @property
    def _next_look(self) -> float:
        return max(self._look_at, self._rests_until, self._paused_until)

    def ended(self, one: AttemptResult) -> None:
        """Record the result of an attempt, with those of attempts that ended in the meantime, before returning."""
        lane, stopped = one.claimed.lane, []
        with self._lock:
            self._ended.append(one)
            if one.verdict.stops_lane or len(self._ended) >= _ENOUGH or not self._waiting:
                self._enough.set()
            if one.verdict.stops_lane:
                whole = family(lane) if one.verdict.whole_family_fails else lane
                stopped = self._take_out(lambda waits: whole in {waits.lane, family(waits.lane)})
            self._sending[lane] -= 1
            self._let_go([lane])
            if self._holding[lane] <= REFILL:
                self._look_at = 0.0
        self._changed.set()
        try:
            with self._recording:
                self._record_with(one)
        finally:
            if stopped:
                self._hand_back(stopped)
        if one.verdict.stops_lane:
            self._changed.set()

    def _record_with(self, one: AttemptResult) -> None:
        if not any(waits is one for waits in self._ended):
            return  # the previous holder of the lock recorded it too
        self._enough.wait(_GATHER)
        with self._lock:
            ended, self._ended = self._ended, []
            self._enough.clear()
        self._record(ended)

    def usage(self) -> tuple[int, int]:
        """Return how many threads are making an attempt, and how many there are."""
        with self._lock:
            return self._sending.total(), self._threads

    def leave(self) -> None:
        """Hand back every row that was not begun."""
        with self._lock:
            rest = self._take_out(lambda _: True)
        if rest:
            self._hand_back(rest)

    def _look(self) -> Claim | None:
        with self._lock:
            holding = {lane: count for lane, count in self._holding.items() if count > 0}
        claims = self._claim(BATCH, holding, self._found_many)
        self._found_many = len(claims) > BATCH // 2
        with self._lock:
            self._waiting.extend(claims)
            self._holding.update(one.lane for one in claims)
            self._look_at = self._clock.monotonic() + (_AGAIN if claims else IDLE)
        return self._begin()

    def _begin(self) -> Claim | None:
        """Return the first waiting row whose lane has capacity; hand back rows that have waited too long."""
        latest = self._clock.now() + timedelta(seconds=self._policy.lease - self._policy.begin_within)
        with self._lock:
            late = self._take_out(lambda one: one.lease_until < latest)
        if late:
            self._hand_back(late)
        with self._lock:
            found = next((one for one in self._waiting if self._may_begin(one)), None)
            if found is not None:
                self._waiting.remove(found)
                self._sending[found.lane] += 1
        return found

    def _may_begin(self, one: Claim) -> bool:
        # A probe has capacity of its own: otherwise requests that hang would delay the probe that ends the outage.
        sending = self._sending[one.lane]
        if not sending or one.is_probe:
            return True
        return sending < AT_ONCE and self._threads - self._sending.total() > self._kept_free

    def _take_out(self, which: Callable[[Claim], bool]) -> list[Claim]:
        taken = [one for one in self._waiting if which(one)]
        if taken:
            self._waiting = deque(one for one in self._waiting if not which(one))
            self._let_go([one.lane for one in taken])
        return taken

    def _let_go(self, held: Collection[str]) -> None:
        self._holding.subtract(held)
        for lane in held:
            if self._holding[lane] <= 0:
                del self._holding[lane], self._sending[lane]
