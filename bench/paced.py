"""How long each of many calls takes that come evenly, whoever is still busy with an earlier one."""

import itertools
import statistics
import threading
import time
from collections.abc import Callable


def p99(job: Callable[[int], None], numbers: range, *, a_second: float, threads: int) -> float:
    """Milliseconds from when a call was due to its end, of which 99 in 100 take less."""
    took: list[float] = []
    left, lock = itertools.count(), threading.Lock()
    begun = time.perf_counter()

    def work() -> None:
        while True:
            with lock:
                place = next(left)
            if place >= len(numbers):
                return
            due = begun + place / a_second
            time.sleep(max(due - time.perf_counter(), 0))
            job(numbers[place])
            took.append(1_000 * (time.perf_counter() - due))

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return statistics.quantiles(took, n=100)[98]
