"""Ask for a code, enter it, choose a record, sign out.

Whether an address is known shows in no page, status or time: asking writes one request for any address, and who it
belongs to is found out by the worker, which writes to either.
"""

import logging
from dataclasses import replace

from flask import Blueprint, Request, Response, g, make_response, render_template, request
from flask_babel import gettext, ngettext

from portal.candidates import history, index
from portal.candidates.history import What
from portal.errors import UpstreamError
from portal.letters import allowance
from portal.logs import Seen, seen
from portal.parts import Parts
from portal.profile import asking_limit, cookies, invitation, typed_before
from portal.profile.editing import PARTS_MOST, Editing
from portal.profile.guard import form_id_in, masked, refuse_elsewhere, see, session_of, sign_form, signed_in
from portal.records import current
from portal.records.current import Current
from portal.sealing import address_hash, mailbox_hash, mailbox_in_a_log
from portal.signin import codes, sessions
from portal.signin.codes import Purpose
from portal.signin.sessions import Session
from portal.tenants.model import Tenant
from portal.web import body
from portal.web.access import private
from portal.web.fields import email_address, text, words
from portal.web.fields.refusal import Refused
from portal.web.locale import language
from portal.web.tenant import for_tenant

log = logging.getLogger(__name__)


def add_to(pages: Blueprint, parts: Parts) -> None:
    """GET, POST /{slug}/profile, /profile/code, /profile/record; POST /profile/sign-out."""
    _ask(pages, parts)
    _code(pages, parts)
    _choose(pages, parts)

    @pages.post("/<slug>/profile/sign-out")
    @private
    @for_tenant(parts.tenants)
    def sign_out(tenant: Tenant) -> Response:
        refuse_elsewhere(parts, request)
        token = cookies.read(request, parts, tenant, cookies.SESSION)
        if token is not None:
            sessions.close(parts.database, parts.seal, tenant=tenant.slug, token=token)
        response = see(parts, tenant, "/profile")
        cookies.drop(response, parts, tenant, cookies.SESSION)
        return response


def ask_again(parts: Parts, tenant: Tenant, asked: Request) -> Response:
    """A record's form that came without a session: sign in again, and what was typed is there."""
    limit = parts.settings.max_cv_bytes
    with body.received(asked, file_field="cv", max_file=limit, most_parts=PARTS_MOST) as posted:
        refuse_elsewhere(parts, asked)
        typed = typed_before.sealed(parts.seal, tenant.slug, posted.fields, had_file=posted.file is not None)
    if not typed:
        return see(parts, tenant, "/profile")
    notice = gettext(
        "You were signed out meanwhile, so nothing was sent. Sign in again with the same address: what you typed is "
        "there then."
    )
    return _ask_page(parts, tenant, 403, notice=notice, typed_before=typed)


def _typed_before(parts: Parts) -> str:
    """What a form of ours brings along from before; nothing where it is none of ours."""
    given = request.form.get("typed", "")
    return given if typed_before.is_ours(parts.seal, given) else ""


def _ask(pages: Blueprint, parts: Parts) -> None:
    @pages.get("/<slug>/profile")
    @private
    @for_tenant(parts.tenants)
    def ask(tenant: Tenant) -> Response:
        return _ask_page(
            parts, tenant, 200, typed=invitation.address_in(parts.seal, tenant.slug, request.args.get("to", ""))
        )

    @pages.post("/<slug>/profile")
    @private
    @for_tenant(parts.tenants)
    def send_code(tenant: Tenant) -> Response:
        refuse_elsewhere(parts, request)
        pause = asking_limit.posting(parts.throttle, "ask", remote_address=request.remote_addr)
        typed = request.form.get("email", "")
        if pause is not None:
            return _ask_later(parts, tenant, typed, pause)
        if not _is_ours(parts, tenant, request):
            return _ask_page(parts, tenant, 422, typed=typed, notice=_again(), typed_before=_typed_before(parts))
        try:
            email = email_address.parse(typed)
        except Refused as why:
            error = words.refused(why, missing=gettext("Enter your e-mail address."))
            return _ask_page(parts, tenant, 422, typed=typed, error=error, typed_before=_typed_before(parts))
        pause = asking_limit.asking(
            parts.throttle,
            tenant=tenant.slug,
            address=address_hash(parts.seal, tenant.slug, email),
            mailbox=mailbox_hash(parts.seal, email),
            remote_address=request.remote_addr,
            known=lambda: _is_known(parts, email, request.remote_addr),
        )
        if pause is not None:
            return _ask_later(parts, tenant, typed, pause)
        return _request_code(parts, tenant, email)


def _is_known(parts: Parts, email: str, remote_address: str | None) -> bool:
    network, now = asking_limit.asking_network(remote_address), parts.clock.now()
    with parts.database.read() as connection:
        return allowance.is_known(connection, parts.seal, recipient=email, network=network, now=now)


def _ask_later(parts: Parts, tenant: Tenant, typed: str, pause: int) -> Response:
    response = _ask_page(parts, tenant, 429, typed=typed, notice=_too_often(pause), typed_before=_typed_before(parts))
    response.headers["Retry-After"] = str(pause)
    return response


def _request_code(parts: Parts, tenant: Tenant, email: str) -> Response:
    # A browser that asks again stays the same holder: its new code revokes its old one, and where no new one is sent
    # the old one still works.
    token = cookies.read(request, parts, tenant, cookies.ASKED) or codes.new_token()
    with parts.database.write() as connection:
        codes.ask(
            connection,
            parts.seal,
            tenant=tenant.slug,
            purpose=Purpose.SIGN_IN,
            holder=codes.holder_of(parts.seal, token),
            email=email,
            locale=language(tenant),
            ttl=parts.settings.code_ttl,
            now=parts.clock.now(),
            network=asking_limit.asking_network(request.remote_addr),
        )
    seen(Seen.CODE_ASKED, tenant=tenant.slug, mailbox=mailbox_in_a_log(parts.seal, email))
    before = _typed_before(parts)
    response = _code_page(parts, tenant, 200, typed_before=before) if before else see(parts, tenant, "/profile/code")
    cookies.put(response, parts, tenant, cookies.ASKED, token, seconds=parts.settings.code_ttl * 2)
    return response


def _code(pages: Blueprint, parts: Parts) -> None:
    @pages.get("/<slug>/profile/code")
    @private
    @for_tenant(parts.tenants)
    def code(tenant: Tenant) -> Response:
        return _code_page(parts, tenant, 200)

    @pages.post("/<slug>/profile/code")
    @private
    @for_tenant(parts.tenants)
    def enter(tenant: Tenant) -> Response:
        refuse_elsewhere(parts, request)
        pause = asking_limit.trying(parts.throttle, remote_address=request.remote_addr)
        if pause is not None:
            response = _code_page(parts, tenant, 429, notice=_too_often(pause), typed_before=_typed_before(parts))
            response.headers["Retry-After"] = str(pause)
            return response
        if not _is_ours(parts, tenant, request):
            return _code_page(parts, tenant, 422, notice=_again(), typed_before=_typed_before(parts))
        typed = codes.digits_in(request.form.get("code", ""))
        asked = cookies.read(request, parts, tenant, cookies.ASKED)
        # Even without a cookie a try costs the same, so that nothing can be learnt from its time.
        holder = codes.holder_of(parts.seal, asked or "")
        token = sessions.sign_in(
            parts.database,
            parts.seal,
            tenant=tenant.slug,
            holder=holder,
            typed=typed,
            clock=parts.clock,
            network=asking_limit.asking_network(request.remote_addr),
        )
        if token is None:
            return _sent_again(parts, tenant, holder, typed) or _wrong(parts, tenant)
        return _welcome(parts, tenant, token)


def _wrong(parts: Parts, tenant: Tenant) -> Response:
    return _code_page(parts, tenant, 422, error=_wrong_code(), typed_before=_typed_before(parts))


def _sent_again(parts: Parts, tenant: Tenant, holder: str, typed: str) -> Response | None:
    """What the code that signed this browser in leads to when it comes a second time, as a double click sends it."""
    session = session_of(parts, tenant, request)
    with parts.database.read() as connection:
        spent = codes.is_spent_here(
            connection,
            parts.seal,
            tenant=tenant.slug,
            holder=holder,
            typed=typed,
            now=parts.clock.now(),
            opened=(session.address, session.opened_at) if session else None,
        )
    if not spent:
        return None
    if session is not None:
        return _first_page(parts, tenant, session)
    # The browser may not have taken the cookie yet that went with the first answer: it has it with the next page.
    return None if _typed_before(parts) else see(parts, tenant, "/profile/applications")


def _welcome(parts: Parts, tenant: Tenant, token: str) -> Response:
    """A new session under a new token; the token that asked is of no more use."""
    session = sessions.find(
        parts.database,
        parts.seal,
        tenant=tenant.slug,
        token=token,
        ttl=parts.settings.session_ttl,
        clock=parts.clock,
    )
    response = _first_page(parts, tenant, session) if session else see(parts, tenant, "/profile/applications")
    cookies.put(response, parts, tenant, cookies.SESSION, token, seconds=None)
    cookies.drop(response, parts, tenant, cookies.ASKED)
    return response


def _first_page(parts: Parts, tenant: Tenant, session: Session) -> Response:
    """Where who signed in goes on: by what was typed before, and by how many records have their address."""
    theirs = index.with_address(parts.database, parts.seal, tenant.slug, session.email)
    if len(theirs) == 1:
        return _with_record(parts, tenant, session, theirs[0].key)
    if len(theirs) > 1 and typed_before.opened(parts.seal, session, request.form.get("typed", "")):
        return _choose_page(parts, tenant, session, 200)
    return see(parts, tenant, "/profile/record" if theirs else "/profile/applications")


def _choose(pages: Blueprint, parts: Parts) -> None:
    @pages.get("/<slug>/profile/record")
    @private
    @for_tenant(parts.tenants)
    @signed_in(parts)
    def choose(tenant: Tenant, session: Session) -> Response:
        return _choose_page(parts, tenant, session, 200)

    @pages.post("/<slug>/profile/record")
    @private
    @for_tenant(parts.tenants)
    @signed_in(parts)
    def chosen(tenant: Tenant, session: Session) -> Response:
        refuse_elsewhere(parts, request)
        ours = form_id_in(parts, tenant, session, request.form.get("token", ""))
        theirs = index.with_address(parts.database, parts.seal, tenant.slug, session.email)
        for one in theirs:
            if ours and _choice(parts, session, one.key) == request.form.get("record"):
                return _with_record(parts, tenant, session, one.key)
        return _choose_page(parts, tenant, session, 422)


def _with_record(parts: Parts, tenant: Tenant, session: Session, key: str) -> Response:
    """The first page of who is signed in: the form with what was typed before, or the applications."""
    _choose_record(parts, tenant, session, key)
    before = typed_before.opened(parts.seal, session, request.form.get("typed", ""))
    if before is None:
        return see(parts, tenant, "/profile/applications")
    g.signed_in_as = masked(session.email)
    return Editing(parts, tenant, replace(session, candidate=key)).resume(before)


def _choose_record(parts: Parts, tenant: Tenant, session: Session, key: str) -> None:
    if session.candidate == key:
        return  # chosen already: nothing happened that would belong into the history
    sessions.choose(parts.database, session, key)
    with parts.database.write() as connection:
        history.note(
            connection,
            tenant=tenant.slug,
            candidate=key,
            address=session.address,
            what=What.SIGNED_IN,
            now=parts.clock.now(),
        )


def _choice(parts: Parts, session: Session, key: str) -> str:
    """What a record is called in the choosing page: means nothing in any other session."""
    return parts.seal.hash("choice", session.holder, key)[:20]


def _choose_page(parts: Parts, tenant: Tenant, session: Session, status: int) -> Response:
    several = index.with_address(parts.database, parts.seal, tenant.slug, session.email)
    read: dict[str, Current | None] = {}
    try:
        with parts.asking(tenant) as service:
            for one in several:
                read[one.key] = current.fetch(service, one)
    except UpstreamError as error:
        log.warning("records of %s: %s", tenant.slug, error)
    records = [(_choice(parts, session, one.key), read.get(one.key)) for one in several]
    token = sign_form(parts, tenant, session)
    page = render_template(
        "profile/choose.html", records=records, token=token, status=status, typed_before=_typed_before(parts)
    )
    return make_response(page, status)


def _ask_page(
    parts: Parts,
    tenant: Tenant,
    status: int,
    *,
    typed: str = "",
    error: str = "",
    notice: str = "",
    typed_before: str = "",
) -> Response:
    page = render_template(
        "profile/ask.html",
        typed_before=typed_before,
        typed=text.displayable(typed),
        error=error,
        notice=notice,
        token=sign_form(parts, tenant, None),
        signed_in=status != 429 and session_of(parts, tenant, request) is not None,
    )
    return make_response(page, status)


def _code_page(
    parts: Parts, tenant: Tenant, status: int, *, error: str = "", notice: str = "", typed_before: str = ""
) -> Response:
    page = render_template(
        "profile/code.html",
        error=error,
        notice=notice,
        token=sign_form(parts, tenant, None),
        minutes=max(1, round(parts.settings.code_ttl / 60)),
        typed_before=typed_before,
    )
    return make_response(page, status)


def _is_ours(parts: Parts, tenant: Tenant, asked: Request) -> bool:
    return form_id_in(parts, tenant, None, asked.form.get("token", "")) is not None


def _again() -> str:
    return str(gettext("This page was open for too long, so nothing was sent. Please send it again."))


def _wrong_code() -> str:
    return str(
        gettext("This code is not right, or it is no longer valid. Look for the newest message, or ask for a new code.")
    )


def _too_often(seconds: int) -> str:
    return str(
        ngettext(
            "Too many codes were requested. Look through your mail, spam folder included, or try again in %(num)s "
            "minute.",
            "Too many codes were requested. Look through your mail, spam folder included, or try again in %(num)s "
            "minutes.",
            -(-seconds // 60),
        )
    )
