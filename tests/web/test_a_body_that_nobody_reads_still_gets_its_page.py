"""Somebody who sends far too much gets a page, not a broken connection: on the real server, over a real socket."""

import socket
import sys
from collections.abc import Iterator

import pytest

from tests.parts.process import accepts, free_port, private_folder, running
from tests.web.site import ROOT

MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    number = free_port()
    argv = [sys.executable, "-m", "granian", "--interface", "wsgi", "--factory", "--host", "127.0.0.1"]
    argv += ["--port", str(number), "--blocking-threads", "2", "--log-level", "warning", "tests.web.site:serving"]
    with private_folder() as home:
        environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
        with running(argv, log=home / "log", ready=lambda: accepts(number), cwd=home, env=environment):
            yield number


def send(port: int, path: str, megabytes: int) -> bytes:
    """Send all of the body before reading a byte of the answer, as browsers do."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as wire:
        length = megabytes * MEGABYTE
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
        wire.sendall(head.encode())
        for _ in range(megabytes):
            wire.sendall(b"x" * MEGABYTE)
        answer = b""
        while chunk := wire.recv(65_536):
            answer += chunk
        return answer


@pytest.mark.parametrize(
    ("path", "status"), [("/acme/", b"405"), ("/acme/nothing", b"404"), ("/acme/jobs/a.b", b"405")]
)
def test_the_page_arrives_whole(port, path, status):
    answer = send(port, path, 30)
    assert answer.startswith(b"HTTP/1.1 " + status)
    assert answer.rstrip().endswith(b"</html>")


def test_the_server_goes_on(port):
    assert send(port, "/acme/", 1).startswith(b"HTTP/1.1 405")
