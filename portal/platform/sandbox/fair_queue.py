"""Queue of files that is fair between networks: one that sends many waits for itself and does not delay others."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

PER_NETWORK = 4
"""Files of one network that may be in the queue: one is worked on, three wait."""


class QueueFull(Exception):
    """This network already has the maximum number of files in the queue."""


class NoTurn(Exception):
    """The turn did not come in time."""


@dataclass(eq=False, frozen=True, slots=True)
class _Turn:
    network: str
    used: float


class FairQueue:
    """Queue of files, thread-safe. at_once: files that are worked on at a time, at most one for each network."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._changed = threading.Condition()
        self._waiting: list[_Turn] = []
        self._running: list[_Turn] = []

    @contextmanager
    def turn(self, network: str | None, *, used: float, patience: float) -> Iterator[None]:
        """Wait for a turn, for `patience` seconds at most, and hold it within the block.

        network: None for work of the product itself, which waits like a network of its own. used: what the network
        consumed lately, in any unit; the lowest is next, and of equals the first to arrive. Raises QueueFull, NoTurn.
        """
        mine = _Turn(network or f"own {threading.get_ident()}", used)
        with self._changed:
            if sum(one.network == mine.network for one in (*self._waiting, *self._running)) >= PER_NETWORK:
                raise QueueFull
            self._waiting.append(mine)
            try:
                if not self._changed.wait_for(lambda: self._next() is mine, patience):
                    raise NoTurn
                self._running.append(mine)
            finally:
                self._waiting.remove(mine)
                self._changed.notify_all()  # another turn may be next now
        try:
            yield
        finally:
            with self._changed:
                self._running.remove(mine)
                self._changed.notify_all()

    def _next(self) -> _Turn | None:
        if len(self._running) >= self._at_once:
            return None
        busy = {one.network for one in self._running}
        return min((one for one in self._waiting if one.network not in busy), key=lambda one: one.used, default=None)
