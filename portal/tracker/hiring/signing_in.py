"""Routes to sign in: GET, POST /{slug}/hiring and /{slug}/hiring/code; POST /{slug}/hiring/sign-out.

As in self-service, no page, status or response time tells whether an address is a colleague's: the code is generated
and sent by the thread of mail_worker, which looks the address up.
"""

from flask import Blueprint, Response, make_response, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext, ngettext

from portal.background.mails import quota
from portal.people.signin import codes, sessions
from portal.people.signin.codes import Purpose
from portal.platform.crypto.sealing import address_hash, mailbox_hash, mailbox_in_a_log
from portal.platform.logs import SecurityEvent, log_security_event
from portal.platform.rate_limits import wide_network_of
from portal.site.forms.fields import email_address, refusal
from portal.site.forms.fields.refusal import Refused
from portal.site.forms.rate_limits import PostLimit, pause_of_code_request, pause_of_post
from portal.site.routing.access import private
from portal.tracker.hiring import activity_log, guard
from portal.tracker.hiring.activity_log import Activity
from portal.tracker.hiring.colleagues import HiringTenant, folded
from portal.tracker.hiring.guard import HiringServices, HiringVisit
from portal.tracker.hiring.language import page_language
from portal.tracker.hiring.tables import colleagues


def blueprint(services: HiringServices) -> Blueprint:
    """Return the blueprint of the sign-in pages."""
    pages = Blueprint("signing_in", __name__)
    _add_email_pages(pages, services)
    _add_code_pages(pages, services)

    @pages.post("/<slug>/hiring/sign-out")
    @private
    @guard.signed_in(services)
    def sign_out(visit: HiringVisit) -> ResponseReturnValue:
        cookie = guard.cookie(services, visit.tenant, guard.SESSION)
        if token := cookie.read(request):
            sessions.close(services.database, services.seal, tenant=visit.tenant.slug, token=token)
        response = make_response(redirect(_start(visit.tenant), 303))
        cookie.delete(response)
        return response

    return pages


def issue_code(services: HiringServices, tenant: HiringTenant, email: str, *, ttl: float) -> str | None:
    """Return a code that is good for one browser that has requested none, at /{slug}/hiring/code; ttl: in seconds."""
    holder, now = codes.holder_of(services.seal, ""), services.clock.now()
    return codes.issue(
        services.database, services.seal, tenant=tenant.slug, holder=holder, email=email, now=now, ttl=ttl
    )


def _start(tenant: HiringTenant) -> str:
    return f"/{tenant.slug}/hiring"


def _add_email_pages(pages: Blueprint, services: HiringServices) -> None:
    @pages.get("/<slug>/hiring")
    @private
    @guard.for_company(services)
    def ask(tenant: HiringTenant) -> ResponseReturnValue:
        if guard.visit_of(services, tenant):
            return redirect(f"{_start(tenant)}/jobs", 303)
        return _email_page(services, tenant, 200)

    @pages.post("/<slug>/hiring")
    @private
    @guard.for_company(services)
    def send_code(tenant: HiringTenant) -> ResponseReturnValue:
        typed = request.form.get("email", "")
        pause = pause_of_post(services.throttle, PostLimit.CODE_REQUEST, request.remote_addr)
        if pause is not None:
            return _later(_email_page(services, tenant, 429, typed=typed, notice=_too_often(pause)), pause)
        if not guard.is_form_valid(services, tenant, None):
            return _email_page(services, tenant, 422, typed=typed, notice=_expired())
        try:
            email = email_address.parse(typed)
        except Refused as why:
            error = refusal.refused(why, missing=gettext("Enter your email address."))
            return _email_page(services, tenant, 422, typed=typed, error=error)
        pause = pause_of_code_request(
            services.throttle,
            tenant=tenant.slug,
            address=address_hash(services.seal, tenant.slug, email),
            mailbox=mailbox_hash(services.seal, email),
            remote_address=request.remote_addr,
            known=lambda: _is_known(services, email),
        )
        if pause is not None:
            return _later(_email_page(services, tenant, 429, typed=typed, notice=_too_often(pause)), pause)
        return _queue_code(services, tenant, email)


def _is_known(services: HiringServices, email: str) -> bool:
    network, now = wide_network_of(request.remote_addr), services.clock.now()
    with services.database.read() as connection:
        return quota.is_known(connection, services.seal, recipient=email, network=network, now=now)


def _queue_code(services: HiringServices, tenant: HiringTenant, email: str) -> ResponseReturnValue:
    cookie = guard.cookie(services, tenant, guard.CODE_REQUEST)
    token = cookie.read(request) or codes.new_token()  # a new code revokes this browser's earlier one
    with services.database.write() as connection:
        codes.request_code(
            connection,
            services.seal,
            tenant=tenant.slug,
            purpose=Purpose.SIGN_IN,
            holder=codes.holder_of(services.seal, token),
            email=email,
            locale=page_language(),
            ttl=guard.CODE_TTL,
            now=services.clock.now(),
            network=wide_network_of(request.remote_addr),
        )
    log_security_event(SecurityEvent.CODE_ASKED, tenant=tenant.slug, mailbox=mailbox_in_a_log(services.seal, email))
    response = make_response(redirect(f"{_start(tenant)}/code", 303))
    cookie.set(response, token, seconds=guard.CODE_TTL * 2)
    return response


def _add_code_pages(pages: Blueprint, services: HiringServices) -> None:
    @pages.get("/<slug>/hiring/code")
    @private
    @guard.for_company(services)
    def code(tenant: HiringTenant) -> Response:
        return _code_page(services, tenant, 200)

    @pages.post("/<slug>/hiring/code")
    @private
    @guard.for_company(services)
    def enter(tenant: HiringTenant) -> ResponseReturnValue:
        pause = pause_of_post(services.throttle, PostLimit.CODE, request.remote_addr)
        if pause is not None:
            return _later(_code_page(services, tenant, 429, notice=_too_often(pause)), pause)
        if not guard.is_form_valid(services, tenant, None):
            return _code_page(services, tenant, 422, notice=_expired())
        asked = guard.cookie(services, tenant, guard.CODE_REQUEST).read(request)
        token = sessions.sign_in(
            services.database,
            services.seal,
            tenant=tenant.slug,
            holder=codes.holder_of(services.seal, asked or ""),  # without a cookie an attempt costs the same time
            typed=codes.digits_in(request.form.get("code", "")),
            clock=services.clock,
            network=wide_network_of(request.remote_addr),
            is_candidate=False,
        )
        if token is None:
            if guard.visit_of(services, tenant):  # a double click posts the code twice
                return redirect(f"{_start(tenant)}/jobs", 303)
            wrong = gettext(
                "This code is wrong or has expired. Use the one in the most recent email, or request a new code."
            )
            return _code_page(services, tenant, 422, error=wrong)
        return _welcome(services, tenant, token)


def _welcome(services: HiringServices, tenant: HiringTenant, token: str) -> ResponseReturnValue:
    now = services.clock.now()
    session = sessions.find(
        services.database, services.seal, tenant=tenant.slug, token=token, ttl=guard.SESSION_TTL, clock=services.clock
    )
    if session is not None:
        with services.database.write() as connection:
            who = folded(session.email)
            here = (colleagues.c.tenant_id == tenant.id, colleagues.c.email == who)
            connection.execute(colleagues.update().where(*here).values(seen_at=now))
            activity_log.write(connection, tenant.id, by=who, what=Activity.SIGNED_IN, now=now)
    response = make_response(redirect(f"{_start(tenant)}/jobs", 303))
    guard.cookie(services, tenant, guard.SESSION).set(response, token, seconds=None)
    guard.cookie(services, tenant, guard.CODE_REQUEST).delete(response)
    return response


def _email_page(
    services: HiringServices, tenant: HiringTenant, status: int, *, typed: str = "", error: str = "", notice: str = ""
) -> Response:
    token = guard.form_token(services, tenant, None)
    return make_response(
        render_template("hiring/sign_in.html", token=token, typed=typed, error=error, notice=notice), status
    )


def _code_page(
    services: HiringServices, tenant: HiringTenant, status: int, *, error: str = "", notice: str = ""
) -> Response:
    token, minutes = guard.form_token(services, tenant, None), guard.CODE_TTL // 60
    return make_response(
        render_template("hiring/code.html", token=token, minutes=minutes, error=error, notice=notice), status
    )


def _later(response: Response, pause: int) -> Response:
    response.headers["Retry-After"] = str(pause)
    return response


def _expired() -> str:
    return str(gettext("This page was open for too long, so nothing was sent. Send it again."))


def _too_often(seconds: int) -> str:
    return str(
        ngettext(
            "Too many codes were requested. Check your inbox and spam folder, or try again in %(num)s minute.",
            "Too many codes were requested. Check your inbox and spam folder, or try again in %(num)s minutes.",
            -(-seconds // 60),
        )
    )
