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

from portal.platform.sandbox.helper_process import Helper, HelperUnavailable, ProcessEnded
from portal.platform.sandbox.restrictions import Limits
from tests.platform.sandbox import hostile

CONTENT = b"a CV"


def helper_of(limits: Limits = hostile.LIMITS, *, max_concurrent: int = 2) -> Helper:
    return Helper(
        "tests.platform.sandbox.hostile",
        (str(limits.timeout),),
        limits,
        max_concurrent=max_concurrent,
        max_result_bytes=1_000,
    )


@pytest.fixture(scope="module")
def helper() -> Iterator[Helper]:
    helper = helper_of()
    yield helper
    helper.close()


def asked(helper: Helper, task: int) -> bytes:
    return helper.run(io.BytesIO(CONTENT), task)


def process(helper: Helper) -> psutil.Process:
    """Return the process of this helper; one of an earlier test may still exist."""
    assert helper._running
    return psutil.Process(helper._running._process.pid)


@pytest.mark.parametrize("task", range(len(hostile.TRIED)), ids=[one.__name__[1:] for one in hostile.TRIED])
def test_each_hostile_action_is_denied(helper: Helper, tmp_path: Path, task: int) -> None:
    path = tmp_path / "cv"
    path.write_bytes(CONTENT)
    with path.open("r+b") as file:
        assert helper.run(file, task) == b"refused"
    assert path.read_bytes() == CONTENT
    assert not Path("/tmp/made-by-a-hostile-file").exists()  # noqa: S108  see hostile.py


def test_the_process_has_no_forbidden_capabilities(helper: Helper) -> None:
    assert helper.forbidden_capabilities() == []


def test_the_process_can_read_files_and_respond(helper: Helper, tmp_path: Path) -> None:
    path = tmp_path / "cv"
    path.write_bytes(CONTENT * 1_000)
    with path.open("rb") as file:
        file.seek(3)
        assert len(helper.run(io.BytesIO(CONTENT * 200), hostile.READ)) == 800
        with pytest.raises(ProcessEnded):  # a response longer than the limit
            helper.run(file, hostile.READ)


@pytest.mark.parametrize("task", [hostile.HOARD, hostile.SLEEP, hostile.ABORT, hostile.RAISE, hostile.SHOUT, 250])
def test_a_misbehaving_process_ends_and_the_next_file_is_read(helper: Helper, task: int) -> None:
    with pytest.raises(ProcessEnded):
        asked(helper, task)
    assert asked(helper, hostile.READ) == CONTENT


def test_a_process_over_its_cpu_limit_ends_long_before_its_time_limit() -> None:
    helper = helper_of(replace(hostile.LIMITS, timeout=60))
    began = time.monotonic()
    with pytest.raises(ProcessEnded):
        asked(helper, hostile.COMPUTE)
    assert time.monotonic() - began < 50
    helper.close()


def test_nothing_is_carried_over_to_the_next_file(helper: Helper) -> None:
    for _ in range(2):
        assert asked(helper, hostile.REMEMBER) == CONTENT


def test_the_process_sees_no_environment_variables(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_file_is_tried_again_if_the_helper_is_killed_during_its_work(helper: Helper) -> None:
    asked(helper, hostile.READ)
    killed, ended = process(helper), []
    until(lambda: not at_work(killed))  # the process that read the file ends after its response

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
    thread.join()  # it slept again in another process, and was ended there
    assert ended


def test_concurrent_work_is_limited_and_waiting_too_long_is_an_error() -> None:
    helper, outcomes = helper_of(Limits(memory=200_000_000, cpu=0.4, timeout=0.5), max_concurrent=1), []

    def ask() -> None:
        try:
            asked(helper, hostile.SLEEP)
        except (ProcessEnded, HelperUnavailable) as error:
            outcomes.append(type(error))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    helper.close()
    assert HelperUnavailable in outcomes
    assert ProcessEnded in outcomes


def test_a_helper_that_cannot_start_is_not_blamed_on_the_file() -> None:
    helper = Helper("tests.platform.sandbox.nothing_there", (), hostile.LIMITS, max_concurrent=1, max_result_bytes=10)
    with pytest.raises(HelperUnavailable, match="does not start"):
        asked(helper, hostile.READ)


def at_work(helper: psutil.Process) -> list[psutil.Process]:
    return [one for one in helper.children() if one.status() != psutil.STATUS_ZOMBIE]


def until(condition: Callable[[], bool]) -> None:
    ends = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_the_cpu_time_of_a_file_is_reported_whatever_the_outcome(helper: Helper) -> None:
    taken: list[float] = []
    helper.run(io.BytesIO(CONTENT), hostile.READ, report_cpu=taken.append)
    with pytest.raises(ProcessEnded):
        helper.run(io.BytesIO(CONTENT), hostile.COMPUTE, report_cpu=taken.append)
    until(lambda: len(taken) == 2)
    quick, long = sorted(taken)
    assert 0 < quick < 0.3
    assert long >= hostile.LIMITS.cpu
