"""Limit on concurrent requests: a fixed number run Python at a time; others wait briefly, in bounded queues.

Running more at once would not be faster: they would share one interpreter, and all of them would be slow. Pages and
posts wait in separate queues, which take turns, and one network has at most half of the slots and half of a queue, so
that many requests of one kind or from one network leave capacity for the others (docs/decisions/0163).
"""

import threading
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager

TIMEOUT = 10.0
"""Seconds that a request waits for a slot."""
WAITING = 64
"""Pages that may wait for a slot at once, and as many posts; the next one is rejected."""


def half(most: int) -> int:
    """Return how many of `most` places one network may have: at least one."""
    return max(1, most // 2)


class ConcurrencyLimitReached(Exception):
    """No slot became free in time, or the queue is full."""


_Waiter = tuple[str | None, threading.Event]
"""A request that waits: its network, and the event that is set once it has a slot."""


class ConcurrencyLimit:
    """Slots for requests. places: requests that run at once. waiting: how many pages may wait, and how many posts.

    timeout: seconds that each may wait.
    """

    def __init__(self, places: int, *, waiting: int, timeout: float = TIMEOUT) -> None:
        self.places, self._waiting, self._timeout = places, waiting, timeout
        self._lock = threading.Lock()
        self._free = places
        """Free slots. While there are any, only requests of networks that already use their half of the slots wait."""
        self._held: Counter[str] = Counter()
        """Slots of each network."""
        self._returning: deque[_Waiter] = deque()
        self._pages: deque[_Waiter] = deque()
        self._posts: deque[_Waiter] = deque()
        self._is_turn_of_posts = False
        self._mine = threading.local()

    @property
    def working(self) -> int:
        """Requests that hold a slot now."""
        return self.places - self._free

    @property
    def waiting(self) -> int:
        """Requests that wait for a slot now."""
        return len(self._pages) + len(self._posts)

    @contextmanager
    def slot_held(self, network: str | None = None, *, is_post: bool = False) -> Iterator[None]:
        """Hold a slot for this thread's request within the block. Raises ConcurrencyLimitReached.

        network: of the client, which has at most half; None: no limit of its own. is_post: which queue to wait in.
        """
        self._acquire(network, self._posts if is_post else self._pages)
        self._mine.held = (network,)
        try:
            yield
        finally:
            self._mine.held = None
            self._release(network)

    @contextmanager
    def slot_released(self) -> Iterator[None]:
        """Release this thread's slot, if it holds one, while the block waits for something external; then retake one.

        Retaking a slot has no time limit and precedes all waiting requests: a request that was started is finished
        first, and slots are soon released.
        """
        held: tuple[str | None] | None = getattr(self._mine, "held", None)
        if held is None:
            yield
            return
        self._mine.held = None
        self._release(*held)
        try:
            yield
        finally:
            self._retake(*held)
            self._mine.held = held

    def _acquire(self, network: str | None, queue: deque[_Waiter]) -> None:
        with self._lock:
            if self._take(network):
                return
            of_network = sum(one == network for one, _ in queue)
            if len(queue) >= self._waiting or (network is not None and of_network >= half(self._waiting)):
                raise ConcurrencyLimitReached
            waiter = network, threading.Event()
            queue.append(waiter)
        if waiter[1].wait(self._timeout):
            return
        with self._lock:
            if not waiter[1].is_set():  # otherwise it got its slot just before the timeout
                queue.remove(waiter)
                raise ConcurrencyLimitReached

    def _retake(self, network: str | None) -> None:
        with self._lock:
            if self._take(network):
                return
            waiter = network, threading.Event()
            self._returning.append(waiter)
        waiter[1].wait()

    def _release(self, network: str | None) -> None:
        with self._lock:
            self._free += 1
            if network is not None:
                self._held[network] -= 1
                if not self._held[network]:
                    del self._held[network]
            while self._free and self._pass_on():
                pass

    def _take(self, network: str | None) -> bool:
        """Take a slot if one is free and the network may have it; the caller has the lock."""
        if not self._free or (network is not None and self._held[network] >= half(self.places)):
            return False
        self._free -= 1
        if network is not None:
            self._held[network] += 1
        return True

    def _pass_on(self) -> bool:
        """Give a free slot to the next request that may have it; return whether there is one."""
        kinds = (self._posts, self._pages) if self._is_turn_of_posts else (self._pages, self._posts)
        for queue in (self._returning, *kinds):
            for waiter in queue:
                if self._take(waiter[0]):
                    queue.remove(waiter)
                    waiter[1].set()
                    if queue is not self._returning:
                        self._is_turn_of_posts = queue is self._pages
                    return True
        return False
