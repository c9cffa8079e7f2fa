"""URLs in tenant files are requested only at public addresses, never in the local network, and for a limited time."""

import gzip
import socket
import threading
from collections.abc import Iterator

import httpx
import pytest

from portal.adapters.tracker_client.deadline import DeadlineTransport
from portal.platform.clock import SystemClock
from portal.platform.config.variables import is_public
from portal.platform.errors import PictureUnusable
from portal.tenants.pictures.fetching import PictureDownloader
from tests.tenants.pictures.internet import LOGO, Internet, svg

MOST = 1_000


@pytest.fixture
def internet() -> Internet:
    return Internet()


def fetch(internet: Internet, address: str = LOGO) -> bytes:
    return PictureDownloader(SystemClock(), internet).fetch(address, MOST)


def test_a_picture_is_fetched(internet: Internet):
    internet.has(LOGO, svg())
    assert fetch(internet) == svg()


@pytest.mark.parametrize("size", [MOST, MOST + 1])
def test_the_size_of_a_fetched_file_is_limited(internet: Internet, size: int):
    internet.has(LOGO, b"x" * size)
    if size <= MOST:
        assert len(fetch(internet)) == size
        return
    with pytest.raises(PictureUnusable, match="more than"):
        fetch(internet)


def test_compressed_responses_are_not_decompressed(internet: Internet):
    internet.has(LOGO, gzip.compress(b"x" * 10_000_000), **{"content-encoding": "gzip"})
    with pytest.raises(PictureUnusable, match="compressed"):
        fetch(internet)


def test_three_redirects_are_followed_and_no_fourth(internet: Internet):
    for step in range(4):
        internet.has(f"https://cdn.example/{step}", status=302, location=f"/{step + 1}")
    internet.has("https://cdn.example/4", b"here")
    assert fetch(internet, "https://cdn.example/1") == b"here"
    with pytest.raises(PictureUnusable, match="3 redirects"):
        fetch(internet, "https://cdn.example/0")


@pytest.mark.parametrize("location", ["http://cdn.example/x", "file:///etc/passwd", "ftp://cdn.example", "//[::1"])
def test_redirects_are_followed_only_to_https(internet: Internet, location: str):
    internet.has(LOGO, status=301, location=location)
    with pytest.raises(PictureUnusable):
        fetch(internet)
    assert internet.asked == [LOGO]


@pytest.mark.parametrize("status", [204, 404, 500])
def test_other_responses_are_named(internet: Internet, status: int):
    internet.has(LOGO, status=status)
    with pytest.raises(PictureUnusable, match=f"www.acme.example answers {status}"):
        fetch(internet)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.1", "100.64.0.1", "224.0.0.1",
        "::1", "::", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254",
        "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "240.0.0.1", "255.255.255.255",
    ],
)  # fmt: skip
def test_private_addresses_are_recognised(address: str):
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:4700::1111", "64:ff9b::5db8:d70e"])
def test_public_addresses_are_recognised(address: str):
    assert is_public(address)


@pytest.fixture
def neighbour() -> Iterator[tuple[int, list[str]]]:
    """Yield the port of a listener on this machine, and the connections to it."""
    seen: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def listen() -> None:
            try:
                while True:
                    connection, _ = server.accept()
                    seen.append("connected")
                    connection.close()
            except OSError:
                return

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        yield server.getsockname()[1], seen
        server.shutdown(socket.SHUT_RDWR)
        thread.join(5)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_local_servers_are_not_connected_to(neighbour: tuple[int, list[str]], host: str):
    port, seen = neighbour
    with pytest.raises(PictureUnusable, match="private network"):
        PictureDownloader(SystemClock()).fetch(f"https://{host}:{port}/logo.svg", MOST)
    assert seen == []


def test_a_local_server_is_connected_to_if_allowed(neighbour: tuple[int, list[str]]):
    """Otherwise the previous test would prove nothing."""
    port, seen = neighbour
    with pytest.raises(PictureUnusable, match="cannot be reached"):
        PictureDownloader(SystemClock(), DeadlineTransport()).fetch(f"https://127.0.0.1:{port}/logo.svg", MOST)
    assert seen == ["connected"]


def test_an_unreachable_host_is_named_without_a_traceback(internet: Internet):
    with pytest.raises(PictureUnusable, match=r"www\.acme\.example cannot be reached: Name or service not known"):
        fetch(internet)


def test_a_truncated_response_is_rejected(internet: Internet):
    def cut() -> httpx.Response:
        raise httpx.RemoteProtocolError("peer closed connection")

    internet.pages[LOGO] = cut
    with pytest.raises(PictureUnusable, match="peer closed"):
        fetch(internet)
