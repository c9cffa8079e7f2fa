"""What is known in front of the hiring pages' views: company, session, role, form token and language."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import wraps

from babel import Locale
from flask import abort, g, has_request_context, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import get_locale, gettext
from werkzeug import Response
from werkzeug.exceptions import BadRequest, Forbidden

from portal.adapters.storage.store import Store
from portal.contract.bounds import SLUG
from portal.gateway.concurrency import ConcurrencyLimit, ConcurrencyLimitReached
from portal.people.signin import sessions
from portal.people.signin.sessions import Session
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal
from portal.platform.crypto.signing import FormSigner, new_form_id
from portal.platform.database.db import Database
from portal.platform.rate_limits import Throttle
from portal.site.errors import Crowded
from portal.site.forms.fields.text import displayable_lines
from portal.site.routing.access import private
from portal.site.routing.tenant import TenantCookie
from portal.site.words.locale import DEFAULT
from portal.tenants.languages import COMPLETE
from portal.tracker.hiring import colleagues
from portal.tracker.hiring.colleagues import Colleague, HiringTenant, Role
from portal.tracker.hiring.privacy import PortalSide

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

    store: where CVs are. portal: the portal's database, if the service runs beside it. room: slots of the service's
    requests. heavy: slots of those that keep a CPU busy. downloads: one for each CV that is being read, cv_within: in
    so many seconds.
    """

    database: Database
    clock: Clock
    seal: Seal
    signer: FormSigner
    throttle: Throttle
    room: ConcurrencyLimit
    base_url: str
    proxies: int = 0
    store: Store | None = None
    portal: PortalSide | None = None
    heavy: ConcurrencyLimit = field(default_factory=lambda: ConcurrencyLimit(1, waiting=8))
    downloads: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(8))
    cv_within: float = 15.0


@contextmanager
def alone(services: HiringServices) -> Iterator[None]:
    """Keep a CPU busy within the block, one request at a time: others of the service need it too. Raises Crowded."""
    with ExitStack() as turn:
        try:
            with services.room.slot_released():
                turn.enter_context(services.heavy.slot_held())
        except ConcurrencyLimitReached:
            raise Crowded from None
        yield


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
    """Decorate a private view: pass it the HiringTenant in place of the route's `slug`; 404 if there is none."""

    def decorate(view: _View) -> _View:
        @private
        @wraps(view)
        def with_company(slug: str, **segments: str) -> ResponseReturnValue:
            tenant = colleagues.tenant(services.database, slug) if SLUG.fullmatch(slug) else None
            if tenant is None:
                abort(404)
            g.hiring_tenant = tenant
            return view(tenant, **segments)

        return with_company

    return decorate


def refuse_nul() -> None:
    """Answer 404 for a NUL in the path, 400 for one in query or form: PostgreSQL stores it in no text."""
    if "\0" in request.path:
        abort(404)
    fields = [*request.args.items(multi=True), *request.form.items(multi=True)]
    if any("\0" in part for pair in fields for part in pair):
        raise BadRequest


def session_of(services: HiringServices, tenant: HiringTenant, token: str) -> Session | None:
    """Return the company's session with that token, unless it has ended."""
    return sessions.find(
        services.database, services.seal, tenant=tenant.slug, token=token, ttl=SESSION_TTL, clock=services.clock
    )


def visit_of(services: HiringServices, tenant: HiringTenant) -> HiringVisit | None:
    """Return who is signed in at this company; None without a session, or if they are no colleague any more."""
    token = cookie(services, tenant, SESSION).read(request)
    session = session_of(services, tenant, token) if token else None
    colleague = colleagues.find(services.database, tenant.id, session.email) if session else None
    return HiringVisit(tenant, colleague, session) if session and colleague else None


def address(visit: HiringVisit, path: str = "") -> str:
    """Return the address of one of the company's pages; path: below /{slug}/hiring."""
    return f"/{visit.tenant.slug}/hiring{path}"


def saved(visit: HiringVisit, path: str) -> Response:
    """Redirect to a page of the company, which says "Saved."."""
    return redirect(address(visit, f"{path}?said=saved"), 303)


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
                return _typed_before() or redirect(f"/{tenant.slug}/hiring", 303)
            g.hiring_visit = visit
            if not visit.colleague.role.includes(at_least):
                raise Forbidden
            if request.method == "POST" and not is_form_valid(services, tenant, visit.session):
                raise BadRequest
            return view(visit, **segments)

        return with_visit

    return decorate


def _typed_before() -> ResponseReturnValue | None:
    """Return a page with the text of a form whose session ended, which nobody wants to write again; None without it."""
    typed = [displayable_lines(request.form.get(name, "")) for name in ("subject", "body", "note")]
    kept = [one for one in typed if one and not one.isdecimal()]  # a number: of the note to delete
    told = (
        gettext("You are signed out"),
        gettext("Nothing was saved or sent. Copy your text from below before you sign in again."),
    )
    return (render_template("hiring/message.html", status=403, told=told, kept=kept), 403) if kept else None


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


def form_id(services: HiringServices, visit: HiringVisit) -> str:
    """Return the id of the posted form, whose token is valid."""
    sent, now = request.form.get("token", ""), services.clock.now()
    found = services.signer.read(sent, tenant=visit.tenant.slug, purpose=_purpose(visit.session), now=now)
    return found.form_id if found else ""


def _purpose(session: Session | None) -> tuple[str, str]:
    return _PURPOSE, session.holder[:16] if session else ""


def select_language() -> str:
    """Return the language of the page as Babel writes it: the colleague's, or the browser's, or English."""
    visit = g.get("hiring_visit") if has_request_context() else None
    chosen = visit.colleague.locale if visit else None
    return chosen or (request.accept_languages.best_match(COMPLETE) if has_request_context() else None) or DEFAULT


def page_language() -> str:
    """Return the language of the current page."""
    return str((get_locale() or Locale(DEFAULT)).language)
