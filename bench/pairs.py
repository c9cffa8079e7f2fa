"""Two things timed in turn, so that a machine that is busy for a while is busy for both."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pair:
    """Medians in milliseconds, and how they compare."""

    ours: float
    yardstick: float

    @property
    def ratio(self) -> float:
        """Ours as a multiple of the yardstick."""
        return self.ours / self.yardstick


def paired(ours: Callable[[], object], yardstick: Callable[[], object], *, rounds: int = 41) -> Pair:
    """One call each, in turn and in changing order; the first calls of both do not count."""
    jobs = (ours, yardstick)
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + 2):
        for which in (0, 1) if number % 2 else (1, 0):
            started = time.perf_counter()
            jobs[which]()
            if number >= 2:
                times[which].append(1_000 * (time.perf_counter() - started))
    return Pair(statistics.median(times[0]), statistics.median(times[1]))
