"""Who may come to the desk, and as whom.

Without PORTAL_CONSOLE_USER_HEADER: whoever sits at this machine. With it: whom a proxy names that asks from loopback or
from PORTAL_CONSOLE_PROXIES. A name that leads a browser here from another site (DNS rebinding) is told by the Host
header: it bears that site's name.
"""

import ipaddress
from enum import StrEnum
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from werkzeug.exceptions import Forbidden

from portal.acts.audit import By, Way, by_this_account
from portal.front.monitors import is_forwarded
from portal.logs import Seen, seen
from portal.settings import Settings

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


class Stranger(StrEnum):
    """Why somebody is not let in."""

    PEER = "peer"
    """The connection comes from elsewhere."""
    FORWARDED = "forwarded"
    """A proxy asks, and none is meant to."""
    HOST = "host"
    """A name led here that is not ours."""
    NAME = "name"
    """The proxy does not say who it is."""


_LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
_NAME_LIMIT = 100


def who_asks(environ: "WSGIEnvironment", settings: Settings) -> By:
    """Who acts. Raises Forbidden, whose description says what to do."""
    header = settings.console_user_header
    if not _is_near(environ.get("REMOTE_ADDR", ""), settings if header else None):
        raise _refused(Stranger.PEER, "This desk answers its own machine and the proxy in front of it alone.")
    if header is None and is_forwarded(environ):
        raise _refused(Stranger.FORWARDED, "A proxy asks. Behind one, set PORTAL_CONSOLE_USER_HEADER.")
    if not _is_our_host(environ, settings):
        where = "http://127.0.0.1 with its port, or the address in PORTAL_CONSOLE_ORIGIN"
        raise _refused(Stranger.HOST, f"The desk is not at this address. It is at {where}.")
    if header is None:
        return by_this_account(Way.DESK)
    name = environ.get(f"HTTP_{header.upper().replace('-', '_')}", "").strip()
    # Two lines of one header arrive joined by a comma: one of them would be its sender's own.
    if not 0 < len(name) <= _NAME_LIMIT or not name.isprintable() or "," in name:
        raise _refused(
            Stranger.NAME,
            f"The proxy has to say who you are: one line of {header}, up to 100 letters of ASCII, no comma.",
        )
    return By(name, Way.DESK)


def own_origins(environ: "WSGIEnvironment", settings: Settings) -> set[str]:
    """Of this desk, by the Host header, which who_asks has checked."""
    host = environ.get("HTTP_HOST", "").lower()
    return {f"http://{host}", *([settings.console_origin] if settings.console_origin else [])}


def _refused(reason: Stranger, says: str) -> Forbidden:
    seen(Seen.CONSOLE_REFUSED, reason=reason)
    return Forbidden(says)


def _is_near(address: str, settings: Settings | None) -> bool:
    """Whether the connection itself comes from this machine, or from a proxy that is named."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    found = getattr(found, "ipv4_mapped", None) or found
    return found.is_loopback or any(found in network for network in (settings.console_proxies if settings else ()))


def _is_our_host(environ: "WSGIEnvironment", settings: Settings) -> bool:
    host = environ.get("HTTP_HOST", "").lower()
    if host in {f"{name}:{environ.get('SERVER_PORT', '')}" for name in _LOOPBACK}:
        return True
    if settings.console_user_header is None:
        return False
    if settings.console_origin and host == urlsplit(settings.console_origin).netloc.lower():
        return True
    return _is_number(host)


def _is_number(host: str) -> bool:
    """An address in numbers is no name that could be led elsewhere: proxies ask by the one that they forward to."""
    try:
        ipaddress.ip_address(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False
    return True
