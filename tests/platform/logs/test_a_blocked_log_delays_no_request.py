"""If the reader of standard error stops, requests continue, and lost lines are counted."""

import fcntl
import json
import logging
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from portal.platform.logs.formatting import Json
from portal.platform.logs.stderr_writer import StderrHandler

MANY = 20_000


@pytest.fixture
def pipe():
    read, write = os.pipe()
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4_096)
    yield read, write
    os.close(read)
    os.close(write)


def outlet(descriptor: int, *, room: int = 100) -> StderrHandler:
    made = StderrHandler(descriptor, room=room)
    made.setFormatter(Json())
    return made


def say(to: StderrHandler, what: str) -> None:
    to.handle(logging.makeLogRecord({"name": "portal.test", "levelname": "INFO", "msg": what}))


def lines_of(read: int, enough) -> list[dict[str, object]]:
    """Read the output until `enough` of it has arrived."""
    found: list[dict[str, object]] = []
    rest = b""
    while not enough(found):
        rest += os.read(read, 65_536)
        *whole, rest = rest.split(b"\n")
        found += [json.loads(line) for line in whole]
    return found


def test_logging_never_blocks_and_lost_lines_are_counted(pipe):
    read, write = pipe
    to = outlet(write)
    done = threading.Event()

    def talk() -> None:
        for number in range(MANY):
            say(to, str(number))
        done.set()

    threading.Thread(target=talk, daemon=True).start()
    assert done.wait(120), "a thread that logs was blocked"
    found = lines_of(read, lambda lines: lines and lines[-1].get("event") == "dropped")
    said = [line for line in found if "message" in line]
    assert len(said) + sum(line.get("count", 0) for line in found) == MANY
    assert [int(line["message"]) for line in said] == sorted(int(line["message"]) for line in said)
    say(to, "and on")
    assert lines_of(read, bool)[0]["message"] == "and on"


def test_the_log_queue_is_bounded(pipe):
    read, write = pipe
    os.set_blocking(write, False)
    while True:
        try:
            os.write(write, b"\n" * 4_096)
        except BlockingIOError:
            break
    to = outlet(write, room=3)
    to._writer = os.getpid()  # the writer has not started
    for number in range(4):
        say(to, str(number))
    assert (len(to._lines), to._dropped) == (3, 1)
    del read


def test_a_closed_log_pipe_loses_only_lines(pipe):
    read, write = pipe
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), read)  # closes the pipe's end and keeps its number from being given to another file
    to = outlet(write)
    for number in range(10):
        say(to, str(number))
    to.flush()
    assert to._dropped > 0


def test_a_full_disk_loses_only_log_lines():
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        to = outlet(full)
        for number in range(10):
            say(to, str(number))
        to.flush()
        assert to._dropped > 0
    finally:
        os.close(full)


def test_a_line_that_cannot_be_formatted_is_reported_in_the_log(pipe):
    class Bad:
        def __str__(self) -> str:
            raise ValueError("no words")

    read, write = pipe
    to = outlet(write)
    to.handle(logging.makeLogRecord({"name": "portal.test", "levelname": "INFO", "msg": Bad()}))
    assert lines_of(read, bool)[0]["message"] == "a line that cannot be written"


def test_waiting_lines_are_written_before_a_process_ends(tmp_path: Path):

    code = "from portal.platform.logs.setup import configure_logging; import logging; configure_logging(None); "
    code += "logging.getLogger('portal.x').warning('z')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True, timeout=120)
    assert json.loads(done.stderr)["message"] == "z"
