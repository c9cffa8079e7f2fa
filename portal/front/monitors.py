"""Who may see figures, of the portal and of the service: this machine with no proxy in front, or who has the token."""

import hmac
import ipaddress
import re
from collections.abc import Mapping
from typing import Any


def may_see(environ: Mapping[str, Any], *, token: str | None, base_url: str, proxies: int = 0) -> bool:
    """Whether a request (WSGI's environment) comes from there.

    base_url: where the public reaches this server. https means a proxy, for TLS is not spoken here. proxies: how many
    are trusted to say who asks.
    """
    is_behind_one = proxies > 0 or base_url.startswith("https:")
    return (not is_behind_one and _is_from_here(environ)) or _has_token(environ.get("HTTP_AUTHORIZATION", ""), token)


def refusal(*, token: str | None, setting: str) -> tuple[int, str, dict[str, str]]:
    """Status, text and headers for everybody else. setting: the variable that names the token."""
    if token is not None:
        return 401, "a bearer token is needed\n", {"WWW-Authenticate": "Bearer"}
    return 403, f"answers this machine alone: set {setting}\n", {}


_OF_PROXIES = ("HTTP_X_FORWARDED", "HTTP_FORWARDED", "HTTP_VIA", "HTTP_X_REAL_IP", "HTTP_CF_", "HTTP_TRUE_CLIENT_IP")


def is_forwarded(environ: Mapping[str, Any]) -> bool:
    """Whether a proxy shows itself: by a header, or by HTTP/1.0, which nginx asks in where nothing else was set."""
    speaks_old = environ.get("SERVER_PROTOCOL") == "HTTP/1.0"
    return speaks_old or any(name.startswith(_OF_PROXIES) for name in environ)


def _is_from_here(environ: Mapping[str, Any]) -> bool:
    """Whether this machine asks, and not a proxy on it for somebody else; a silent one is known by Host."""
    host = re.sub(r":\d*$", "", environ.get("HTTP_HOST", "")).lower()
    return not is_forwarded(environ) and is_loopback(environ.get("REMOTE_ADDR", "")) and is_loopback(host)


def is_loopback(host: str) -> bool:
    """Whether an address, or a name that a server listens on or is asked by, is this machine's alone."""
    try:
        found = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return host == "localhost"
    mapped = getattr(found, "ipv4_mapped", None)
    return bool((mapped or found).is_loopback)


def _has_token(authorization: str, token: str | None) -> bool:
    kind, _, given = authorization.partition(" ")
    return (
        token is not None
        and kind.lower() == "bearer"
        and hmac.compare_digest(given.strip().encode("utf-8", "replace"), token.encode())
    )
