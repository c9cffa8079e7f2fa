"""Routes to sign in: request a code, enter it, sign out.

No page, status or response time reveals whether an address is known: asking for a code writes one row for any address;
the worker finds out whom it belongs to, and sends an email in either case.
"""

from flask import Blueprint, Request, Response, make_response, render_template, request
from flask_babel import gettext, ngettext

from portal.background.mails import quota
from portal.delivery.envelopes import person
from portal.people.signin import codes, sessions
from portal.people.signin.codes import Purpose
from portal.platform.crypto.sealing import address_hash, mailbox_hash, mailbox_in_a_log
from portal.platform.logs import SecurityEvent, log_security_event
from portal.platform.rate_limits import wide_network_of
from portal.site.account import draft, guard, invitation, record_choice
from portal.site.account.editing import PARTS_MOST
from portal.site.account.guard import (
    AccountServices,
    expect_small_form,
    form_id_in,
    redirect_to,
    session_of,
    sign_form,
)
from portal.site.forms import request_body
from portal.site.forms.fields import email_address, refusal, text
from portal.site.forms.fields.refusal import Refused
from portal.site.forms.rate_limits import PostLimit, pause_of_code_request, pause_of_post
from portal.site.routing.access import private
from portal.site.routing.tenant import for_tenant
from portal.site.words.locale import language
from portal.tenants.model import Tenant


def add_to(pages: Blueprint, services: AccountServices) -> None:
    """Add GET, POST /{slug}/profile, /profile/code; POST /profile/sign-out."""
    _add_email_pages(pages, services)
    _add_code_pages(pages, services)

    @pages.post("/<slug>/profile/sign-out")
    @private
    @for_tenant(services.tenants)
    def sign_out(tenant: Tenant) -> Response:
        expect_small_form(request)
        token = guard.cookie(services, tenant, guard.SESSION).read(request)
        if token is not None:
            sessions.close(services.database, services.seal, tenant=tenant.slug, token=token)
        response = redirect_to(services, tenant, "/profile")
        guard.cookie(services, tenant, guard.SESSION).delete(response)
        return response


def request_sign_in_again(services: AccountServices, tenant: Tenant, asked: Request) -> Response:
    """Answer a profile form posted without a session: ask to sign in again, and carry what was typed (draft.py)."""
    limit = services.max_cv_bytes
    with request_body.received(asked, file_field="cv", max_file=limit, most_parts=PARTS_MOST) as posted:
        expect_small_form(asked)
        typed = draft.sealed(services.seal, tenant.slug, posted.fields, had_file=posted.file is not None)
    if not typed:
        return redirect_to(services, tenant, "/profile")
    notice = gettext(
        "You were signed out in the meantime, so nothing was sent. Sign in again with the same address to get back "
        "what you entered."
    )
    return _email_page(services, tenant, 403, notice=notice, sealed_draft=typed)


def _add_email_pages(pages: Blueprint, services: AccountServices) -> None:
    @pages.get("/<slug>/profile")
    @private
    @for_tenant(services.tenants)
    def ask(tenant: Tenant) -> Response:
        return _email_page(
            services, tenant, 200, typed=invitation.address_in(services.seal, tenant.slug, request.args.get("to", ""))
        )

    @pages.post("/<slug>/profile")
    @private
    @for_tenant(services.tenants)
    def send_code(tenant: Tenant) -> Response:
        expect_small_form(request)
        pause = pause_of_post(services.throttle, PostLimit.CODE_REQUEST, request.remote_addr)
        typed = request.form.get("email", "")
        if pause is not None:
            return _rejected_for_now(services, tenant, typed, pause)
        if not _has_valid_form_token(services, tenant, request):
            return _email_page(services, tenant, 422, typed=typed, notice=_form_expired_message())
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
            known=lambda: _is_known(services, email, request.remote_addr),
        )
        if pause is not None:
            return _rejected_for_now(services, tenant, typed, pause)
        return _queue_code(services, tenant, email)


def _is_known(services: AccountServices, email: str, remote_address: str | None) -> bool:
    network, now = wide_network_of(remote_address), services.clock.now()
    with services.database.read() as connection:
        return quota.is_known(connection, services.seal, recipient=email, network=network, now=now)


def _rejected_for_now(services: AccountServices, tenant: Tenant, typed: str, pause: int) -> Response:
    response = _email_page(services, tenant, 429, typed=typed, notice=_too_often(pause))
    response.headers["Retry-After"] = str(pause)
    return response


def _queue_code(services: AccountServices, tenant: Tenant, email: str) -> Response:
    # A browser that asks again keeps its token: its new code revokes the old one, and if no new one is sent the old one
    # still works.
    token = guard.cookie(services, tenant, guard.CODE_REQUEST_COOKIE).read(request) or codes.new_token()
    with services.database.write() as connection:
        codes.request_code(
            connection,
            services.seal,
            tenant=tenant.slug,
            purpose=Purpose.SIGN_IN,
            holder=codes.holder_of(services.seal, token),
            email=email,
            locale=language(tenant),
            ttl=services.code_ttl,
            now=services.clock.now(),
            network=wide_network_of(request.remote_addr),
        )
    log_security_event(SecurityEvent.CODE_ASKED, tenant=tenant.slug, mailbox=mailbox_in_a_log(services.seal, email))
    before = draft.posted(services.seal, request)
    response = _code_page(services, tenant, 200) if before else redirect_to(services, tenant, "/profile/code")
    guard.cookie(services, tenant, guard.CODE_REQUEST_COOKIE).set(response, token, seconds=services.code_ttl * 2)
    return response


def _add_code_pages(pages: Blueprint, services: AccountServices) -> None:
    @pages.get("/<slug>/profile/code")
    @private
    @for_tenant(services.tenants)
    def code(tenant: Tenant) -> Response:
        return _code_page(services, tenant, 200)

    @pages.post("/<slug>/profile/code")
    @private
    @for_tenant(services.tenants)
    def enter(tenant: Tenant) -> Response:
        expect_small_form(request)
        pause = pause_of_post(services.throttle, PostLimit.CODE, request.remote_addr)
        if pause is not None:
            response = _code_page(services, tenant, 429, notice=_too_often(pause))
            response.headers["Retry-After"] = str(pause)
            return response
        if not _has_valid_form_token(services, tenant, request):
            return _code_page(services, tenant, 422, notice=_form_expired_message())
        typed = codes.digits_in(request.form.get("code", ""))
        asked = guard.cookie(services, tenant, guard.CODE_REQUEST_COOKIE).read(request)
        # Without a cookie an attempt costs the same time, so nothing can be learnt from it.
        holder = codes.holder_of(services.seal, asked or "")
        token = sessions.sign_in(
            services.database,
            services.seal,
            tenant=tenant.slug,
            holder=holder,
            typed=typed,
            clock=services.clock,
            network=wide_network_of(request.remote_addr),
        )
        if token is None:
            return _sent_again(services, tenant, holder, typed) or _wrong(services, tenant)
        return _welcome(services, tenant, token)


def _wrong(services: AccountServices, tenant: Tenant) -> Response:
    return _code_page(services, tenant, 422, error=_wrong_code())


def _sent_again(services: AccountServices, tenant: Tenant, holder: str, typed: str) -> Response | None:
    """Return the next page if this code has just signed this browser in (a double click posts it twice), else None."""
    session = session_of(services, tenant, request)
    with services.database.read() as connection:
        spent = codes.was_used_by_browser(
            connection,
            services.seal,
            tenant=tenant.slug,
            holder=holder,
            typed=typed,
            now=services.clock.now(),
            opened=(session.address, session.opened_at) if session else None,
        )
    if not spent:
        return None
    if session is not None:
        return record_choice.first_page(services, tenant, session)
    # The browser may not have stored the cookie of the first response yet; it will have it for the next page.
    return None if draft.posted(services.seal, request) else redirect_to(services, tenant, "/profile/applications")


def _welcome(services: AccountServices, tenant: Tenant, token: str) -> Response:
    """Open the new session under a new token and drop the token of the code request.

    What the address sent under a former secret key is hashed anew, so that the former key can be removed one day.
    """
    session = sessions.find(
        services.database,
        services.seal,
        tenant=tenant.slug,
        token=token,
        ttl=services.session_ttl,
        clock=services.clock,
    )
    if session and len(services.seal.fingerprints) > 1:
        email = session.email
        with services.database.write() as connection:
            person.move(connection, services.seal, tenant=tenant.slug, old=email, new=email, about=None)
    response = (
        record_choice.first_page(services, tenant, session)
        if session
        else redirect_to(services, tenant, "/profile/applications")
    )
    guard.cookie(services, tenant, guard.SESSION).set(response, token, seconds=None)
    guard.cookie(services, tenant, guard.CODE_REQUEST_COOKIE).delete(response)
    return response


def _email_page(
    services: AccountServices,
    tenant: Tenant,
    status: int,
    *,
    typed: str = "",
    error: str = "",
    notice: str = "",
    sealed_draft: str = "",
) -> Response:
    """Return the page that asks for the address. sealed_draft: entries to carry, unless the request carries some."""
    page = render_template(
        "account/ask.html",
        typed_before=sealed_draft or draft.posted(services.seal, request),
        typed=text.displayable(typed),
        error=error,
        notice=notice,
        token=sign_form(services, tenant, None),
        signed_in=status != 429 and session_of(services, tenant, request) is not None,
    )
    return make_response(page, status)


def _code_page(
    services: AccountServices, tenant: Tenant, status: int, *, error: str = "", notice: str = ""
) -> Response:
    page = render_template(
        "account/code.html",
        error=error,
        notice=notice,
        token=sign_form(services, tenant, None),
        minutes=max(1, round(services.code_ttl / 60)),
        typed_before=draft.posted(services.seal, request),
    )
    return make_response(page, status)


def _has_valid_form_token(services: AccountServices, tenant: Tenant, asked: Request) -> bool:
    return form_id_in(services, tenant, None, asked.form.get("token", "")) is not None


def _form_expired_message() -> str:
    return str(gettext("This page was open for too long, so nothing was sent. Send it again."))


def _wrong_code() -> str:
    return str(
        gettext("This code is wrong or has expired. Use the one in the most recent email, or request a new code.")
    )


def _too_often(seconds: int) -> str:
    return str(
        ngettext(
            "Too many codes were requested. Check your inbox and spam folder, or try again in %(num)s minute.",
            "Too many codes were requested. Check your inbox and spam folder, or try again in %(num)s minutes.",
            -(-seconds // 60),
        )
    )
