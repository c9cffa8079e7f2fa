"""`GET http://host/path` asks for that host's path, whatever the Host header says (RFC 9112 §3.2.2)."""

import socket

import pytest


def status(port: int, target: str, host: str) -> int:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
        line.sendall(f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        return int(line.makefile("rb").readline().split()[1])


@pytest.mark.parametrize(
    ("target", "host", "expected"),
    [
        ("/acme/", "127.0.0.1", 200),
        ("http://127.0.0.1/acme/", "127.0.0.1", 200),
        ("http://127.0.0.1/acme/", "elsewhere.example", 200),
        ("http://elsewhere.example/acme/", "127.0.0.1", 400),
        ("http://someone@127.0.0.1/acme/", "127.0.0.1", 400),
        ("/acme/", "elsewhere.example", 400),
        ("/acme/?to=http://127.0.0.1/", "elsewhere.example", 400),
    ],
)
def test_the_host_of_the_target_overrides_the_host_header(port, target, host, expected):
    assert status(port, target, host) == expected
