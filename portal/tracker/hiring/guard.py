"""Checks in front of the hiring pages' views: company, session, role and form token."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps

from flask import abort, g, redirect, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest, Forbidden

from portal.adapters.storage.store import Store
from portal.contract.bounds import SLUG
from portal.people.signin import sessions
from portal.people.signin.sessions import Session
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal
from portal.platform.crypto.signing import FormSigner, new_form_id
from portal.platform.database.db import Database
from portal.platform.rate_limits import Throttle
from portal.site.routing.tenant import TenantCookie
from portal.tracker.hiring import colleagues
from portal.tracker.hiring.colleagues import Colleague, HiringTenant, Role

CODE_TTL = 600
"""Seconds for which a code to sign in is valid."""
SESSION_TTL = 4 * 3_600
"""Seconds without use after which a session ends; it ends after half a day in any case."""
FORM_TTL = 86_400
_View = Callable[..., ResponseReturnValue]
_PURPOSE = "hiring"


@dataclass(frozen=True, slots=True)
class HiringServices:
    """What the hiring pages use. base_url: TRACKER_BASE_URL. proxies: how many in front set X-Forwarded-*.

    store: where CVs are.
    """

    database: Database
    clock: Clock
    seal: Seal
    signer: FormSigner
    throttle: Throttle
    base_url: str
    proxies: int = 0
    store: Store | None = None


@dataclass(frozen=True, slots=True)
class HiringVisit:
    """A signed-in colleague on a company's pages."""

    tenant: HiringTenant
    colleague: Colleague
    session: Session = field(repr=False)

    @property
    def is_owner(self) -> bool:
        """Whether the colleague may manage colleagues and read the log."""
        return self.colleague.role.includes(Role.OWNER)

    @property
    def may_change(self) -> bool:
        """Whether the colleague may change jobs and applications."""
        return self.colleague.role.includes(Role.RECRUITER)


def cookie(services: HiringServices, tenant: HiringTenant, kind: str) -> TenantCookie:
    """Return a company's cookie of this kind: hiring (a session), hiring-asked (who requested a code)."""
    return TenantCookie(kind, tenant.slug, services.base_url)


SESSION, CODE_REQUEST = "hiring", "hiring-asked"


def for_company(services: HiringServices) -> Callable[[_View], _View]:
    """Decorate a view: pass it the HiringTenant in place of the route's `slug`; 404 if there is none."""

    def decorate(view: _View) -> _View:
        @wraps(view)
        def with_company(slug: str, **segments: str) -> ResponseReturnValue:
            tenant = colleagues.tenant(services.database, slug) if SLUG.fullmatch(slug) else None
            if tenant is None:
                abort(404)
            g.hiring_tenant = tenant
            return view(tenant, **segments)

        return with_company

    return decorate


def visit_of(services: HiringServices, tenant: HiringTenant) -> HiringVisit | None:
    """Return who is signed in at this company; None without a session, or if they are no colleague any more."""
    token = cookie(services, tenant, SESSION).read(request)
    if token is None:
        return None
    session = sessions.find(
        services.database, services.seal, tenant=tenant.slug, token=token, ttl=SESSION_TTL, clock=services.clock
    )
    colleague = colleagues.find(services.database, tenant.id, session.email) if session else None
    return HiringVisit(tenant, colleague, session) if session and colleague else None


def signed_in(services: HiringServices, at_least: Role = Role.READER) -> Callable[[_View], _View]:
    """Decorate a view: pass it the HiringVisit in place of the route's `slug`.

    Without a session: redirect to the sign-in page. 403 for a lesser role. A post needs the page's form token.
    """

    def decorate(view: _View) -> _View:
        @for_company(services)
        @wraps(view)
        def with_visit(tenant: HiringTenant, **segments: str) -> ResponseReturnValue:
            visit = visit_of(services, tenant)
            if visit is None:
                return redirect(f"/{tenant.slug}/hiring", 303)
            g.hiring_visit = visit
            if not visit.colleague.role.includes(at_least):
                raise Forbidden
            if request.method == "POST":
                _require_token(services, visit)
            return view(visit, **segments)

        return with_visit

    return decorate


def form_token(services: HiringServices, tenant: HiringTenant, session: Session | None) -> str:
    """Return the token for the hidden field of a form. session: None for a form of the sign-in pages."""
    return services.signer.sign(
        tenant=tenant.slug, purpose=_purpose(session), form_id=new_form_id(), now=services.clock.now()
    )


def is_form_valid(services: HiringServices, tenant: HiringTenant, session: Session | None) -> bool:
    """Return whether the posted form has a valid token of this session."""
    sent, now = request.form.get("token", ""), services.clock.now()
    found = services.signer.read(sent, tenant=tenant.slug, purpose=_purpose(session), now=now)
    return found is not None and not found.expired


def _require_token(services: HiringServices, visit: HiringVisit) -> None:
    if not is_form_valid(services, visit.tenant, visit.session):
        raise BadRequest


def _purpose(session: Session | None) -> tuple[str, str]:
    return _PURPOSE, session.holder[:16] if session else ""
