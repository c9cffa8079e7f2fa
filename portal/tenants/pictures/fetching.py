"""Fetches the file behind a URL of a tenant file, within limits of time and size.

Authors of tenant files choose what this machine connects to, so no connection may lead into a private network: not to
this machine, not to its neighbours, not to a cloud's credential service. The IP address is checked when the connection
is made, also after a redirect.
"""

from urllib.parse import urljoin, urlsplit

import httpx

from portal.adapters.tracker_client.deadline import DeadlineTransport, exchange
from portal.platform.clock import Clock
from portal.platform.config.variables import is_public
from portal.platform.errors import PictureUnusable

_SECONDS = 20
_MOST_REDIRECTS = 3
_HEADERS = {
    "User-Agent": "careers-portal",
    "Accept": "image/svg+xml, image/webp, image/png, image/jpeg, image/gif;q=0.8",
    "Accept-Encoding": "identity",
}


class PictureDownloader:
    """Downloads pictures. transport: for tests; replaces the network and the check of addresses."""

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
        return "an invalid address"
