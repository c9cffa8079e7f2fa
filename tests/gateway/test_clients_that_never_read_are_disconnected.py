"""On the real server, connections that never read a response block it only until their time limit."""

import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.parts.process import accepts, free_port, private_folder, running
from tests.site.small_site import ROOT

AT_MOST = 100
UNREAD = 4.0
OF_NETWORK = 10
SERVER = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))  # the server takes half of them for connections
from portal.cli import server
from portal.platform.logs import Part
server.run(sys.argv[2], "127.0.0.1", int(sys.argv[1]), part=Part.SERVE, workers=1, stop_timeout=5)
"""


@pytest.fixture
def serving() -> Iterator:
    with ExitStack() as running_ones:

        def start(factory: str) -> int:
            port = free_port()
            home = running_ones.enter_context(private_folder())
            environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
            argv = [sys.executable, "-c", SERVER, str(port), f"{__name__}:{factory}"]
            running_ones.enter_context(
                running(argv, log=home / "log", ready=lambda: accepts(port), cwd=home, env=environment)
            )
            return port

        yield start


def unread_for_seconds():
    return _site(unread=UNREAD)


def few_of_a_network():
    return _site(connections_per_network=OF_NETWORK)


def _site(**more):
    from pathlib import Path

    from portal.gateway.serving import rsgi_application
    from tests.site.small_site import Site

    site = Site(Path.cwd(), base_url="http://127.0.0.1")
    site.tenant("acme")
    return rsgi_application(site.app, threads=4, bodies_per_network=20, **more)


def was_ended(line: socket.socket) -> bool:
    """Return whether the server has closed the connection, without reading from it."""
    return line.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1) != b"\x01"  # TCP_ESTABLISHED


def ask(
    port: int, address: str = "127.0.0.1", *, times: int = 1, method: bytes = b"GET", path: bytes = b"/acme/"
) -> socket.socket:
    """Send a request over a connection with a small window, so that the kernel buffers little of the response."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
    line.settimeout(60)
    line.bind((address, 0))
    line.connect(("127.0.0.1", port))
    line.sendall((method + b" " + path + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") * times)
    return line


def answers(port: int, address: str, *, within: float) -> bool:
    with socket.create_connection(("127.0.0.1", port), timeout=within, source_address=(address, 0)) as line:
        line.sendall(b"GET /acme/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        try:
            return line.recv(9) == b"HTTP/1.1 "
        except TimeoutError:
            return False


def is_closed(line: socket.socket) -> bool:
    line.settimeout(0.1)
    try:
        while line.recv(65_536):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


def test_a_server_full_of_unread_connections_recovers(serving):
    port = serving("unread_for_seconds")
    assert answers(port, "127.0.0.1", within=60)
    with ExitStack() as opened:
        for _ in range(AT_MOST + 20):
            opened.enter_context(ask(port, times=16, path=b"/static/css/site.css"))
        assert not answers(port, "127.0.9.1", within=1), "the unread connections hold every slot"
        assert answers(port, "127.0.9.1", within=60)


def test_the_longest_idle_connections_of_a_network_over_its_limit_are_closed(serving):
    port = serving("few_of_a_network")
    assert answers(port, "127.0.0.1", within=60)
    with ExitStack() as opened:
        held = []
        for _ in range(OF_NETWORK + 4):
            held.append(opened.enter_context(ask(port, "127.0.5.1", method=b"HEAD")))
            held[-1].recv(1, socket.MSG_PEEK)  # the response has arrived and is not read
            time.sleep(0.02)  # the kernel measures idle time in steps of four milliseconds
        other = opened.enter_context(ask(port, "127.0.6.1", method=b"HEAD"))
        deadline = time.monotonic() + 20  # seconds; less than the server keeps a connection without a request
        while not all(map(was_ended, held[:4])) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert [was_ended(line) for line in held] == [True] * 4 + [False] * OF_NETWORK
        assert not was_ended(other)
