"""The real server handles malformed and slow connections."""

import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx
import pytest

from tests.parts.demo import RunningDemo

pytestmark = pytest.mark.xdist_group("demo")
IDLE = 1_300
"""More than a server takes at once where nobody thought of it (1,024)."""


@pytest.fixture
def many_files() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_http_2_without_tls_is_rejected(demo: RunningDemo):
    for address in (demo.portal, demo.service):
        with socket.create_connection(("127.0.0.1", urlsplit(address).port or 0), timeout=20) as line:
            line.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0")
            answer = line.recv(100)
        assert answer == b"" or answer.startswith(b"HTTP/1.1 4"), "a frame of HTTP/2 was sent"


def test_silent_connections_delay_no_other_client(demo: RunningDemo, many_files: None):
    with ExitStack() as opened:
        for _ in range(IDLE):
            line = socket.create_connection(("127.0.0.1", urlsplit(demo.portal).port or 0), timeout=20)
            opened.enter_context(line)
        started = time.monotonic()
        assert httpx.get(f"{demo.portal}/acme/", trust_env=False, timeout=30).status_code == 200
        assert time.monotonic() - started < 8, "it waited until the others were disconnected"


def test_a_client_that_never_sends_a_request_is_disconnected(demo: RunningDemo):
    with socket.create_connection(("127.0.0.1", urlsplit(demo.portal).port or 0), timeout=40) as line:
        line.sendall(b"GET /acme/ HTT")
        assert line.recv(100)[:12] in {b"", b"HTTP/1.1 408"}


HIDDEN = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize(
    ("lengths", "before", "answers"),
    [
        ("Content-Length: 0\r\n", "", 2),  # not smuggled: one request after the other
        ("Content-Length: {all}\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n", 1),
        ("Content-Length: 0\r\nContent-Length: {all}\r\n", "", 1),
        ("Transfer-Encoding: xchunked\r\nContent-Length: {all}\r\n", "", 1),
        ("Transfer-Encoding : chunked\r\nContent-Length: {all}\r\n", "0\r\n\r\n", 1),
    ],
)
def test_request_smuggling_is_prevented(demo: RunningDemo, lengths: str, before: str, answers: int):
    """A proxy that used the other length would give the smuggled request's response to the next visitor."""
    for address in (demo.portal, demo.service):
        said = lengths.format(all=len(before + HIDDEN))
        head = f"POST /acme/nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n{said}\r\n"
        assert spoken(demo, head + before + HIDDEN, address).count(b"HTTP/1.1 ") == answers


def test_an_unencoded_query_is_accepted(demo: RunningDemo):
    answer = spoken(demo, "GET /acme/?q=é HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200")
    assert 'value="é"'.encode() in answer


def test_a_websocket_request_gets_a_page_and_no_log_line(demo: RunningDemo):
    upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    upgrade += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    with socket.create_connection(("127.0.0.1", urlsplit(demo.portal).port or 0), timeout=20) as line:
        line.sendall(f"GET /acme/ HTTP/1.1\r\nHost: 127.0.0.1\r\n{upgrade}\r\n".encode())
        assert line.recv(100).startswith((b"HTTP/1.1 200", b"HTTP/1.1 4"))
    assert "Traceback" not in demo.log.read_text()


def spoken(demo: RunningDemo, request: str, address: str = "") -> bytes:
    with socket.create_connection(("127.0.0.1", urlsplit(address or demo.portal).port or 0), timeout=20) as line:
        line.sendall(request.encode())
        whole = b""
        while chunk := line.recv(65_536):
            whole += chunk
        return whole
