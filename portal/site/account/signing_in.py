"""Routes to sign in: request a code, enter it, choose a profile, sign out.

No page, status or response time reveals whether an address is known: asking for a code writes one row for any address;
the worker finds out whom it belongs to, and sends an email in either case.
"""

import logging
from dataclasses import replace

from flask import Blueprint, Request, Response, g, make_response, render_template, request
from flask_babel import gettext, ngettext

from portal.adapters.tracker_client.errors import UpstreamError
from portal.background.mails import quota
from portal.delivery.record_changes import current
from portal.delivery.record_changes.current import Current
from portal.people.index import index
from portal.people.signin import codes, sessions
from portal.people.signin.codes import Purpose
from portal.people.signin.sessions import Session
from portal.platform.crypto.sealing import Seal, address_hash, mailbox_hash, mailbox_in_a_log
from portal.platform.logs import SecurityEvent, log_security_event
from portal.platform.rate_limits import wide_network_of
from portal.site.account import draft, guard, invitation
from portal.site.account.editing import PARTS_MOST, Editing
from portal.site.account.guard import (
    AccountServices,
    expect_small_form,
    form_id_in,
    masked,
    redirect_to,
    session_of,
    sign_form,
    signed_in,
)
from portal.site.forms import request_body
from portal.site.forms.fields import email_address, refusal, text
from portal.site.forms.fields.refusal import Refused
from portal.site.forms.rate_limits import Post, pause_of_code_request, pause_of_post
from portal.site.routing.access import private
from portal.site.routing.tenant import for_tenant
from portal.site.words.locale import language
from portal.tenants.model import Tenant

log = logging.getLogger(__name__)


def add_to(pages: Blueprint, services: AccountServices) -> None:
    """Add GET, POST /{slug}/profile, /profile/code, /profile/record; POST /profile/sign-out."""
    _add_email_pages(pages, services)
    _add_code_pages(pages, services)
    _add_choice_pages(pages, services)

    @pages.post("/<slug>/profile/sign-out")
    @private
    @for_tenant(services.tenants)
    def sign_out(tenant: Tenant) -> Response:
        expect_small_form(request)
        token = guard.read(request, services, tenant, guard.SESSION)
        if token is not None:
            sessions.close(services.database, services.seal, tenant=tenant.slug, token=token)
        response = redirect_to(services, tenant, "/profile")
        guard.drop(response, services, tenant, guard.SESSION)
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


def _sealed_draft(services: AccountServices) -> str:
    """Return the sealed entries that the form carries (draft.py); "" if this portal did not seal them."""
    given = request.form.get("typed", "")
    return given if draft.is_sealed_here(services.seal, given) else ""


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
        pause = pause_of_post(services.throttle, Post.CODE_REQUEST, request.remote_addr)
        typed = request.form.get("email", "")
        if pause is not None:
            return _rejected_for_now(services, tenant, typed, pause)
        if not _has_valid_form_token(services, tenant, request):
            return _email_page(
                services, tenant, 422, typed=typed, notice=_form_expired_message(), sealed_draft=_sealed_draft(services)
            )
        try:
            email = email_address.parse(typed)
        except Refused as why:
            error = refusal.refused(why, missing=gettext("Enter your email address."))
            return _email_page(services, tenant, 422, typed=typed, error=error, sealed_draft=_sealed_draft(services))
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
    response = _email_page(
        services, tenant, 429, typed=typed, notice=_too_often(pause), sealed_draft=_sealed_draft(services)
    )
    response.headers["Retry-After"] = str(pause)
    return response


def _queue_code(services: AccountServices, tenant: Tenant, email: str) -> Response:
    # A browser that asks again keeps its token: its new code revokes the old one, and if no new one is sent the old one
    # still works.
    token = guard.read(request, services, tenant, guard.CODE_REQUEST_COOKIE) or codes.new_token()
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
    before = _sealed_draft(services)
    response = (
        _code_page(services, tenant, 200, sealed_draft=before)
        if before
        else redirect_to(services, tenant, "/profile/code")
    )
    guard.put(response, services, tenant, guard.CODE_REQUEST_COOKIE, token, seconds=services.code_ttl * 2)
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
        pause = pause_of_post(services.throttle, Post.CODE, request.remote_addr)
        if pause is not None:
            response = _code_page(services, tenant, 429, notice=_too_often(pause), sealed_draft=_sealed_draft(services))
            response.headers["Retry-After"] = str(pause)
            return response
        if not _has_valid_form_token(services, tenant, request):
            return _code_page(
                services, tenant, 422, notice=_form_expired_message(), sealed_draft=_sealed_draft(services)
            )
        typed = codes.digits_in(request.form.get("code", ""))
        asked = guard.read(request, services, tenant, guard.CODE_REQUEST_COOKIE)
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
    return _code_page(services, tenant, 422, error=_wrong_code(), sealed_draft=_sealed_draft(services))


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
        return _first_page(services, tenant, session)
    # The browser may not have stored the cookie of the first response yet; it will have it for the next page.
    return None if _sealed_draft(services) else redirect_to(services, tenant, "/profile/applications")


def _welcome(services: AccountServices, tenant: Tenant, token: str) -> Response:
    """Open the new session under a new token and drop the token of the code request."""
    session = sessions.find(
        services.database,
        services.seal,
        tenant=tenant.slug,
        token=token,
        ttl=services.session_ttl,
        clock=services.clock,
    )
    response = (
        _first_page(services, tenant, session) if session else redirect_to(services, tenant, "/profile/applications")
    )
    guard.put(response, services, tenant, guard.SESSION, token, seconds=None)
    guard.drop(response, services, tenant, guard.CODE_REQUEST_COOKIE)
    return response


def _first_page(services: AccountServices, tenant: Tenant, session: Session) -> Response:
    """Return the first page after sign-in, depending on earlier entries and on how many profiles have the address."""
    theirs = index.with_address(services.database, services.seal, tenant.slug, session.email)
    if len(theirs) == 1:
        return _with_record(services, tenant, session, theirs[0].key)
    if len(theirs) > 1 and draft.opened(services.seal, session, request.form.get("typed", "")):
        return _choose_page(services, tenant, session, 200)
    return redirect_to(services, tenant, "/profile/record" if theirs else "/profile/applications")


def _add_choice_pages(pages: Blueprint, services: AccountServices) -> None:
    @pages.get("/<slug>/profile/record")
    @private
    @for_tenant(services.tenants)
    @signed_in(services)
    def choose(tenant: Tenant, session: Session) -> Response:
        return _choose_page(services, tenant, session, 200)

    @pages.post("/<slug>/profile/record")
    @private
    @for_tenant(services.tenants)
    @signed_in(services)
    def chosen(tenant: Tenant, session: Session) -> Response:
        expect_small_form(request)
        ours = form_id_in(services, tenant, session, request.form.get("token", ""))
        theirs = index.with_address(services.database, services.seal, tenant.slug, session.email)
        for one in theirs:
            if ours and _choice(services.seal, session, one.key) == request.form.get("record"):
                return _with_record(services, tenant, session, one.key)
        return _choose_page(services, tenant, session, 422)


def _with_record(services: AccountServices, tenant: Tenant, session: Session, key: str) -> Response:
    """Choose the profile for this session; return the form with the earlier entries, or the applications."""
    sessions.choose(services.database, session, key, clock=services.clock)
    before = draft.opened(services.seal, session, request.form.get("typed", ""))
    if before is None:
        return redirect_to(services, tenant, "/profile/applications")
    g.signed_in_as = masked(session.email)
    return Editing(services, tenant, replace(session, candidate=key)).resume(before)


def _choice(seal: Seal, session: Session, key: str) -> str:
    """Return the value that stands for a profile on the page of choice; it is meaningless in any other session."""
    return seal.hash("choice", session.holder, key)[:20]


def _choose_page(services: AccountServices, tenant: Tenant, session: Session, status: int) -> Response:
    several = index.with_address(services.database, services.seal, tenant.slug, session.email)
    read: dict[str, Current | None] = {}
    try:
        with services.asking(tenant) as service:
            for one in several:
                read[one.key] = current.fetch(service, one)
    except UpstreamError as error:
        log.warning("records of %s: %s", tenant.slug, error)
    records = [(_choice(services.seal, session, one.key), read.get(one.key)) for one in several]
    token = sign_form(services, tenant, session)
    page = render_template(
        "account/choose.html", records=records, token=token, status=status, typed_before=_sealed_draft(services)
    )
    return make_response(page, status)


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
    page = render_template(
        "account/ask.html",
        typed_before=sealed_draft,
        typed=text.displayable(typed),
        error=error,
        notice=notice,
        token=sign_form(services, tenant, None),
        signed_in=status != 429 and session_of(services, tenant, request) is not None,
    )
    return make_response(page, status)


def _code_page(
    services: AccountServices, tenant: Tenant, status: int, *, error: str = "", notice: str = "", sealed_draft: str = ""
) -> Response:
    page = render_template(
        "account/code.html",
        error=error,
        notice=notice,
        token=sign_form(services, tenant, None),
        minutes=max(1, round(services.code_ttl / 60)),
        typed_before=sealed_draft,
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
