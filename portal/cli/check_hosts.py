"""Whether a tenant's own hosts lead here, as somebody out there finds it, and what the proxy in front must send."""

import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx

from portal.cli.preflight import Line
from portal.settings import Settings
from portal.tenants.addresses import beside
from portal.tenants.model import Tenant
from portal.web import own_hosts

_SECONDS = 5.0
_AT_ONCE = 8
Resolve = Callable[[str], list[str]]
"""A host's name → its addresses. Raises OSError."""


def _resolve(host: str) -> list[str]:
    return sorted({str(found[4][0]) for found in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)})


def lines(
    tenant: Tenant, settings: Settings, *, resolve: Resolve = _resolve, transport: httpx.BaseTransport | None = None
) -> Iterator[Line]:
    """A line for each host, none of which fails: a name may be set up after the portal. transport: for tests."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = pool.map(lambda host: _in_time(lambda: _trouble(host, settings, resolve, transport)), tenant.site.hosts)
        for host, trouble in zip(tenant.site.hosts, found, strict=True):
            says = trouble or f"leads here; {_sends(settings)}"
            yield Line(f"host {host}", ok=True, says=says, warns=bool(trouble))


def _sends(settings: Settings) -> str:
    return (
        "the proxy sends Host unchanged (or X-Forwarded-Host), X-Forwarded-Proto and X-Forwarded-For, and "
        f"PORTAL_TRUSTED_PROXIES, {settings.trusted_proxies} now, says how many do"
    )


def _trouble(host: str, settings: Settings, resolve: Resolve, transport: httpx.BaseTransport | None) -> str:
    origin = beside(settings.base_url, host)
    scheme = origin.partition(":")[0]
    try:
        found = ", ".join(resolve(host)[:4])
    except OSError:
        return "the name has no address: point it to this server by an A, AAAA or CNAME record"
    try:
        with httpx.Client(timeout=_SECONDS - 1, trust_env=False, transport=transport) as client:
            answer = client.get(f"{origin}{own_hosts.ADDRESS}", params={"domain": host})
    except httpx.HTTPError as error:
        return f"leads to {found}, where {origin} does not answer ({str(error)[:120] or type(error).__name__})"
    said = answer.text[:200]
    if answer.status_code != httpx.codes.OK or not said.startswith("careers-portal "):
        return f"leads to {found}, where something else answers ({answer.status_code}), or a portal without this host"
    if said == own_hosts.answer(host=host, domain=host, scheme=scheme):
        return ""
    wrong = "does not pass the name on" if "by this host" not in said else f"does not say that it was asked by {scheme}"
    return f"leads here, but a proxy in between {wrong}: {_sends(settings)}"


def _in_time(job: Callable[[], str]) -> str:
    """What the job says, if it says it in time: a resolver that does not answer cannot be told to stop."""
    said: list[str] = []
    thread = threading.Thread(target=lambda: said.append(job()), daemon=True)
    thread.start()
    thread.join(_SECONDS)
    return said[0] if said else f"could not be looked up within {_SECONDS:g} seconds"
