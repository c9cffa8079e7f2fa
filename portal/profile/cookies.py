"""The two cookies of self-service: who asked for a code, and who is signed in. Each holds a random token, no more.

Over https their names begin with `__Host-`: a browser then takes them only with Secure, for this very host and the
whole of it, so that neither a subdomain nor plain http can put its own in their place.
"""

from flask import Request, Response

from portal.parts import Parts
from portal.tenants.model import Tenant

ASKED = "asked"
SESSION = "session"


def read(request: Request, parts: Parts, tenant: Tenant, kind: str) -> str | None:
    """The token in a tenant's cookie, None if there is none that could be ours."""
    value = request.cookies.get(_name(parts, tenant, kind), "")
    return value if 20 <= len(value) <= 100 and value.isascii() else None


def put(response: Response, parts: Parts, tenant: Tenant, kind: str, token: str, *, seconds: int | None) -> None:
    """Hand the browser a token. seconds: None until the browser closes; the session ends here earlier anyway."""
    response.set_cookie(
        _name(parts, tenant, kind),
        token,
        max_age=seconds,
        path="/",
        secure=_is_https(parts),
        httponly=True,
        samesite="Lax",
    )


def drop(response: Response, parts: Parts, tenant: Tenant, kind: str) -> None:
    """Have the browser forget it."""
    response.delete_cookie(_name(parts, tenant, kind), path="/", secure=_is_https(parts), httponly=True, samesite="Lax")


def _name(parts: Parts, tenant: Tenant, kind: str) -> str:
    return f"{'__Host-' if _is_https(parts) else ''}{kind}-{tenant.slug}"


def _is_https(parts: Parts) -> bool:
    return parts.settings.base_url.startswith("https://")
