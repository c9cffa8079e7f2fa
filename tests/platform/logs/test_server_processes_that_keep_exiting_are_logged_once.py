"""A server process that repeatedly exits at its start is logged once at the beginning, and once with a count."""

import json
import logging
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from portal.cli.server import ExitLog
from portal.platform.clock import SystemClock
from portal.platform.logs.events import Event
from tests.journeys.server import processes, started
from tests.parts.process import free_port
from tests.schemas import PORTAL, sqlite_copy

pytestmark = pytest.mark.verify


def exit_events(caplog: pytest.LogCaptureFixture) -> list[tuple[str, object]]:
    return [(one.msg.event, one.msg.fields.get("count")) for one in caplog.records if isinstance(one.msg, Event)]


def lines_of(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def begun(log: Path) -> list[object]:
    return [line["pid"] for line in lines_of(log) if (line.get("event"), line.get("part")) == ("started", "child")]


def until(true: Callable[[], object]) -> None:
    ends = time.monotonic() + 120
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.05)


def test_repeated_exits_are_logged_at_the_beginning_and_at_the_end(caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.INFO):
        losses = ExitLog(SystemClock(), calm=2)
        for number in range(20):
            losses.record_exit(f"process {number} ended with status 1")
        assert exit_events(caplog) == [("lost", None)]
        until(lambda: len(exit_events(caplog)) == 2)
        assert exit_events(caplog) == [("lost", None), ("recovered", 20)]


def test_single_exits_are_logged_once_each(caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.INFO):
        losses = ExitLog(SystemClock(), calm=0.1)
        losses.record_exit("process 1 ended with status 1")
        until(lambda: not losses._count)
        losses.record_exit("process 2 ended with status 1")
        until(lambda: not losses._count)
    assert exit_events(caplog) == [("lost", None)] * 2


def test_a_server_restarts_its_processes_and_logs_it_once(tmp_path: Path):
    port = free_port()
    log = tmp_path / "log"
    # By default, Granian would stop the server at the second exit, which comes within 5.5 seconds of the first.
    with started(tmp_path, sqlite_copy(tmp_path / "portal.db", PORTAL), "serve", port=port) as server:
        until(lambda: len(begun(log)) == 1)
        for kills in range(1, 4):
            (child,) = processes(server)
            child.kill()
            until(lambda kills=kills: len(begun(log)) == kills + 1)
    told_of_it = [line for line in lines_of(log) if line["level"] not in {"info", "debug"}]
    assert [line.get("event") for line in told_of_it] == ["lost"], told_of_it
