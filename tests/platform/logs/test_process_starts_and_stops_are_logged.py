"""The log of a server, worker or service shows when each of its processes started and stopped."""

import json
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.journeys.server import command, processes, settings, started
from tests.journeys.test_a_server_starts_without_its_database import until
from tests.parts.command import portal
from tests.parts.leaks import WITNESS
from tests.parts.process import free_port
from tests.schemas import PORTAL, sqlite_copy


def lines_of(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def parts_of(lines: list[dict[str, object]], event: str) -> list[object]:
    return [line["part"] for line in lines if line.get("event") == event]


def test_a_server_logs_its_processes_and_every_request(tmp_path: Path):
    port = free_port()
    with started(tmp_path, sqlite_copy(tmp_path / "portal.db", PORTAL), "serve", "--workers", "2", port=port):
        answer = httpx.get(f"http://127.0.0.1:{port}/acme/?q=Lovelace", trust_env=False, timeout=30)
        missing = httpx.get(f"http://127.0.0.1:{port}/nothing", trust_env=False, timeout=30)
    lines = lines_of(tmp_path / "log")
    assert parts_of(lines, "started") == ["serve", "child", "child"]
    assert parts_of(lines, "stopped") == ["child", "child", "serve"]
    asked = [line for line in lines if line.get("event") == "answered"]
    assert [line["request"] for line in asked] == [one.headers["x-request-id"] for one in (answer, missing)]
    assert asked[0]["path"] == "/acme/"


@pytest.mark.parametrize("words", [("tracker", "serve")], ids=["tracker"])
def test_the_tracking_service_logs_its_processes(
    tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TRACKER_DATABASE_URL", f"sqlite:///{tmp_path / 'tracker.db'}")
    monkeypatch.setenv("PORTAL_LOG", "text")
    with started(tmp_path, "sqlite:///unused.db", *words, port=free_port()):
        pass
    lines = (tmp_path / "log").read_text().splitlines()
    said = [line.partition(" info ")[2] for line in lines if "answered" not in line]
    assert said == [f"{what} part={part}" for what, part in _SERVICE]


_SERVICE = [("started", "tracker"), ("started", "child"), ("stopped", "child"), ("stopped", "tracker")]


def test_a_worker_logs_its_start_and_stop(tmp_path: Path):
    url = sqlite_copy(tmp_path / "portal.db", PORTAL)
    log = tmp_path / "log"
    with log.open("ab") as out:
        worker = subprocess.Popen(command("worker"), env=settings(tmp_path, url), stderr=out, stdout=out)
        try:
            until(lambda: b"started" in log.read_bytes())
        finally:
            worker.terminate()
            worker.wait(120)
    WITNESS.read_file(log)
    lines = lines_of(log)
    assert parts_of(lines, "started") == parts_of(lines, "stopped") == ["worker"]


def test_a_killed_server_process_is_logged_by_its_parent(tmp_path: Path):
    port, log = free_port(), tmp_path / "log"
    with started(tmp_path, sqlite_copy(tmp_path / "portal.db", PORTAL), "serve", port=port) as server:
        (child,) = processes(server)
        until(lambda: parts_of(lines_of(log), "started") == ["serve", "child"])
        child.kill()
        until(lambda: parts_of(lines_of(log), "started") == ["serve", "child", "child"])
    lines = lines_of(log)
    (lost,) = [line for line in lines if line.get("event") == "lost"]
    assert (lost["part"], lost["level"]) == ("child", "error")
    assert f"process {child.pid} ended by SIGKILL" in str(lost["message"])
    pids = {line["part"]: line["pid"] for line in lines if line.get("event") == "started"}
    assert lost["pid"] == pids["serve"] != pids["child"]
    assert {line["pid"] for line in lines} == {line["pid"] for line in lines if line.get("event") == "started"}


LONG = [("serve",), ("worker",), ("console",), ("tracker", "serve")]


@pytest.mark.parametrize("words", LONG, ids=" ".join)
def test_a_fatal_error_of_a_long_running_command_is_logged(tmp_path: Path, words: tuple[str, ...]):
    wrong = "mysql://elsewhere"
    env = {**settings(tmp_path, wrong), "TRACKER_DATABASE_URL": wrong}
    done = subprocess.run(command(*words), env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    *_, last = [json.loads(line) for line in done.stderr.splitlines()]
    assert (last["event"], last["level"], last["part"]) == (
        "failed",
        "critical",
        "tracker" if len(words) > 1 else words[0],
    )
    assert "DATABASE_URL" in last["message"]


@pytest.mark.parametrize("words", [("submissions", "list"), ("db", "upgrade")], ids=" ".join)
def test_a_fatal_error_of_a_short_command_is_printed(tmp_path: Path, words: tuple[str, ...]):
    (tmp_path / "a-folder").mkdir()
    done = portal(*words, environment=settings(tmp_path, f"sqlite:///{tmp_path / 'a-folder'}"))
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("portal: the database is unavailable: ")


def test_a_server_with_a_blocked_log_keeps_serving(tmp_path: Path):
    url, port = sqlite_copy(tmp_path / "portal.db", PORTAL), free_port()
    argv = command("serve", "--port", str(port))
    server = subprocess.Popen(argv, env=settings(tmp_path, url), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=60) as client:
        try:
            until(lambda: _is_up(client))
            # A pipe holds 64 KB: 300 lines fill it.
            assert {client.get("/acme/").status_code for _ in range(500)} == {200}
        finally:
            server.terminate()
            server.communicate(timeout=120)


def _is_up(client: httpx.Client) -> bool:
    try:
        return client.get("/healthz").is_success
    except httpx.HTTPError:
        return False
