"""Room for work: so many requests at a time run Python, the rest wait, and nobody waits for long.

More at once would not be faster: they would hand one interpreter to each other, and all be late together.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 10.0
"""Seconds that a request waits for its place."""
WAITING = 64
"""Requests that wait for a place at once; the next one is told so."""


class Full(Exception):
    """There was no place in time."""


class _Places(threading.Semaphore):
    @property
    def left(self) -> int:
        """How many are free just now."""
        return self._value


class Room:
    """places: requests that run at once. waiting: how many more may wait, patience: for how many seconds."""

    def __init__(self, places: int, *, waiting: int, patience: float = PATIENCE) -> None:
        self.places, self._waiting = places, waiting
        self._places = _Places(places)
        self._queue = _Places(waiting)
        self._patience = patience
        self._mine = threading.local()

    @property
    def working(self) -> int:
        """Requests that have a place now."""
        return self.places - self._places.left

    @property
    def waiting(self) -> int:
        """Requests that wait for one now."""
        return self._waiting - self._queue.left

    @contextmanager
    def taken(self) -> Iterator[None]:
        """A place for this thread's request. Raises Full."""
        if not self._places.acquire(blocking=False) and not self._waited():
            raise Full
        self._mine.place = True
        try:
            yield
        finally:
            self._mine.place = False
            self._places.release()

    @contextmanager
    def left(self) -> Iterator[None]:
        """Give the place to others while this thread waits for something outside, if it has one; then take one again.

        The way back knows no limit of time: what was begun is finished, and who holds a place gives it up soon.
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
