"""Routes to sign in: request a code, enter it, sign out.

No page, status or response time reveals whether an address is known: a request for a code writes one row for any
address; the worker looks the address up, and sends an email in either case.
"""

import json
from functools import partial

from flask import Blueprint, Request, Response, make_response, render_template, request
from flask_babel import gettext

from portal.delivery.envelopes import person
from portal.people.signin import codes, sessions
from portal.platform.crypto.sealing import Seal, Unreadable
from portal.site.account import draft, guard, record_choice
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
from portal.site.forms.code_sign_in import CodeSignIn, SignInRefused, typed_code, wrong_code
from portal.site.forms.fields import email_address, text
from portal.site.forms.fields.refusal import Refused
from portal.site.routing.access import private
from portal.site.routing.tenant import for_tenant
from portal.site.words.locale import language
from portal.tenants.model import Tenant

_INVITATION, _INVITATION_LONGEST = "portal.invitation", 2_000


def add_routes(pages: Blueprint, services: AccountServices) -> None:
    """Add GET, POST /{slug}/profile, /profile/code; POST /profile/sign-out."""
    _add_email_pages(pages, services)
    _add_code_pages(pages, services)

    @pages.post("/<slug>/profile/sign-out")
    @private
    @for_tenant(services.tenants)
    def sign_out(tenant: Tenant) -> Response:
        expect_small_form(request)
        token = guard.cookie(services, tenant, guard.SESSION_COOKIE).read(request)
        if token is not None:
            sessions.close(services.database, services.seal, tenant=tenant.slug, token=token)
        response = redirect_to(services, tenant, "/profile")
        guard.cookie(services, tenant, guard.SESSION_COOKIE).delete(response)
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
            services, tenant, 200, typed=_invited(services.seal, tenant.slug, request.args.get("to", ""))
        )

    @pages.post("/<slug>/profile")
    @private
    @for_tenant(services.tenants)
    def send_code(tenant: Tenant) -> Response:
        expect_small_form(request)
        asked = _by_code(services, tenant)
        try:
            email = asked.address(partial(_has_valid_form_token, services, tenant))
        except SignInRefused as why:
            typed = request.form.get("email", "")
            page = _email_page(services, tenant, why.status, typed=typed, error=why.error, notice=why.notice)
            return why.on(page)
        token = asked.queue(email, language(tenant))
        before = draft.posted(services.seal, request)
        response = _code_page(services, tenant, 200) if before else redirect_to(services, tenant, "/profile/code")
        asked.cookie.set(response, token, seconds=services.code_ttl * 2)
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
        asked = _by_code(services, tenant)
        try:
            before = guard.cookie(services, tenant, guard.SESSION_COOKIE)
            token = asked.session(partial(_has_valid_form_token, services, tenant), before=before, is_candidate=True)
            if token is None:
                if again := _sent_again(services, tenant, asked.holder):
                    return again
                raise wrong_code()
        except SignInRefused as why:
            return why.on(_code_page(services, tenant, why.status, error=why.error, notice=why.notice))
        return _welcome(services, tenant, token)


def _sent_again(services: AccountServices, tenant: Tenant, holder: str) -> Response | None:
    """Return the next page if this code has just signed this browser in (a double click posts it twice), else None."""
    session = session_of(services, tenant, request)
    with services.database.read() as connection:
        spent = codes.was_used_by_browser(
            connection,
            services.seal,
            tenant=tenant.slug,
            holder=holder,
            typed=typed_code(),
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

    Deliveries of the address that were hashed with a former secret key are re-hashed, so that the key can be removed
    later.
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
    guard.cookie(services, tenant, guard.SESSION_COOKIE).set(response, token, seconds=None)
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


def _by_code(services: AccountServices, tenant: Tenant) -> CodeSignIn:
    cookie = guard.cookie(services, tenant, guard.CODE_REQUEST_COOKIE)
    common = services.database, services.seal, services.clock, services.throttle
    return CodeSignIn(*common, tenant.slug, cookie, services.code_ttl)


def _has_valid_form_token(services: AccountServices, tenant: Tenant) -> bool:
    return form_id_in(services, tenant, None, request.form.get("token", "")) is not None


def invitation_for(seal: Seal, tenant: str, address: str) -> str:
    """Return the value of `?to=` in an invitation's link, sealed so that no log or browser history has the address.

    The value does not prove who opens the link. Any browser may send it, so it is encrypted for this use only and
    cannot pass for anything that the database stores.
    """
    return seal.seal(json.dumps([tenant, address]), use=_INVITATION)


def _invited(seal: Seal, tenant: str, given: str) -> str:
    """Return the email address; "" if the value is not an invitation of that tenant."""
    if not given or len(given) > _INVITATION_LONGEST:
        return ""
    try:
        of, address = json.loads(seal.open(given, use=_INVITATION))
        return email_address.parse(address) if of == tenant else ""
    except (Unreadable, Refused):
        return ""
