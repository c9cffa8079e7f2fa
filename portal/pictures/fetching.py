"""The address in a tenant's file → the bytes behind it, within bounds of time and size.

Who writes tenant files decides where this machine connects to, so no connection leads into a private network: not to
this machine, not to its neighbours, not to a cloud's service of credentials. What a name leads to is looked at when
the connection is made, also after a redirect.
"""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urljoin, urlsplit

import httpx

from portal.clock import Clock
from portal.errors import PictureUnusable
from portal.upstream.deadline import DeadlineTransport, exchange

_SECONDS = 20
_MOST_REDIRECTS = 3
_NAT64 = IPv6Network("64:ff9b::/96")
_HEADERS = {
    "User-Agent": "careers-portal",
    "Accept": "image/svg+xml, image/webp, image/png, image/jpeg, image/gif;q=0.8",
    "Accept-Encoding": "identity",
}


def is_public(address: str) -> bool:
    """Whether an IP address is one of the internet; one that wraps another is what that is."""
    found = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address):
        wrapped = IPv4Address(int(found) & 0xFFFFFFFF) if found in _NAT64 else found.ipv4_mapped or found.sixtofour
        found = wrapped or found
    return found.is_global and not found.is_multicast


class Web:
    """Fetches files. transport: replaces the network in tests, and what may be reached with it."""

    def __init__(self, clock: Clock, transport: httpx.BaseTransport | None = None) -> None:
        self._clock = clock
        self._client = httpx.Client(
            transport=transport or DeadlineTransport(may_reach=is_public), headers=_HEADERS, trust_env=False
        )

    def fetch(self, address: str, most: int) -> bytes:
        """The file, of `most` bytes at most. Raises PictureUnusable."""
        try:
            with exchange(self._clock, _SECONDS):
                for _ in range(_MOST_REDIRECTS + 1):
                    found = self._ask(address, most)
                    if isinstance(found, bytes):
                        return found
                    address = found
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as exc:  # ValueError: an address that cannot be one
            raise PictureUnusable(
                f"{_host(address)} cannot be reached: {str(exc)[:150] or type(exc).__name__}"
            ) from exc
        raise PictureUnusable(f"more than {_MOST_REDIRECTS} redirects, the last to {_host(address)}")

    def close(self) -> None:
        """Close every connection."""
        self._client.close()

    def _ask(self, address: str, most: int) -> bytes | str:
        """The file, or the address that it is redirected to."""
        if urlsplit(address).scheme != "https":
            raise PictureUnusable(f"it is redirected to {_host(address)} without https")
        with self._client.stream("GET", address) as answer:
            if answer.has_redirect_location:
                return urljoin(address, answer.headers["location"])
            if answer.status_code != httpx.codes.OK:
                raise PictureUnusable(f"{_host(address)} answers {answer.status_code}")
            if answer.headers.get("content-encoding", "identity") != "identity":
                raise PictureUnusable(f"{_host(address)} sends it compressed, though asked not to")
            body = bytearray()
            for piece in answer.iter_raw():
                body += piece
                if len(body) > most:
                    raise PictureUnusable(f"the file has more than {most // 1024 // 1024} MB")
            return bytes(body)


def _host(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "an address without host")[:100]
    except ValueError:
        return "an address that is none"
