"""Access to the metrics of portal and tracking service: from this machine without a proxy, or with the token."""

import hmac
import ipaddress
import re
from collections.abc import Mapping
from typing import Any


def may_see(environ: Mapping[str, Any], *, token: str | None, base_url: str, proxies: int = 0) -> bool:
    """Return whether a request (its WSGI environment) may read metrics.

    base_url: the server's public address. https implies a proxy, because this server does not speak TLS. proxies: how
    many proxies are trusted to name the client.
    """
    is_behind_one = proxies > 0 or base_url.startswith("https:")
    return (not is_behind_one and _is_from_here(environ)) or _has_token(environ.get("HTTP_AUTHORIZATION", ""), token)


def refusal(*, token: str | None, setting: str) -> tuple[int, str, dict[str, str]]:
    """Return status, text and headers of the rejection. setting: the variable that sets the token."""
    if token is not None:
        return 401, "a bearer token is needed\n", {"WWW-Authenticate": "Bearer"}
    return 403, f"answers this machine alone: set {setting}\n", {}


_OF_PROXIES = ("HTTP_X_FORWARDED", "HTTP_FORWARDED", "HTTP_VIA", "HTTP_X_REAL_IP", "HTTP_CF_", "HTTP_TRUE_CLIENT_IP")


def is_forwarded(environ: Mapping[str, Any]) -> bool:
    """Return whether a proxy is evident: by a header, or by HTTP/1.0, which nginx uses unless configured otherwise."""
    speaks_old = environ.get("SERVER_PROTOCOL") == "HTTP/1.0"
    return speaks_old or any(name.startswith(_OF_PROXIES) for name in environ)


def _is_from_here(environ: Mapping[str, Any]) -> bool:
    """Return whether this machine is the client, not a proxy on it; Host reveals a proxy that adds no headers."""
    host = re.sub(r":\d*$", "", environ.get("HTTP_HOST", "")).lower()
    return not is_forwarded(environ) and is_loopback(environ.get("REMOTE_ADDR", "")) and is_loopback(host)


def is_loopback(host: str) -> bool:
    """Return whether an address or a host name (that a server listens on or is requested by) is loopback."""
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
