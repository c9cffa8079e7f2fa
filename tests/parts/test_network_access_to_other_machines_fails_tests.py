"""The loopback guard: what it blocks, what it allows, and that swallowing its error does not hide it."""

import contextlib
import socket
import tempfile
from pathlib import Path

import pytest

from tests.parts.loopback import Guard, OffLoopback


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("10.0.0.1", 22), ("0.0.0.0", 9)])  # noqa: S104  must be rejected
def test_connecting_beyond_loopback_is_rejected_and_recorded(address: tuple[str, int], loopback_guard: Guard) -> None:
    with socket.socket() as sock, pytest.raises(OffLoopback):
        sock.connect(address)
    assert len(loopback_guard.take()) == 1


def test_a_swallowed_error_is_still_recorded(loopback_guard: Guard) -> None:
    with socket.socket() as sock, contextlib.suppress(Exception):
        sock.connect(("192.0.2.1", 80))
    assert loopback_guard.take() == ["socket.connect to ('192.0.2.1', 80)"]


def test_resolving_a_public_name_is_rejected(loopback_guard: Guard) -> None:
    with pytest.raises(OffLoopback):
        socket.getaddrinfo("example.com", 443)
    assert len(loopback_guard.take()) == 1


def test_listening_beyond_loopback_is_rejected(loopback_guard: Guard) -> None:
    with socket.socket() as sock, pytest.raises(OffLoopback):
        sock.bind(("0.0.0.0", 0))  # noqa: S104  must be rejected
    assert len(loopback_guard.take()) == 1


def test_invalid_names_fail_without_a_recorded_attempt(loopback_guard: Guard) -> None:
    with pytest.raises(socket.gaierror):
        socket.create_connection(("tracker.invalid", 443))
    assert loopback_guard.take() == []


def test_loopback_and_unix_sockets_work(loopback_guard: Guard) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(("localhost", server.getsockname()[1])).close()
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(Path(folder) / "sock"))
    assert loopback_guard.take() == []
