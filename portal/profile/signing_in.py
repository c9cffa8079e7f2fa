"""Ask for a code, enter it, choose a record, sign out.

Whether an address is known shows in no page, status or time: asking writes one request for any address, and who it
belongs to is found out by the worker, which writes to either.
"""

import logging

from flask import Blueprint, Request, Response, make_response, render_template, request
from flask_babel import get_locale, gettext, ngettext

from portal.candidates import index
from portal.errors import UpstreamError
from portal.profile import cookies
from portal.profile.formtoken import new_form_id
from portal.profile.guard import refuse_elsewhere, see, session_of, signed_in
from portal.profile.kit import Kit
from portal.profile.words import typed_wrong
from portal.records import current, history
from portal.records.current import Current
from portal.records.history import What
from portal.sealing import address_hash, mailbox_hash
from portal.signin import codes, sessions
from portal.signin.codes import Purpose
from portal.signin.sessions import Session
from portal.tenants.model import Tenant
from portal.web.access import private
from portal.web.fields import email_address, text
from portal.web.fields.refusal import Refused
from portal.web.tenant import for_tenant

log = logging.getLogger(__name__)


def add_to(pages: Blueprint, kit: Kit) -> None:
    """GET, POST /{slug}/profile, /profile/code, /profile/record; POST /profile/sign-out."""
    _ask(pages, kit)
    _code(pages, kit)
    _choose(pages, kit)

    @pages.post("/<slug>/profile/sign-out")
    @private
    @for_tenant(kit.services.tenants)
    def sign_out(tenant: Tenant) -> Response:
        refuse_elsewhere(kit, request)
        token = cookies.read(request, kit.services, tenant, cookies.SESSION)
        if token is not None:
            sessions.close(kit.services.database, kit.seal, tenant=tenant.slug, token=token)
        response = see(kit, tenant, "/profile")
        cookies.drop(response, kit.services, tenant, cookies.SESSION)
        return response


def _ask(pages: Blueprint, kit: Kit) -> None:
    @pages.get("/<slug>/profile")
    @private
    @for_tenant(kit.services.tenants)
    def ask(tenant: Tenant) -> Response:
        return _ask_page(kit, tenant, 200, typed=kit.invitations.address(tenant.slug, request.args.get("to", "")))

    @pages.post("/<slug>/profile")
    @private
    @for_tenant(kit.services.tenants)
    def send_code(tenant: Tenant) -> Response:
        refuse_elsewhere(kit, request)
        typed = request.form.get("email", "")
        if not _is_ours(kit, tenant, request):
            return _ask_page(kit, tenant, 422, typed=typed, notice=_again())
        try:
            email = email_address.parse(typed)
        except Refused as why:
            return _ask_page(
                kit, tenant, 422, typed=typed, error=typed_wrong(why, gettext("Enter your e-mail address."))
            )
        pause = kit.limit.asking(
            tenant=tenant.slug,
            address=address_hash(kit.seal, tenant.slug, email),
            mailbox=mailbox_hash(kit.seal, email),
            remote_address=request.remote_addr,
        )
        if pause is not None:
            response = _ask_page(kit, tenant, 429, typed=typed, notice=_too_often(pause))
            response.headers["Retry-After"] = str(pause)
            return response
        return _request_code(kit, tenant, email)


def _request_code(kit: Kit, tenant: Tenant, email: str) -> Response:
    services, token = kit.services, codes.new_token()
    with services.database.write() as connection:
        codes.ask(
            connection,
            kit.seal,
            tenant=tenant.slug,
            purpose=Purpose.SIGN_IN,
            holder=codes.holder_of(kit.seal, token),
            email=email,
            locale=str(get_locale()),
            ttl=services.settings.code_ttl,
            now=services.clock.now(),
        )
    response = see(kit, tenant, "/profile/code")
    cookies.put(response, services, tenant, cookies.ASKED, token, seconds=services.settings.code_ttl * 2)
    return response


def _code(pages: Blueprint, kit: Kit) -> None:
    @pages.get("/<slug>/profile/code")
    @private
    @for_tenant(kit.services.tenants)
    def code(tenant: Tenant) -> Response:
        return _code_page(kit, tenant, 200)

    @pages.post("/<slug>/profile/code")
    @private
    @for_tenant(kit.services.tenants)
    def enter(tenant: Tenant) -> Response:
        refuse_elsewhere(kit, request)
        if not _is_ours(kit, tenant, request):
            return _code_page(kit, tenant, 422, notice=_again())
        pause = kit.limit.trying(remote_address=request.remote_addr)
        if pause is not None:
            response = _code_page(kit, tenant, 429, notice=_too_often(pause))
            response.headers["Retry-After"] = str(pause)
            return response
        typed = codes.digits_in(request.form.get("code", ""))
        asked = cookies.read(request, kit.services, tenant, cookies.ASKED)
        # Even without a cookie a try costs the same, so that nothing can be learnt from its time.
        holder = codes.holder_of(kit.seal, asked or "")
        token = sessions.sign_in(
            kit.services.database, kit.seal, tenant=tenant.slug, holder=holder, typed=typed, clock=kit.services.clock
        )
        return _code_page(kit, tenant, 422, error=_wrong_code()) if token is None else _welcome(kit, tenant, token)


def _welcome(kit: Kit, tenant: Tenant, token: str) -> Response:
    """A new session under a new token; the token that asked is of no more use."""
    services = kit.services
    session = sessions.find(
        services.database,
        kit.seal,
        tenant=tenant.slug,
        token=token,
        ttl=services.settings.session_ttl,
        clock=services.clock,
    )
    path = "/profile/edit"
    if session is not None:
        theirs = index.with_address(services.database, kit.seal, tenant.slug, session.email)
        if len(theirs) == 1:
            _choose_record(kit, tenant, session, theirs[0].key)
        elif len(theirs) > 1:
            path = "/profile/record"
    response = see(kit, tenant, path)
    cookies.put(response, services, tenant, cookies.SESSION, token, seconds=None)
    cookies.drop(response, services, tenant, cookies.ASKED)
    return response


def _choose(pages: Blueprint, kit: Kit) -> None:
    @pages.get("/<slug>/profile/record")
    @private
    @for_tenant(kit.services.tenants)
    @signed_in(kit)
    def choose(tenant: Tenant, session: Session) -> Response:
        return _choose_page(kit, tenant, session, 200)

    @pages.post("/<slug>/profile/record")
    @private
    @for_tenant(kit.services.tenants)
    @signed_in(kit)
    def chosen(tenant: Tenant, session: Session) -> Response:
        refuse_elsewhere(kit, request)
        services = kit.services
        ours = kit.signer.read(
            request.form.get("token", ""), tenant=tenant.slug, session=session.holder, now=services.clock.now()
        )
        theirs = index.with_address(services.database, kit.seal, tenant.slug, session.email)
        for one in theirs:
            if ours and _choice(kit, session, one.key) == request.form.get("record"):
                _choose_record(kit, tenant, session, one.key)
                return see(kit, tenant, "/profile/edit")
        return _choose_page(kit, tenant, session, 422)


def _choose_record(kit: Kit, tenant: Tenant, session: Session, key: str) -> None:
    services = kit.services
    if session.candidate == key:
        return  # chosen already: nothing happened that would belong into the history
    sessions.choose(services.database, session, key)
    with services.database.write() as connection:
        history.note(
            connection,
            tenant=tenant.slug,
            candidate=key,
            address=session.address,
            what=What.SIGNED_IN,
            now=services.clock.now(),
        )


def _choice(kit: Kit, session: Session, key: str) -> str:
    """What a record is called in the choosing page: means nothing in any other session."""
    return kit.seal.hash("choice", session.holder, key)[:20]


def _choose_page(kit: Kit, tenant: Tenant, session: Session, status: int) -> Response:
    services = kit.services
    several = index.with_address(services.database, kit.seal, tenant.slug, session.email)
    read: dict[str, Current | None] = {}
    try:
        with kit.patience.asking(tenant) as service:
            for one in several:
                read[one.key] = current.fetch(service, one)
    except UpstreamError as error:
        log.warning("records of %s: %s", tenant.slug, error)
    records = [(_choice(kit, session, one.key), read.get(one.key)) for one in several]
    token = kit.signer.sign(tenant=tenant.slug, session=session.holder, form_id=new_form_id(), now=services.clock.now())
    return make_response(render_template("profile/choose.html", records=records, token=token, status=status), status)


def _ask_page(kit: Kit, tenant: Tenant, status: int, *, typed: str = "", error: str = "", notice: str = "") -> Response:
    page = render_template(
        "profile/ask.html",
        typed=text.displayable(typed),
        error=error,
        notice=notice,
        token=_token(kit, tenant),
        signed_in=session_of(kit, tenant, request) is not None,
    )
    return make_response(page, status)


def _code_page(kit: Kit, tenant: Tenant, status: int, *, error: str = "", notice: str = "") -> Response:
    minutes = max(1, round(kit.services.settings.code_ttl / 60))
    page = render_template("profile/code.html", error=error, notice=notice, token=_token(kit, tenant), minutes=minutes)
    return make_response(page, status)


def _token(kit: Kit, tenant: Tenant) -> str:
    return kit.signer.sign(tenant=tenant.slug, session="", form_id=new_form_id(), now=kit.services.clock.now())


def _is_ours(kit: Kit, tenant: Tenant, asked: Request) -> bool:
    token = asked.form.get("token", "")
    return kit.signer.read(token, tenant=tenant.slug, session="", now=kit.services.clock.now()) is not None


def _again() -> str:
    return str(gettext("This page was open for too long, so nothing was sent. Please send it again."))


def _wrong_code() -> str:
    return str(
        gettext("This code is not right, or it is no longer valid. Look for our newest message, or ask for a new code.")
    )


def _too_often(seconds: int) -> str:
    return str(
        ngettext(
            "This was asked for very often. Please look through your mail, spam folder included, and try again in "
            "%(num)s minute.",
            "This was asked for very often. Please look through your mail, spam folder included, and try again in "
            "%(num)s minutes.",
            -(-seconds // 60),
        )
    )
