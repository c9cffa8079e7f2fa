"""Health checks respond on a separate socket while idle clients hold every connection of `portal serve`."""

import shutil
import socket
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from tests.journeys.server import command, settings
from tests.parts.process import free_port, running
from tests.schemas import PORTAL, sqlite_copy

pytestmark = pytest.mark.verify

OPEN_FILES = 200
"""The server takes half of them for connections."""


def get(port: int, path: str, seconds: float = 20) -> httpx.Response:
    return httpx.get(f"http://127.0.0.1:{port}{path}", trust_env=False, timeout=seconds)


def never_reading(port: int, network: int) -> socket.socket:
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
    line.bind((f"127.0.{network}.1", 0))
    line.connect(("127.0.0.1", port))
    line.sendall(b"GET /acme/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 200)
    return line


def test_health_checks_have_a_socket_of_their_own(tmp_path: Path):
    port, health = free_port(), free_port()
    database = f"sqlite:///{sqlite_copy(tmp_path / 'portal.db', PORTAL).removeprefix('sqlite:///')}"
    argv = [shutil.which("prlimit") or "prlimit", f"--nofile={OPEN_FILES}:{OPEN_FILES}"]
    argv += command("serve", "--port", str(port), "--health-listen", f"127.0.0.1:{health}")

    def ready() -> bool:
        try:
            return get(port, "/healthz").is_success
        except httpx.HTTPError:
            return False

    log = tmp_path / "log"
    with running(argv, log=log, ready=ready, env=settings(tmp_path, database)), ExitStack() as opened:
        for network in (1, 2, 3):
            for _ in range(OPEN_FILES // 5):
                opened.enter_context(never_reading(port, network))
        with pytest.raises(httpx.TimeoutException):
            get(port, "/healthz", seconds=2)
        assert get(health, "/healthz").text == "ok\n"
        assert get(health, "/readyz").json()["ready"] is True
        assert get(health, "/acme/").status_code == 404, "it is for monitoring alone"
        assert f"health checks are answered on 127.0.0.1 port {health}" in log.read_text()
