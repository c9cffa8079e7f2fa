"""Fetches the file behind a URL of a tenant file, within limits of time and size.

Authors of tenant files choose what this machine connects to, so no connection may lead into a private network: not to
this machine, not to its neighbours, not to a cloud's credential service. The IP address is checked when the connection
is made, also after a redirect.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import urljoin, urlsplit

import httpx

from portal.adapters.tracker_client.deadline import DeadlineTransport, exchange
from portal.platform.clock import Clock
from portal.platform.errors import PictureUnusable

_SECONDS = 20
_MOST_REDIRECTS = 3
_TRANSLATED = IPv6Network("64:ff9b::/96")
"""RFC 6052: IPv4 addresses as IPv6-only networks reach them, through a translator."""
_IPV4_SPECIAL = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network: RFC 791
            "10.0.0.0/8",  # private use: RFC 1918
            "100.64.0.0/10",  # shared by the customers of a provider: RFC 6598
            "127.0.0.0/8",  # loopback: RFC 1122
            "169.254.0.0/16",  # link-local, and the credentials of clouds: RFC 3927
            "172.16.0.0/12",  # private use: RFC 1918
            "192.0.0.0/24",  # protocol assignments, 192.0.0.8 of RFC 7600 among them: RFC 6890
            "192.0.2.0/24",  # documentation: RFC 5737
            "192.31.196.0/24",  # AS112: RFC 7535
            "192.52.193.0/24",  # multicast tunnels: RFC 7450
            "192.88.99.0/24",  # 6to4 relays, deprecated: RFC 7526
            "192.168.0.0/16",  # private use: RFC 1918
            "192.175.48.0/24",  # AS112: RFC 7534
            "198.18.0.0/15",  # benchmarks: RFC 2544
            "198.51.100.0/24",  # documentation: RFC 5737
            "203.0.113.0/24",  # documentation: RFC 5737
            "224.0.0.0/4",  # multicast: RFC 5771
            "240.0.0.0/4",  # reserved: RFC 1112; its last one is broadcast: RFC 8190
        ),
    )
)
"""IANA's complete registry of special-purpose addresses (RFC 6890), and multicast. None of them has web servers."""
_IPV6_UNICAST = IPv6Network("2000::/3")
"""All of IPv6 that is assigned to users of the internet: RFC 4291, 2.4."""
_IPV6_SPECIAL = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments, Teredo among them: RFC 2928
            "2001:db8::/32",  # documentation: RFC 3849
            "2002::/16",  # 6to4, which wraps any IPv4 address: RFC 3056
            "2620:4f:8000::/48",  # AS112: RFC 7534
            "3fff::/20",  # documentation: RFC 9637
        ),
    )
)
"""The part of it that is in IANA's registry of special-purpose IPv6 addresses."""
_HEADERS = {
    "User-Agent": "careers-portal",
    "Accept": "image/svg+xml, image/webp, image/png, image/jpeg, image/gif;q=0.8",
    "Accept-Encoding": "identity",
}


def is_public(address: str) -> bool:
    """Return whether an IP address is on the public internet; an IPv4 address inside an IPv6 one is judged as IPv4.

    Uses its own tables: Python's `is_global` follows the registries as of its own release.
    """
    found = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address):
        wrapped = IPv4Address(int(found) & 0xFFFFFFFF) if found in _TRANSLATED else found.ipv4_mapped
        if wrapped is None:
            return found in _IPV6_UNICAST and not any(found in block for block in _IPV6_SPECIAL)
        found = wrapped
    return not any(found in block for block in _IPV4_SPECIAL)


class Web:
    """A downloader. transport: for tests; replaces the network and the check of addresses."""

    def __init__(self, clock: Clock, transport: httpx.BaseTransport | None = None) -> None:
        self._clock = clock
        self._client = httpx.Client(
            transport=transport or DeadlineTransport(may_reach=is_public), headers=_HEADERS, trust_env=False
        )

    def fetch(self, address: str, most: int) -> bytes:
        """Return the file, of `most` bytes at most. Raises PictureUnusable."""
        try:
            with exchange(self._clock, _SECONDS):
                for _ in range(_MOST_REDIRECTS + 1):
                    found = self._ask(address, most)
                    if isinstance(found, bytes):
                        return found
                    address = found
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as exc:  # ValueError: not a valid URL
            raise PictureUnusable(
                f"{_host(address)} cannot be reached: {str(exc)[:150] or type(exc).__name__}"
            ) from exc
        raise PictureUnusable(f"more than {_MOST_REDIRECTS} redirects, the last to {_host(address)}")

    def close(self) -> None:
        """Close every connection."""
        self._client.close()

    def _ask(self, address: str, most: int) -> bytes | str:
        """Return the file, or the URL that it redirects to."""
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
