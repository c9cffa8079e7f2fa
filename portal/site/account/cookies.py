"""The two cookies of self-service: one for a browser that requested a code, one for a session. Each holds a random
token and nothing else.

Over https their names begin with `__Host-`: a browser then accepts them only with Secure, for exactly this host and all
of its paths, so neither a subdomain nor plain http can replace them.
"""

from flask import Request, Response

from portal.services import Services
from portal.tenants.model import Tenant

ASKED = "asked"
SESSION = "session"


def read(request: Request, services: Services, tenant: Tenant, kind: str) -> str | None:
    """Return the token in a tenant's cookie; None without one, or if its value cannot be a token of this portal."""
    value = request.cookies.get(_name(services, tenant, kind), "")
    return value if 20 <= len(value) <= 100 and value.isascii() else None


def put(response: Response, services: Services, tenant: Tenant, kind: str, token: str, *, seconds: int | None) -> None:
    """Set a cookie. seconds: None until the browser closes; the session itself ends earlier on the server."""
    response.set_cookie(
        _name(services, tenant, kind),
        token,
        max_age=seconds,
        path="/",
        secure=_is_https(services),
        httponly=True,
        samesite="Lax",
    )


def drop(response: Response, services: Services, tenant: Tenant, kind: str) -> None:
    """Delete a cookie in the browser."""
    response.delete_cookie(
        _name(services, tenant, kind), path="/", secure=_is_https(services), httponly=True, samesite="Lax"
    )


def _name(services: Services, tenant: Tenant, kind: str) -> str:
    return f"{'__Host-' if _is_https(services) else ''}{kind}-{tenant.slug}"


def _is_https(services: Services) -> bool:
    return services.settings.base_url.startswith("https://")
