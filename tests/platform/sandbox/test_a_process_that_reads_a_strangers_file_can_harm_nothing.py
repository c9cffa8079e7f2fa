"""A process taken over by a file can open, reach, write and block nothing else."""

import io
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from portal.platform.sandbox.helper_process import Helper, NoHelper, ProcessEnded
from portal.platform.sandbox.restrictions import Limits
from tests.platform.sandbox import hostile

CONTENT = b"a CV"


def helper_of(limits: Limits = hostile.LIMITS, *, at_once: int = 2) -> Helper:
    return Helper("tests.platform.sandbox.hostile", (str(limits.patience),), limits, at_once=at_once, most=1_000)


@pytest.fixture(scope="module")
def helper() -> Iterator[Helper]:
    helper = helper_of()
    yield helper
    helper.close()


def asked(helper: Helper, how: int) -> bytes:
    return helper.ask(io.BytesIO(CONTENT), how)


def process(helper: Helper) -> psutil.Process:
    """Return the process of this helper; one of an earlier test may still exist."""
    assert helper._running
    return psutil.Process(helper._running._process.pid)


@pytest.mark.parametrize("how", range(len(hostile.TRIED)), ids=[one.__name__[1:] for one in hostile.TRIED])
def test_it_is_refused(helper: Helper, tmp_path: Path, how: int) -> None:
    path = tmp_path / "cv"
    path.write_bytes(CONTENT)
    with path.open("r+b") as file:
        assert helper.ask(file, how) == b"refused"
    assert path.read_bytes() == CONTENT
    assert not Path("/tmp/made-by-a-hostile-file").exists()  # noqa: S108  see there


def test_it_could_do_nothing_that_it_should_not(helper: Helper) -> None:
    assert helper.forbidden_capabilities() == []


def test_what_it_needs_it_has(helper: Helper, tmp_path: Path) -> None:
    path = tmp_path / "cv"
    path.write_bytes(CONTENT * 1_000)
    with path.open("rb") as file:
        file.seek(3)
        assert len(helper.ask(io.BytesIO(CONTENT * 200), hostile.READ)) == 800
        with pytest.raises(ProcessEnded):  # an answer that is longer than was agreed
            helper.ask(file, hostile.READ)


@pytest.mark.parametrize("how", [hostile.HOARD, hostile.SLEEP, hostile.ABORT, hostile.RAISE, hostile.SHOUT, 250])
def test_it_ends_and_the_next_file_is_read(helper: Helper, how: int) -> None:
    with pytest.raises(ProcessEnded):
        asked(helper, how)
    assert asked(helper, hostile.READ) == CONTENT


def test_what_takes_too_much_of_a_core_ends_long_before_its_patience_does() -> None:
    helper = helper_of(replace(hostile.LIMITS, patience=60))
    began = time.monotonic()
    with pytest.raises(ProcessEnded):
        asked(helper, hostile.COMPUTE)
    assert time.monotonic() - began < 50
    helper.close()


def test_what_it_remembers_meets_no_other_file(helper: Helper) -> None:
    for _ in range(2):
        assert asked(helper, hostile.REMEMBER) == CONTENT


def test_it_knows_nothing_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORTAL_SECRET_KEY", "a secret of sixteen letters")
    helper = helper_of()
    assert b"sixteen" not in asked(helper, hostile.ENVIRONMENT)
    helper.close()


def test_a_helper_that_was_killed_is_started_again(helper: Helper) -> None:
    asked(helper, hostile.READ)
    killed = process(helper)
    os.kill(killed.pid, signal.SIGKILL)
    assert asked(helper, hostile.READ) == CONTENT
    assert process(helper).pid != killed.pid


def test_a_helper_that_is_killed_while_it_works_takes_its_work_along_and_is_asked_again(helper: Helper) -> None:
    asked(helper, hostile.READ)
    killed, ended = process(helper), []
    until(lambda: not at_work(killed))  # the one that read ends after its answer

    def ask() -> None:
        with pytest.raises(ProcessEnded):
            asked(helper, hostile.SLEEP)
        ended.append(True)

    thread = threading.Thread(target=ask)
    thread.start()
    until(lambda: bool(at_work(killed)))
    (worker,) = at_work(killed)
    os.kill(killed.pid, signal.SIGKILL)
    psutil.wait_procs([worker], timeout=10)
    assert not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE
    thread.join()  # it slept again in another one, and was ended there
    assert ended


def test_no_more_is_worked_on_at_once_than_there_is_room_for_and_who_waits_too_long_hears_so() -> None:
    helper, outcomes = helper_of(Limits(memory=200_000_000, cpu=0.4, patience=0.5), at_once=1), []

    def ask() -> None:
        try:
            asked(helper, hostile.SLEEP)
        except (ProcessEnded, NoHelper) as error:
            outcomes.append(type(error))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    helper.close()
    assert NoHelper in outcomes
    assert ProcessEnded in outcomes


def test_what_cannot_be_started_is_no_fault_of_the_file() -> None:
    helper = Helper("tests.platform.sandbox.nothing_there", (), hostile.LIMITS, at_once=1, most=10)
    with pytest.raises(NoHelper, match="does not start"):
        asked(helper, hostile.READ)


def at_work(helper: psutil.Process) -> list[psutil.Process]:
    return [one for one in helper.children() if one.status() != psutil.STATUS_ZOMBIE]


def until(condition: Callable[[], bool]) -> None:
    ends = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_what_a_file_takes_of_a_core_is_told_whatever_becomes_of_it(helper: Helper) -> None:
    taken: list[float] = []
    helper.ask(io.BytesIO(CONTENT), hostile.READ, charge=taken.append)
    with pytest.raises(ProcessEnded):
        helper.ask(io.BytesIO(CONTENT), hostile.COMPUTE, charge=taken.append)
    until(lambda: len(taken) == 2)
    quick, long = sorted(taken)
    assert 0 < quick < 0.3
    assert long >= hostile.LIMITS.cpu
