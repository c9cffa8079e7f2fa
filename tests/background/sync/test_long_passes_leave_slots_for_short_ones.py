"""Half of a worker's slots are reserved for short passes."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from portal.background.sync.run import Report
from portal.background.sync.schedule import LONG, DuePass, SyncedList, SyncPool
from portal.background.sync.tables import ListName
from portal.tenants.model import Tenant, TrackerLink
from tests.background.sync.companies import until
from tests.told_clock import ToldClock

COURSE = SyncedList(ListName.VACANCIES, lambda _: None, lambda *_: Report())
SLOW = [f"slow{n}" for n in range(12)]


class Office:
    """A pool of eight slots, and passes that run while they are `busy`. The test sets the clock."""

    def __init__(self) -> None:
        self.clock = ToldClock()
        self.wanted: list[str] = []
        self.busy: set[str] = set(SLOW)
        self.made: Counter[str] = Counter()
        self.inside: set[str] = set()
        self.gave_way: Counter[str] = Counter()
        self.looks = 0
        self._stop = threading.Event()
        self._pool = SyncPool(8, self.clock, self._pass)
        self._thread = threading.Thread(target=self._pool.run, args=(self._look, self._stop))
        self._thread.start()

    def _look(self) -> list[DuePass]:
        self.looks += 1
        return [
            DuePass(
                COURSE, Tenant(slug=slug, name=slug, tracker=TrackerLink("http://127.0.0.1", slug, "k")), whole=False
            )
            for slug in list(self.wanted)
        ]

    def _pass(self, one: DuePass, must_yield: Callable[[], bool]) -> bool:
        slug = one.tenant.slug
        self.inside.add(slug)
        while slug in self.busy and not self._stop.is_set():
            if must_yield():
                self.gave_way[slug] += 1
                break
            self._stop.wait(0.01)
        self.inside.discard(slug)
        self.made[slug] += 1
        return True

    def close(self) -> None:
        self._stop.set()
        self._thread.join(30)
        assert not self._thread.is_alive()


@pytest.fixture
def office() -> Iterator[Office]:
    made = Office()
    yield made
    made.close()


def test_long_passes_use_half_of_the_slots(office: Office):
    office.wanted = list(SLOW)
    until(lambda: len(office.inside) == 8, "every place is taken")
    office.wanted = [*SLOW, "quick"]

    def is_made() -> bool:
        office.clock.pass_time(0.5)
        return office.made["quick"] > 0

    until(is_made, "somebody with little to read has a place")
    until(lambda: len(office.inside & set(SLOW)) >= 4, "the long ones have their half")
    assert set(office.gave_way.values()) == {1}


def test_lists_known_to_take_long_do_not_use_the_other_half(office: Office):
    office.wanted = SLOW[:8]  # no pass is waiting, so none is interrupted before its duration is known
    until(lambda: len(office.inside) == 8, "every place is taken")
    first = set(office.inside)
    office.clock.pass_time(LONG)
    office.wanted, looked = [], office.looks
    until(lambda: office.looks >= looked + 2, "nobody who ends begins again, and is known for a short one")
    office.busy = set()
    until(lambda: all(office.made[slug] for slug in first), "they took long")
    until(lambda: not office.inside, "and are over")
    office.wanted, office.busy = sorted(first), set(first)
    office.clock.pass_time(10)
    until(lambda: len(office.inside) == 4, "half of them are at it again")
    office.wanted = [*sorted(first), "quick"]
    for times in range(1, 6):

        def came(times: int = times) -> bool:
            office.clock.pass_time(
                0.04
            )  # about twice as fast as real time, so that a late thread does not count as long
            return office.made["quick"] >= times

        until(came, "the others come and go")
        assert len(office.inside - {"quick"}) == 4
    assert not office.gave_way


def test_no_pass_is_interrupted_while_none_is_waiting(office: Office):
    office.wanted = SLOW[:8]
    until(lambda: len(office.inside) == 8, "every place is taken")
    for _ in range(10):
        office.clock.pass_time(3_600)
        looked = office.looks
        until(lambda looked=looked: office.looks > looked, "it looks again")
    assert not office.gave_way
