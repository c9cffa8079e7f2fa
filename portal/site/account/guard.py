"""Checks in front of the views of self-service: small bodies, and the session as a parameter."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import wraps

from flask import Blueprint, Request, Response, g, request
from flask.typing import ResponseReturnValue

from portal.adapters.tracker_client.client import TrackerClient
from portal.people.index import index
from portal.people.signin import sessions
from portal.people.signin.sessions import Session
from portal.platform.crypto.signing import new_form_id
from portal.site.assembly import links_of
from portal.site.forms.services import UploadServices
from portal.site.routing.access import private
from portal.site.routing.tenant import TenantCookie, for_tenant
from portal.tenants.model import Tenant

_View = Callable[..., ResponseReturnValue]


@dataclass(frozen=True, slots=True)
class AccountServices(UploadServices):
    """The services that self-service uses. client_for_page: yields the client of a tenant's service for one page."""

    client_for_page: Callable[[Tenant], AbstractContextManager[TrackerClient]]
    code_ttl: int
    session_ttl: int


CODE_REQUEST_COOKIE = "asked"
"""The cookie of a browser that requested a code to sign in."""
SESSION_COOKIE = "session"
"""The cookie of a session."""


def cookie(services: AccountServices, tenant: Tenant, kind: str) -> TenantCookie:
    """Return a tenant's cookie of this kind."""
    return TenantCookie(kind, tenant.slug, services.base_url)


MAX_FORM_BYTES = 65_536
"""Bytes that a form without a file may have; Werkzeug would write any file to disk before a view could reject it."""


def session_of(services: AccountServices, tenant: Tenant, asked: Request) -> Session | None:
    """Return the session at this tenant, if any; `candidate` is None once the record no longer has its address."""
    token = cookie(services, tenant, SESSION_COOKIE).read(asked)
    if token is None:
        return None
    database, ttl = services.database, services.session_ttl
    found = sessions.find(database, services.seal, tenant=tenant.slug, token=token, ttl=ttl, clock=services.clock)
    if found is None or found.candidate is None:
        return found
    still = index.one(database, services.seal, tenant.slug, found.email, found.candidate)
    return found if still else replace(found, candidate=None)


def signed_in(services: AccountServices) -> Callable[[_View], _View]:
    """Decorate a view: pass it the Session after the Tenant; redirect to the sign-in page if there is none."""

    def decorate(view: _View) -> _View:
        @wraps(view)
        def with_session(tenant: Tenant, **segments: str) -> ResponseReturnValue:
            session = session_of(services, tenant, request)
            if session is None:
                return redirect_to(services, tenant, "/profile")
            g.signed_in_as = masked(session.email)
            return view(tenant, session, **segments)

        return with_session

    return decorate


def own_page(services: AccountServices) -> Callable[[_View], _View]:
    """Decorate a view of a candidate's own data: it is private, and gets the Tenant and the Session."""
    return lambda view: private(for_tenant(services.tenants)(signed_in(services)(view)))


def say_who_is_signed_in(pages: Blueprint) -> None:
    """Give the templates of these pages `signed_in_as`: a masked address, so that onlookers cannot write to it."""

    @pages.context_processor
    def who() -> dict[str, str]:
        return {"signed_in_as": g.get("signed_in_as", "")}


def masked(address: str) -> str:
    """Return an email address masked so that only its owner recognises it."""
    local, at, domain = address.rpartition("@")
    return f"{local[:1]}…{at}{domain}"


def expect_small_form(asked: Request) -> None:
    """Make Flask answer 413 if the form, which is read after this call, has more than MAX_FORM_BYTES bytes."""
    asked.max_content_length = MAX_FORM_BYTES


def sign_form(services: AccountServices, tenant: Tenant, session: Session | None, form_id: str = "") -> str:
    """Return a token for a form of this session; session None: for a form of a visitor who is not signed in."""
    return services.signer.sign(
        tenant=tenant.slug, purpose=_purpose(session), form_id=form_id or new_form_id(), now=services.clock.now()
    )


def form_id_in(services: AccountServices, tenant: Tenant, session: Session | None, token: str) -> str | None:
    """Return the id of the posted form; None if its token is forged, expired, or belongs to another session."""
    found = services.signer.read(token, tenant=tenant.slug, purpose=_purpose(session), now=services.clock.now())
    return found.form_id if found and not found.expired else None


def is_confirmed(services: AccountServices, tenant: Tenant, session: Session) -> bool:
    """Return whether this post comes from the confirmation page, shown by its valid form token."""
    expect_small_form(request)
    return form_id_in(services, tenant, session, request.form.get("token", "")) is not None


def _purpose(session: Session | None) -> tuple[str, str]:
    return ("profile", session.holder[:16] if session else "")


def redirect_to(services: AccountServices, tenant: Tenant, path: str) -> Response:
    """Return a 303 redirect to another page of this tenant."""
    return Response(status=303, headers={"Location": links_of(tenant, base_url=services.base_url).at(path)})
