"""Files of one network wait for each other, and delay no other network's files."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest

from portal.adapters.inspection.inspection import FairQueue, QueueFull, QueueTimeout


@dataclass
class Scene:
    """Threads that wait for a turn, and hold it until the test releases them."""

    queue: FairQueue
    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(32))
    served: list[str] = field(default_factory=list)
    running: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    go: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def send(self, network: str, used: float = 0) -> "Future[None]":
        """Start a thread; return once it waits or holds its turn."""
        before = self.inside()
        sent = self.pool.submit(self._one, network, used)
        self.until(lambda: self.inside() > before or sent.done())
        return sent

    def inside(self) -> int:
        return len(self.queue._waiting) + len(self.queue._running) + len(self.served)

    def until(self, true: Callable[[], bool]) -> None:
        ends = time.monotonic() + 20
        while not true():
            assert time.monotonic() < ends
            time.sleep(0.01)

    def finish(self, count: int) -> None:
        for _ in range(count):
            self.go.release()

    def _one(self, network: str, used: float) -> None:
        with self.queue.turn(network, used=used, timeout=60):
            self.served.append(network)
            self.running.release()
            assert self.go.acquire(timeout=60)


def started(scene: Scene, count: int) -> None:
    for _ in range(count):
        assert scene.running.acquire(timeout=20)


def test_one_network_has_one_running_and_three_waiting_inspections() -> None:
    scene = Scene(FairQueue(2))
    four = [scene.send("a") for _ in range(4)]
    started(scene, 1)
    with pytest.raises(QueueFull):
        scene.send("a").result(20)
    assert scene.served == ["a"]
    other = scene.send("b")
    started(scene, 1)  # immediately, because the second slot is free
    scene.finish(5)
    for one in (*four, other):
        one.result(60)
    scene.send("a")
    scene.finish(1)  # a place is free again


def test_the_network_with_the_least_use_is_next() -> None:
    scene = Scene(FairQueue(1))
    scene.send("first")
    started(scene, 1)
    crowd = [scene.send(network, used=5) for network in ("a", "b", "a", "b")]
    late = scene.send("new")
    scene.finish(6)
    for one in (*crowd, late):
        one.result(60)
    assert scene.served == ["first", "new", "a", "b", "a", "b"]


def test_a_file_that_waited_too_long_is_rejected_without_affecting_others() -> None:
    queue = FairQueue(1)
    with queue.turn("a", used=0, timeout=1):
        with pytest.raises(QueueTimeout), queue.turn("b", used=0, timeout=0.05):
            pass
        assert queue._waiting == []
    with queue.turn("b", used=0, timeout=0.05):
        pass
    assert queue._running == []
