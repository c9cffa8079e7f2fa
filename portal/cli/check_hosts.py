"""Checks whether a tenant's own hosts lead to this portal, seen from outside, and what the proxy in front must send."""

import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx

from portal.cli.preflight import CheckResult
from portal.platform.config.settings import Settings
from portal.site.routing import own_hosts
from portal.tenants.addresses import beside
from portal.tenants.model import Tenant

_SECONDS = 5.0
_AT_ONCE = 8
Resolve = Callable[[str], list[str]]
"""Host name → its IP addresses. Raises OSError."""


def _resolve(host: str) -> list[str]:
    return sorted({str(found[4][0]) for found in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)})


def lines(
    tenant: Tenant, settings: Settings, *, resolve: Resolve = _resolve, transport: httpx.BaseTransport | None = None
) -> Iterator[CheckResult]:
    """Yield one line for each host; none fails, since DNS may be set up after the portal. transport: for tests."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = pool.map(lambda host: _in_time(lambda: _trouble(host, settings, resolve, transport)), tenant.site.hosts)
        for host, trouble in zip(tenant.site.hosts, found, strict=True):
            says = trouble or f"points here; {_sends(settings)}"
            yield CheckResult(f"host {host}", ok=True, says=says, warns=bool(trouble))


def _sends(settings: Settings) -> str:
    return (
        "the proxy must send Host unchanged (or X-Forwarded-Host), X-Forwarded-Proto and X-Forwarded-For, and "
        f"PORTAL_TRUSTED_PROXIES (now {settings.trusted_proxies}) must say how many proxies do"
    )


def _trouble(host: str, settings: Settings, resolve: Resolve, transport: httpx.BaseTransport | None) -> str:
    origin = beside(settings.base_url, host)
    scheme = origin.partition(":")[0]
    try:
        found = ", ".join(resolve(host)[:4])
    except OSError:
        return "the name does not resolve: point it to this server with an A, AAAA or CNAME record"
    try:
        with httpx.Client(timeout=_SECONDS - 1, trust_env=False, transport=transport) as client:
            answer = client.get(f"{origin}{own_hosts.ADDRESS}", params={"domain": host})
    except httpx.HTTPError as error:
        return f"points to {found}, where {origin} does not respond ({str(error)[:120] or type(error).__name__})"
    said = answer.text[:200]
    if answer.status_code != httpx.codes.OK or not said.startswith("careers-portal "):
        return f"points to {found}, where something else responds ({answer.status_code}), or a portal without this host"
    if said == own_hosts.answer(host=host, domain=host, scheme=scheme):
        return ""
    wrong = (
        "does not forward the host name"
        if "by this host" not in said
        else f"does not report that the request came by {scheme}"
    )
    return f"points here, but a proxy in between {wrong}: {_sends(settings)}"


def _in_time(job: Callable[[], str]) -> str:
    """Return what the job returns, or an error text after a deadline: a resolver that hangs cannot be interrupted."""
    said: list[str] = []
    thread = threading.Thread(target=lambda: said.append(job()), daemon=True)
    thread.start()
    thread.join(_SECONDS)
    return said[0] if said else f"could not be looked up within {_SECONDS:g} seconds"
