"""Two things timed in turn, so that a machine that is busy for a while is busy for both."""

import statistics
import time
from collections.abc import Callable

from bench.figures import Measured, median
from bench.profiles import repeated


def compared(
    name: str, ours: Callable[[], object], yardstick: Callable[[], object], *, detail: str = "", rounds: int = 41
) -> Measured:
    """Ours as a multiple of the yardstick: one call each, in changing order; the first calls of both do not count."""
    jobs = (ours, yardstick)
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + 2):
        for which in (0, 1) if number % 2 else (1, 0):
            started = time.perf_counter()
            jobs[which]()
            if number >= 2:
                times[which].append(1_000 * (time.perf_counter() - started))
    mine, theirs = (statistics.median(each) for each in times)
    measured = f"{mine:.2f} ms / {theirs:.2f} ms{detail}"
    return median(name, [a / b for a, b in zip(*times, strict=True)], measured, lambda: repeated(ours))
