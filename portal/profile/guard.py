"""What stands before a view of self-service: no post from elsewhere, and a session as a parameter."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps

from flask import Blueprint, Request, Response, g, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import Forbidden

from portal.candidates import index
from portal.parts import Parts
from portal.profile import cookies
from portal.signin import sessions
from portal.signin.sessions import Session
from portal.signing import new_form_id
from portal.tenants.model import Tenant
from portal.web.assembly import here
from portal.web.origin import is_elsewhere, own_origins

SMALL = 65_536
"""Bytes that a form without a file may have; Werkzeug would write any file to disk before a view could refuse it."""


def session_of(parts: Parts, tenant: Tenant, asked: Request) -> Session | None:
    """Who is signed in at this tenant, if anybody is; about no record any more once the address left that record."""
    token = cookies.read(asked, parts, tenant, cookies.SESSION)
    if token is None:
        return None
    database, ttl = parts.database, parts.settings.session_ttl
    found = sessions.find(database, parts.seal, tenant=tenant.slug, token=token, ttl=ttl, clock=parts.clock)
    if found is None or found.candidate is None:
        return found
    still = index.one(database, parts.seal, tenant.slug, found.email, found.candidate)
    return found if still else replace(found, candidate=None)


def signed_in(parts: Parts) -> Callable[[Callable[..., ResponseReturnValue]], Callable[..., ResponseReturnValue]]:
    """Hand the view the Session after the Tenant; whoever has none is sent to sign in."""

    def decorate(view: Callable[..., ResponseReturnValue]) -> Callable[..., ResponseReturnValue]:
        @wraps(view)
        def with_session(tenant: Tenant, **segments: str) -> ResponseReturnValue:
            session = session_of(parts, tenant, request)
            if session is None:
                return see(parts, tenant, "/profile")
            g.signed_in_as = masked(session.email)
            return view(tenant, session, **segments)

        return with_session

    return decorate


def say_who_is_signed_in(pages: Blueprint) -> None:
    """Give the templates of these pages `signed_in_as`: an address that others who see the screen cannot write to."""

    @pages.context_processor
    def who() -> dict[str, str]:
        return {"signed_in_as": g.get("signed_in_as", "")}


def masked(address: str) -> str:
    """An e-mail address that its owner knows again."""
    local, at, domain = address.rpartition("@")
    return f"{local[:1]}…{at}{domain}"


def refuse_elsewhere(parts: Parts, asked: Request) -> None:
    """403 if a browser says that another site's page made this request. The forms that are read after it are small."""
    asked.max_content_length = SMALL
    own = own_origins(base_url=parts.settings.base_url, host=asked.host)
    if is_elsewhere(sec_fetch_site=asked.headers.get("Sec-Fetch-Site"), origin=asked.headers.get("Origin"), own=own):
        raise Forbidden


def sign_form(parts: Parts, tenant: Tenant, session: Session | None, form_id: str = "") -> str:
    """A token for a form of this session, or of nobody who is signed in."""
    return parts.signer.sign(
        tenant=tenant.slug, purpose=_purpose(session), form_id=form_id or new_form_id(), now=parts.clock.now()
    )


def form_id_in(parts: Parts, tenant: Tenant, session: Session | None, token: str) -> str | None:
    """The id of the form that was posted; None if its token is forged, too old, or another session's."""
    found = parts.signer.read(token, tenant=tenant.slug, purpose=_purpose(session), now=parts.clock.now())
    return found.form_id if found and not found.expired else None


def _purpose(session: Session | None) -> tuple[str, str]:
    return ("profile", session.holder[:16] if session else "")


def see(parts: Parts, tenant: Tenant, path: str) -> Response:
    """303 to another page of this tenant."""
    return Response(status=303, headers={"Location": here(parts, tenant).at(path)})
