import subprocess
import time
from pathlib import Path

import httpx
import psutil
import pytest

from tests.journeys.server import command, processes, settings, started
from tests.parts.process import accepts, free_port
from tests.schemas import PORTAL, sqlite_copy

pytestmark = pytest.mark.verify


def database(folder: Path) -> str:
    return sqlite_copy(folder / "portal.db", PORTAL)


def test_its_children_end_and_the_next_server_gets_the_port(tmp_path: Path):
    url, port = database(tmp_path), free_port()
    with started(tmp_path, url, "serve", "--workers", "2", port=port) as server:
        children = processes(server)
        assert len(children) == 2
        server.kill()
        psutil.wait_procs(children, timeout=30)
        assert [one for one in children if one.is_running() and one.status() != psutil.STATUS_ZOMBIE] == []
        assert not accepts(port)
    with started(tmp_path, url, "serve", port=port):
        assert httpx.get(f"http://127.0.0.1:{port}/acme/", trust_env=False).status_code == 200


def test_a_child_that_was_still_starting_ends_too(tmp_path: Path):
    url, port = database(tmp_path), free_port()
    argv = command("serve", "--workers", "2", "--port", str(port))
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(argv, env=settings(tmp_path, url), stdout=log, stderr=log)
    ends = time.monotonic() + 60
    while len(children := processes(server)) < 2:
        assert time.monotonic() < ends
        time.sleep(0.01)
    server.kill()
    server.wait()
    psutil.wait_procs(children, timeout=60)
    assert [one for one in children if one.is_running() and one.status() != psutil.STATUS_ZOMBIE] == []


def test_a_killed_child_is_replaced(tmp_path: Path):
    url, port = database(tmp_path), free_port()
    with started(tmp_path, url, "serve", port=port) as server:
        (first,) = processes(server)
        first.kill()
        ends = time.monotonic() + 60
        while not (others := [one for one in processes(server) if one.pid != first.pid]):
            assert time.monotonic() < ends
            time.sleep(0.1)
        time.sleep(3)
        assert others[0].is_running()
        assert server.poll() is None


def test_a_second_server_on_the_port_reports_that_it_is_in_use(tmp_path: Path):
    url, port = database(tmp_path), free_port()
    with started(tmp_path, url, "serve", port=port):
        argv = command("serve", "--port", str(port))
        second = subprocess.run(
            argv, env=settings(tmp_path, url), capture_output=True, text=True, timeout=60, check=False
        )
        assert second.returncode == 1
        assert f"127.0.0.1:{port}" in second.stderr
        assert "--port" in second.stderr
        assert "Traceback" not in second.stderr
