"""An incomplete feed is never sent, because readers would close the missing jobs."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from portal.delivery.uploads.disk_space import Disks, Space
from portal.platform.clock import SystemClock
from portal.platform.errors import DatabaseUnavailable, FeedIncomplete
from portal.site.feeds.editions import Editions
from portal.site.feeds.streaming import EditionBuilder
from tests.site.feeds.company import FEEDS, LONG, Company, vacancy
from tests.told_clock import ToldClock

JOB = ("acme", "feed.atom", "0" * 32)
NEXT = ("acme", "feed.atom", "1" * 32)


@pytest.fixture
def clock() -> ToldClock:
    return ToldClock()


@pytest.fixture
def editions(tmp_path: Path, clock: ToldClock) -> Editions:
    return Editions(tmp_path / "feeds", clock, Disks({}, lambda _: Space(1, 1)))


@pytest.fixture
def press(editions: Editions, clock: ToldClock) -> EditionBuilder:
    return EditionBuilder(editions, clock)


def breaking() -> Iterator[str]:
    yield "the first half"
    raise DatabaseUnavailable("the database cannot be reached")


@pytest.mark.parametrize("name", FEEDS)
def test_nothing_is_sent_before_all_vacancies_were_synced(acme: Company, name: str):
    answer = acme.get(f"/acme/{name}")
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert acme.get("/v1/boards/acme/jobs").status_code == 503
    acme.publish(vacancy("one", "One", LONG))
    acme.clock.pass_time(31)
    assert acme.get(f"/acme/{name}").status_code == 200


def test_a_full_disk_sends_no_old_feed_and_loses_nothing(acme: Company):
    acme.publish(vacancy("one", "One", LONG))
    before = acme.get("/acme/feed.atom")
    kept = acme.files("feed.atom")
    acme.fill_the_disk()
    acme.publish(vacancy("two", "Two", LONG))
    assert acme.get("/acme/feed.atom").status_code == 503
    assert acme.files("feed.atom") == kept
    acme.empty_the_disk()
    assert acme.get("/acme/feed.atom").status_code == 503, "it is not tried at every request"
    acme.clock.pass_time(31)
    assert "Two" in acme.get("/acme/feed.atom").text
    assert "Two" not in before.text


def test_an_interrupted_build_keeps_the_last_complete_feed(press: EditionBuilder, editions: Editions, tmp_path: Path):
    whole, _ = press.edition(JOB, lambda: ["whole"], timeout=10)
    with pytest.raises(FeedIncomplete, match="database"):
        press.edition(NEXT, breaking, timeout=10)
    assert editions.last("acme", "feed.atom") == whole
    assert {path.name for path in (tmp_path / "feeds/acme/feed.atom").iterdir()} == {
        "lock",
        *(file.name for file, _ in whole.files.values()),
    }


def test_a_failed_build_is_repeated_after_a_pause(press: EditionBuilder, clock: ToldClock):
    with pytest.raises(FeedIncomplete):
        press.edition(JOB, breaking, timeout=10)
    with pytest.raises(FeedIncomplete):
        press.edition(JOB, lambda: ["whole"], timeout=10)
    clock.pass_time(30)
    assert press.edition(JOB, lambda: ["whole"], timeout=10)[0].path.read_text() == "whole"


def test_a_build_of_more_than_five_minutes_is_cancelled(press: EditionBuilder, clock: ToldClock):
    def slow(seconds: float) -> Iterator[str]:
        yield "x" * 70_000
        clock.pass_time(seconds)
        yield "x" * 70_000

    assert press.edition(JOB, lambda: slow(300), timeout=10)[1]
    with pytest.raises(FeedIncomplete, match="longer than 300 s"):
        press.edition(NEXT, lambda: slow(300.1), timeout=10)


def test_the_last_complete_feed_is_sent_during_a_build(press: EditionBuilder):
    first, _ = press.edition(JOB, lambda: ["first"], timeout=10)
    goes_on = threading.Event()

    def held() -> Iterator[str]:
        yield "second"
        goes_on.wait(20)

    assert press.edition(NEXT, held, timeout=0.05) == (first, False)
    goes_on.set()
    found, is_current = press.edition(NEXT, lambda: pytest.fail("it is made once"), timeout=10)
    assert (found.path.read_text(), is_current) == ("second", True)


def test_a_large_company_does_not_delay_the_others(press: EditionBuilder):
    goes_on = threading.Event()

    def held() -> Iterator[str]:
        goes_on.wait(20)
        yield "large"

    with pytest.raises(FeedIncomplete, match="for the first time"):
        press.edition(JOB, held, timeout=0.05)
    assert press.edition(("globex", *JOB[1:]), lambda: ["small"], timeout=10)[1]
    goes_on.set()
    assert press.edition(JOB, lambda: ["?"], timeout=10)[0].path.read_text() == "large"


def test_two_processes_build_a_feed_once(tmp_path: Path):
    clock = SystemClock()  # a process waits for the other one by the real clock
    folder = Disks({}, lambda _: Space(1, 1))
    made: list[str] = []

    def pieces() -> Iterator[str]:
        made.append("once")
        yield "whole"

    several = [EditionBuilder(Editions(tmp_path, clock, folder), clock) for _ in range(2)]
    found = []
    threads = [
        threading.Thread(target=lambda press=press: found.append(press.edition(JOB, pieces, timeout=10)[0].etag))
        for press in several
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == ["once"]
    assert len(set(found)) == 1


def test_the_last_complete_feed_is_sent_while_another_process_builds(
    press: EditionBuilder, editions: Editions, clock: ToldClock
):
    first, _ = press.edition(JOB, lambda: ["first"], timeout=10)
    begun, goes_on = threading.Event(), threading.Event()

    def held() -> Iterator[str]:
        begun.set()
        goes_on.wait(200)
        yield "second"

    def unneeded() -> Iterator[str]:
        pytest.fail("it is made once")
        yield ""

    other = threading.Thread(target=lambda: editions.make(*NEXT, held(), within=300), daemon=True)
    other.start()
    assert begun.wait(100)
    asked_at = clock.monotonic()
    for _ in range(2):
        assert press.edition(NEXT, unneeded, timeout=100) == (first, False)
    assert 10 < clock.monotonic() - asked_at < 30, "the other process may be about to finish"
    goes_on.set()
    other.join(100)
    found, is_current = press.edition(NEXT, unneeded, timeout=100)
    assert (found.path.read_text(), is_current) == ("second", True)
