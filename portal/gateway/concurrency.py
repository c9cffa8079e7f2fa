"""Limit on concurrent requests: so many run Python at a time, the rest wait in a bounded queue, and not for long.

Running more at once would not be faster: they would take turns with one interpreter, and all be late together.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 10.0
"""Seconds that a request waits for a slot."""
WAITING = 64
"""Requests that may wait for a slot at once; the next one is rejected."""


class ConcurrencyLimitReached(Exception):
    """No slot became free in time, or the queue is full."""


class _Places(threading.Semaphore):
    @property
    def left(self) -> int:
        """How many are free right now."""
        return self._value


class ConcurrencyLimit:
    """Slots for requests. places: requests that run at once. waiting: how many more may wait.

    patience: seconds that each may wait.
    """

    def __init__(self, places: int, *, waiting: int, patience: float = PATIENCE) -> None:
        self.places, self._waiting = places, waiting
        self._places = _Places(places)
        self._queue = _Places(waiting)
        self._patience = patience
        self._mine = threading.local()

    @property
    def working(self) -> int:
        """Requests that hold a slot now."""
        return self.places - self._places.left

    @property
    def waiting(self) -> int:
        """Requests that wait for a slot now."""
        return self._waiting - self._queue.left

    @contextmanager
    def slot_held(self) -> Iterator[None]:
        """Hold a slot for this thread's request within the block. Raises ConcurrencyLimitReached."""
        if not self._places.acquire(blocking=False) and not self._waited():
            raise ConcurrencyLimitReached
        self._mine.place = True
        try:
            yield
        finally:
            self._mine.place = False
            self._places.release()

    @contextmanager
    def slot_released(self) -> Iterator[None]:
        """Release this thread's slot, if it holds one, while the block waits for something external; then retake one.

        Retaking has no time limit: a request that was started is finished, and slots are soon released.
        """
        if not getattr(self._mine, "place", False):
            yield
            return
        self._mine.place = False
        self._places.release()
        try:
            yield
        finally:
            self._places.acquire()
            self._mine.place = True

    def _waited(self) -> bool:
        if not self._queue.acquire(blocking=False):
            return False
        try:
            return self._places.acquire(timeout=self._patience)
        finally:
            self._queue.release()
