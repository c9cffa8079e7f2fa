"""Checks and context of the hiring pages' views: company, session, role, form token and language."""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import wraps
from urllib.parse import quote, urlencode

import sqlalchemy as sa
from babel import Locale
from flask import Flask, abort, g, has_request_context, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import get_locale, gettext
from werkzeug import Response
from werkzeug.datastructures import MultiDict
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
from portal.tracker.hiring.colleagues import Activity, Colleague, HiringTenant, Role
from portal.tracker.hiring.privacy import PortalSide
from portal.tracker.request_reading import known_id

CODE_TTL = 600
"""Seconds for which a code to sign in is valid."""
SESSION_TTL = 4 * 3_600
"""Seconds without use after which a session ends; it ends after half a day in any case."""
FORM_TTL = 86_400
_View = Callable[..., ResponseReturnValue]


@dataclass(frozen=True, slots=True)
class HiringServices:
    """The services of the hiring pages. base_url: TRACKER_BASE_URL. proxies: number of those that set X-Forwarded-*.

    store: the file storage of CVs. portal: the portal's database, if the service runs beside it. concurrency: slots of
    requests. heavy: slots of requests that keep a CPU busy. downloads: a slot for each CV that is being read, within
    cv_within seconds.
    """

    database: Database
    clock: Clock
    seal: Seal
    signer: FormSigner
    throttle: Throttle
    concurrency: ConcurrencyLimit
    base_url: str
    proxies: int = 0
    store: Store | None = None
    portal: PortalSide | None = None
    heavy: ConcurrencyLimit = field(default_factory=lambda: ConcurrencyLimit(1, waiting=8))
    downloads: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(8))
    cv_within: float = 15.0


@contextmanager
def alone(services: HiringServices) -> Iterator[None]:
    """Allow CPU-heavy work in the block to one request at a time: other requests need the CPU too. Raises Crowded."""
    with ExitStack() as turn:
        try:
            with services.concurrency.slot_released():
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

    def log(self, connection: sa.Connection, what: Activity, about: str | None, now: datetime) -> None:
        """Write a line of the log about what the colleague does."""
        colleagues.log(connection, self.tenant.id, by=self.colleague.email, what=what, about=about, now=now)


def cookie(services: HiringServices, tenant: HiringTenant, kind: str) -> TenantCookie:
    """Return a company's cookie of this kind: hiring (a session), hiring-asked (a code request)."""
    return TenantCookie(kind, tenant.slug, services.base_url)


SESSION_COOKIE, CODE_REQUEST_COOKIE = "hiring", "hiring-asked"


class HiringPages:
    """Routes below /{slug}/hiring, each with the role that it needs."""

    def __init__(self) -> None:
        self._routes: list[tuple[str, Role | None, _View]] = []

    def at(self, route: str, at_least: Role | None = Role.READER) -> Callable[[_View], _View]:
        """Decorate a view, which gets HiringServices and HiringVisit. route: its method and path, "GET /jobs".

        Without a session: redirect to the sign-in page. 403 for a lesser role. A post needs the page's form token.
        at_least: None for the sign-in pages, whose views get the HiringTenant. 404 if there is none.
        """

        def decorate(view: _View) -> _View:
            self._routes.append((route, at_least, view))
            return view

        return decorate

    def add_routes(self, app: Flask, services: HiringServices) -> None:
        """Add the routes to the application."""
        for route, at_least, view in self._routes:
            method, _, path = route.partition(" ")
            endpoint, guarded = f"{view.__module__}.{view.__name__}", _guarded(services, view, at_least)
            app.add_url_rule(f"/<slug>/hiring{path}", endpoint, guarded, methods=[method])


def _guarded(services: HiringServices, view: _View, at_least: Role | None) -> _View:
    @private
    @wraps(view)
    def guarded(slug: str, **segments: str) -> ResponseReturnValue:
        tenant = colleagues.tenant(services.database, slug) if SLUG.fullmatch(slug) else None
        if tenant is None:
            abort(404)
        g.hiring_tenant = tenant
        if at_least is None:
            return view(services, tenant, **segments)
        visit = visit_of(services, tenant)
        if visit is None:
            return _typed_before() or redirect(f"/{tenant.slug}/hiring", 303)
        g.hiring_visit = visit
        if not visit.colleague.role.includes(at_least):
            raise Forbidden
        if not all(map(known_id, segments.values())):
            abort(404)
        if request.method == "POST" and form_id(services, tenant, visit.session) is None:
            raise BadRequest
        return view(services, visit, **segments)

    return guarded


def refuse_nul() -> None:
    """Answer 404 for a NUL in the path, 400 for one in query or form: PostgreSQL cannot store it."""
    if "\0" in request.path:
        abort(404)
    fields = [*request.args.items(multi=True), *request.form.items(multi=True)]
    if any("\0" in part for pair in fields for part in pair if part):  # a part of a form may have no name
        raise BadRequest


def session_of(services: HiringServices, tenant: HiringTenant, token: str) -> Session | None:
    """Return the company's session with that token, unless it has ended."""
    return sessions.find(
        services.database, services.seal, tenant=tenant.slug, token=token, ttl=SESSION_TTL, clock=services.clock
    )


def visit_of(services: HiringServices, tenant: HiringTenant) -> HiringVisit | None:
    """Return the signed-in colleague's visit; None without a session, or if they are no colleague any more."""
    token = cookie(services, tenant, SESSION_COOKIE).read(request)
    session = session_of(services, tenant, token) if token else None
    colleague = colleagues.find(services.database, tenant.id, session.email) if session else None
    return HiringVisit(tenant, colleague, session) if session and colleague else None


def address(visit: HiringVisit, *segments: str, **query: str) -> str:
    """Return the address of one of the company's pages: its path after /{slug}/hiring, and its query."""
    path = "".join(f"/{quote(one, safe='')}" for one in segments)
    asked = urlencode({name: value for name, value in query.items() if value})
    return f"/{visit.tenant.slug}/hiring{path}{'?' if asked else ''}{asked}"


def done(visit: HiringVisit, *segments: str, outcome: str = "saved", **query: str) -> Response:
    """Redirect to a page of the company that confirms what was done. outcome: a key in app._done_notices()."""
    return redirect(address(visit, *segments, said=outcome, **query), 303)


def asked() -> MultiDict[str, str]:
    """Return the fields of the form that was posted, else of the query; never of both."""
    return request.form if request.method == "POST" else request.args


def page_number(most: int) -> int:
    """Return the number of the requested page of a list, from 1."""
    number = asked().get("page", "")
    return min(int(number), most) if re.fullmatch("[1-9][0-9]{0,3}", number) else 1


def _typed_before() -> ResponseReturnValue | None:
    """Return a page with text typed into a form whose session ended, so that it is not lost; None if there is none."""
    typed = [displayable_lines(request.form.get(name, "")) for name in ("subject", "body", "note")]
    texts = [one for one in typed if one and not one.isdecimal()]  # a number: of the note to delete
    message = (
        gettext("You are signed out"),
        gettext("Nothing was saved or sent. Copy your text from below before you sign in again."),
    )
    return (render_template("hiring/message.html", status=403, message=message, typed=texts), 403) if texts else None


def form_token(services: HiringServices, tenant: HiringTenant, session: Session | None) -> str:
    """Return the token for the hidden field of a form. session: None for a form of the sign-in pages."""
    return services.signer.sign(
        tenant=tenant.slug, purpose=_purpose(session), form_id=new_form_id(), now=services.clock.now()
    )


def form_id(services: HiringServices, tenant: HiringTenant, session: Session | None) -> str | None:
    """Return the id of the posted form, None unless it has a valid token of this session."""
    sent, now = request.form.get("token", ""), services.clock.now()
    found = services.signer.read(sent, tenant=tenant.slug, purpose=_purpose(session), now=now)
    return found.form_id if found and not found.expired else None


def _purpose(session: Session | None) -> tuple[str, str]:
    return "hiring", session.holder[:16] if session else ""


def select_language() -> str:
    """Return the language of the page as Babel writes it: the colleague's, or the browser's, or English."""
    visit = g.get("hiring_visit") if has_request_context() else None
    chosen = visit.colleague.locale if visit else None
    return chosen or (request.accept_languages.best_match(COMPLETE) if has_request_context() else None) or DEFAULT


def page_language() -> str:
    """Return the language of the current page."""
    return str((get_locale() or Locale(DEFAULT)).language)
