"""An outage of ten seconds is logged by then, also after another one; short ones are logged once a minute."""

import itertools
import logging

import pytest

from portal.platform.errors import StoreUnavailable
from portal.platform.logs import EventName, Part
from portal.platform.logs.events import Event
from portal.platform.logs.outage_log import CHECK_EVERY, Outages
from tests.told_clock import ToldClock


class Operator:
    """The log of a process with outages of its storage. lines: seconds since the start, and the line."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        self.clock, self._caplog = ToldClock(), caplog
        self.outages = Outages(self.clock)
        self.store = self.outages.of(Part.STORE)
        self._began = self.clock.monotonic()
        self.lines: list[tuple[float, Event]] = []
        caplog.set_level(logging.INFO)

    @property
    def told(self) -> list[tuple[float, str]]:
        return [(when, str(one.happened)) for when, one in self.lines]

    def pass_time(self, seconds: float, *, away: bool, asked: bool = True) -> None:
        """Advance the clock. asked: whether the storage is used in each second."""
        for second in itertools.count():
            if second and asked and away:
                self.store.begins(StoreUnavailable("away"))
            elif second and asked:
                self.store.ends(self.clock.monotonic())
            if second % CHECK_EVERY == 0:
                self.outages.catch_up()
            for one in self._caplog.records:
                assert isinstance(one.msg, Event)
                self.lines.append((self.clock.monotonic() - self._began, one.msg))
            self._caplog.clear()
            if second >= seconds:
                return
            self.clock.pass_time(1)


@pytest.fixture
def operator(caplog: pytest.LogCaptureFixture) -> Operator:
    return Operator(caplog)


def test_a_second_outage_right_after_the_first_is_logged_within_ten_seconds(operator: Operator):
    for _ in range(3):
        operator.pass_time(40, away=True)
        operator.pass_time(5, away=False)
    assert [what for _, what in operator.told] == ["away", "recovered"] * 3
    begins = [when for when, what in operator.told if what == EventName.UNAVAILABLE]
    assert begins[0] == 1
    assert [when - begun for when, begun in zip(begins[1:], (46, 91), strict=True)] == [8, 8]
    ends = [when for when, what in operator.told if what == EventName.RECOVERED]
    assert ends == [41, 86, 131]


def test_an_outage_that_no_further_request_meets_is_logged(operator: Operator):
    operator.pass_time(5, away=True)
    operator.pass_time(5, away=False)
    operator.store.begins(StoreUnavailable("away"))
    operator.pass_time(10, away=True, asked=False)
    assert [what for _, what in operator.told] == ["away", "recovered", "away"]
    assert operator.told[-1][0] <= 10 + 10


def test_short_outages_are_logged_once_a_minute(operator: Operator):
    for _ in range(30):
        operator.pass_time(6, away=True)
        operator.pass_time(6, away=False)
    later = [when for when, _ in operator.told[1:]]
    assert all(after - before >= 60 for before, after in itertools.pairwise(later)), operator.told


def test_many_long_outages_delay_the_log_of_a_short_one_by_two_minutes_at_most(operator: Operator):
    for _ in range(10):
        operator.pass_time(20, away=True)
        operator.pass_time(20, away=False)
    told = len(operator.lines)
    operator.pass_time(120, away=False)
    operator.pass_time(3, away=True)
    assert operator.told[told:] == [(524 - 3, "away")]


def test_the_recovery_is_logged_with_the_number_of_failures(operator: Operator):
    operator.pass_time(30, away=True)
    operator.pass_time(1, away=False)
    (_, end) = operator.lines[-1]
    assert (end.happened, end.fields["count"], end.fields["seconds"]) == (EventName.RECOVERED, 30, 30.0)


def test_the_recovery_of_an_unused_part_is_logged(operator: Operator):
    asked: list[float] = []

    def probe() -> None:
        asked.append(operator.clock.monotonic())
        operator.store.ends(operator.clock.monotonic())

    operator.outages.probe(Part.STORE, probe)
    assert asked == [], "an available part is not probed"
    operator.pass_time(20, away=True)
    operator.clock.pass_time(1)
    operator.outages.probe(Part.STORE, probe)
    operator.pass_time(0, away=False)
    assert len(asked) == 1
    assert [what for _, what in operator.told] == ["away", "recovered"]


def test_a_failing_probe_changes_nothing(operator: Operator):
    def probe() -> None:
        raise StoreUnavailable("away")

    operator.pass_time(20, away=True)
    operator.outages.probe(Part.STORE, probe)
    operator.pass_time(0, away=True)
    assert [what for _, what in operator.told] == ["away"]
