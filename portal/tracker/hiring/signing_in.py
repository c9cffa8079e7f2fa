"""Routes to sign in: GET, POST /{slug}/hiring and /{slug}/hiring/code; POST /{slug}/hiring/sign-out.

As in self-service, no page, status or response time tells whether an address is a colleague's: the code is generated
and sent by the thread of mail_worker, which looks the address up.
"""

from functools import partial

from flask import Blueprint, Response, make_response, redirect, render_template, request
from flask.typing import ResponseReturnValue

from portal.people.signin import codes, sessions
from portal.site.forms.code_sign_in import CodeSignIn, SignInRefused, wrong_code
from portal.tracker.hiring import colleagues, guard
from portal.tracker.hiring.colleagues import HiringTenant
from portal.tracker.hiring.guard import HiringServices, HiringVisit


def blueprint(services: HiringServices) -> Blueprint:
    """Return the blueprint of the sign-in pages."""
    pages = Blueprint("signing_in", __name__)
    _add_email_pages(pages, services)
    _add_code_pages(pages, services)

    @pages.post("/<slug>/hiring/sign-out")
    @guard.signed_in(services)
    def sign_out(visit: HiringVisit) -> ResponseReturnValue:
        cookie = guard.cookie(services, visit.tenant, guard.SESSION)
        if token := cookie.read(request):
            sessions.close(services.database, services.seal, tenant=visit.tenant.slug, token=token)
        response = make_response(redirect(guard.address(visit), 303))
        cookie.delete(response)
        return response

    return pages


def issue_code(services: HiringServices, tenant: HiringTenant, email: str, *, ttl: float) -> str | None:
    """Return a code that is good for one browser that has requested none, at /{slug}/hiring/code; ttl: in seconds."""
    holder, now = codes.holder_of(services.seal, ""), services.clock.now()
    return codes.issue(
        services.database, services.seal, tenant=tenant.slug, holder=holder, email=email, now=now, ttl=ttl
    )


def _by_code(services: HiringServices, tenant: HiringTenant) -> CodeSignIn:
    cookie = guard.cookie(services, tenant, guard.CODE_REQUEST)
    common = services.database, services.seal, services.clock, services.throttle
    return CodeSignIn(*common, tenant.slug, cookie, guard.CODE_TTL)


def _page(name: str, why: SignInRefused | None = None) -> Response:
    """Return the page `sign_in` or `code`, with what was typed and why it was refused."""
    said = {"error": why.error, "notice": why.notice} if why else {"error": "", "notice": ""}
    typed, minutes = request.form.get("email", ""), guard.CODE_TTL // 60
    rendered = render_template(f"hiring/{name}.html", typed=typed, minutes=minutes, **said)
    response = make_response(rendered, why.status if why else 200)
    return why.on(response) if why else response


def _add_email_pages(pages: Blueprint, services: HiringServices) -> None:
    @pages.get("/<slug>/hiring")
    @guard.for_company(services)
    def ask(tenant: HiringTenant) -> ResponseReturnValue:
        visit = guard.visit_of(services, tenant)
        return redirect(guard.address(visit, "/jobs"), 303) if visit else _page("sign_in")

    @pages.post("/<slug>/hiring")
    @guard.for_company(services)
    def send_code(tenant: HiringTenant) -> ResponseReturnValue:
        asked = _by_code(services, tenant)
        try:
            email = asked.address(partial(guard.is_form_valid, services, tenant, None))
        except SignInRefused as why:
            return _page("sign_in", why)
        token = asked.queue(email, guard.page_language())
        response = make_response(redirect(f"/{tenant.slug}/hiring/code", 303))
        asked.cookie.set(response, token, seconds=guard.CODE_TTL * 2)
        return response


def _add_code_pages(pages: Blueprint, services: HiringServices) -> None:
    @pages.get("/<slug>/hiring/code")
    @guard.for_company(services)
    def code(_: HiringTenant) -> Response:
        return _page("code")

    @pages.post("/<slug>/hiring/code")
    @guard.for_company(services)
    def enter(tenant: HiringTenant) -> ResponseReturnValue:
        asked, response = _by_code(services, tenant), make_response(redirect(f"/{tenant.slug}/hiring/jobs", 303))
        try:
            token = asked.session(partial(guard.is_form_valid, services, tenant, None), is_candidate=False)
            if token is None:
                if guard.visit_of(services, tenant):  # a double click posts the code twice
                    return response
                raise wrong_code()
        except SignInRefused as why:
            return _page("code", why)
        if session := guard.session_of(services, tenant, token):
            colleagues.came(services.database, tenant, session.email, now=services.clock.now())
        guard.cookie(services, tenant, guard.SESSION).set(response, token, seconds=None)
        asked.cookie.delete(response)
        return response
