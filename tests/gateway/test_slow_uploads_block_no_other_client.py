"""On the real server, clients that send slowly or endlessly delay no one else and are rejected in the end."""

import select
import socket
import time
from contextlib import ExitStack

import pytest

AT_ONCE = 30
OF_NETWORK = 20


def wire(port: int, address: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=60, source_address=(address, 0))


def begin(line: socket.socket, path: str, length: int, body: bytes) -> None:
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
    line.sendall(head.encode() + body)


def answer(line: socket.socket) -> bytes:
    whole = b""
    while chunk := line.recv(65_536):
        whole += chunk
    return whole


def get(port: int, path: str) -> bytes:
    with wire(port) as line:
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        return answer(line)


def test_pages_and_later_forms_are_served_while_the_most_allowed_bodies_arrive_slowly(port):
    with ExitStack() as opened:
        dripping = []
        for number in range(AT_ONCE):
            line = opened.enter_context(wire(port, f"127.0.{number // OF_NETWORK}.1"))
            begin(line, "/acme/jobs/1/apply", 1_000, b"x")
            dripping.append(line)
        time.sleep(1)
        started = time.monotonic()
        for path in ("/acme/jobs/1", "/acme/jobs/1", "/acme/", "/acme/fails/404"):
            assert get(port, path).startswith((b"HTTP/1.1 200", b"HTTP/1.1 404"))
        with wire(port, "127.0.1.77") as line:
            begin(line, "/acme/jobs/1/apply", 4, b"form")
            refused = answer(line)
        with wire(port, "127.0.77.1") as line:
            begin(line, "/acme/jobs/1/apply", 4, b"form")
            assert answer(line).startswith(b"HTTP/1.1 200"), "a network without a body in progress is accepted"
        assert time.monotonic() - started < 9, "the slow client is still connected"
        assert refused.startswith(b"HTTP/1.1 503")
        assert b"what you entered is still there" in refused
        assert b"retry-after: 30" in refused.lower()
        for line in dripping:
            slow = answer(line)
            assert slow.startswith(b"HTTP/1.1 408")
            assert b"what you entered is still there" in slow
    with wire(port) as line:
        begin(line, "/acme/jobs/1/apply", 4, b"form")
        assert answer(line).startswith(b"HTTP/1.1 200")


def test_slow_uploads_of_one_network_do_not_delay_the_forms_of_another(port):
    with ExitStack() as opened:
        lines = [opened.enter_context(wire(port, "127.0.50.1")) for _ in range(OF_NETWORK + 1)]
        for line in lines:
            begin(line, "/acme/jobs/1/apply", 1_000, b"x")
        answered, _, _ = select.select(lines, [], [], 5)
        assert [answer(line)[:12] for line in answered] == [b"HTTP/1.1 503"]
        with wire(port, "127.0.51.1") as other:
            begin(other, "/acme/jobs/1/apply", 4, b"form")
            assert answer(other).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    ("path", "status"), [("/acme/", b"405"), ("/acme/nothing", b"404"), ("/acme/jobs/a.b", b"405")]
)
def test_a_small_body_on_a_route_without_bodies_still_gets_its_page(port, path, status):
    with wire(port) as line:
        begin(line, path, 60_000, b"x" * 60_000)
        page = answer(line)
    assert page.startswith(b"HTTP/1.1 " + status)
    assert page.rstrip().endswith(b"</html>")


def test_an_endless_body_on_a_route_without_bodies_is_cut_off(port):
    with wire(port) as line:
        begin(line, "/acme/nothing", 1_000_000_000, b"")
        with pytest.raises(OSError, match=r"pipe|reset"):
            send_without_end(line)
    assert get(port, "/acme/").startswith(b"HTTP/1.1 200")


def send_without_end(line: socket.socket) -> None:
    for _ in range(1_000):
        line.sendall(bytes(1_000_000))
