"""Clients that connect to the socket for health checks and send nothing, or a byte at a time, keep no check waiting."""

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import httpx
import pytest

from portal.gateway.health_server import HealthServer, answering
from tests.parts.process import free_port

MORE_THAN_IT_SERVES = 40


@pytest.fixture
def port() -> Iterator[int]:
    port = free_port()
    server = HealthServer("127.0.0.1", port, answering(lambda: True), ["/healthz"])
    server.begin()
    yield port
    server.shutdown()
    server.server_close()


def trickle(line: socket.socket, stop: threading.Event) -> None:
    with suppress(OSError):
        while not stop.wait(0.05):
            line.sendall(b"G")


@pytest.mark.parametrize("sends", [False, True])
def test_health_checks_are_answered_beside_any_number_of_slow_clients(port: int, *, sends: bool):
    stop = threading.Event()
    with ExitStack() as opened:
        opened.callback(stop.set)
        lines = [
            opened.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(MORE_THAN_IT_SERVES)
        ]
        for line in lines if sends else ():
            threading.Thread(target=trickle, args=(line, stop), daemon=True).start()
        for _ in range(3):
            answer = httpx.get(f"http://127.0.0.1:{port}/healthz", trust_env=False, timeout=5)
            assert (answer.text, answer.headers["content-type"]) == ("ok\n", "text/plain; charset=utf-8")


@pytest.mark.parametrize("asked", ["GET /healthz HTTP/1.1", "GET /other HTTP/1.1", "GET /healthz of HTTP/1.1"])
def test_health_check_responses_disable_content_sniffing(port: int, asked: str):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall(f"{asked}\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: line.recv(4096), b"")).decode()
    assert answer.partition("\r\n\r\n")[0].lower().count("x-content-type-options: nosniff") == 1
