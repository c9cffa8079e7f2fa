"""Measures CPU time relative to a known computation in the same process, because a busy machine slows both."""

import json
import time
from collections.abc import Callable

_SECONDS = 0.01
"""What _known() takes of a core with nothing else to do."""


def cost(act: Callable[[], object], *, clock: Callable[[], float] = time.process_time, turns: int = 3) -> float:
    """Return the lowest CPU time of several turns with the known computation, in seconds of an idle machine."""
    taken = [(_spent(act, clock), _spent(_known, clock)) for _ in range(turns)]
    return min(its for its, _ in taken) / min(known for _, known in taken) * _SECONDS


def _spent(act: Callable[[], object], clock: Callable[[], float]) -> float:
    began = clock()
    act()
    return clock() - began


def _known() -> int:
    text = json.dumps([{"a": number, "b": str(number)} for number in range(12_000)])
    return sum(len(one["b"]) for one in json.loads(text))
