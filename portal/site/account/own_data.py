"""Everything that is stored about a candidate: shown, downloaded, erased. Each needs a fresh code to the session's
address.

Signing in counts as a fresh code for codes.PROOF_MAX_AGE. After that, a page asks for a code and continues
automatically once it is entered.
"""

from datetime import datetime

from flask import Blueprint, Response, abort, jsonify, make_response, render_template, request
from flask_babel import force_locale, get_locale, gettext

from portal.background.mails.queue import WaitingEmail
from portal.delivery.kinds import KINDS
from portal.delivery.privacy_requests import access, requests
from portal.delivery.privacy_requests.access import Everything
from portal.delivery.privacy_requests.requests import ErasureBlockedUntil
from portal.delivery.record_changes.change import SessionOver
from portal.people.signin.sessions import Session
from portal.platform import local_time
from portal.platform.crypto.sealing import mailbox_in_a_log
from portal.platform.logs import SecurityEvent, log_security_event
from portal.site.account import guard
from portal.site.account.address_proof import AddressProof, PendingProof
from portal.site.account.data_sections import sections, when
from portal.site.account.guard import AccountServices, is_confirmed, own_page, redirect_to, sign_form
from portal.site.account.own_record import address_gone_page, keys_of
from portal.site.words.locale import direction, language, zone
from portal.tenants.model import Tenant


def add_routes(pages: Blueprint, services: AccountServices) -> None:
    """Add GET, POST /{slug}/profile/data; GET /{slug}/profile/data.json, data.pdf; GET, POST /{slug}/profile/erase."""
    _data(pages, services)
    _download(pages, services)
    _erase(pages, services)


def _data(pages: Blueprint, services: AccountServices) -> None:
    @pages.get("/<slug>/profile/data")
    @own_page(services)
    def data(tenant: Tenant, session: Session) -> Response:
        if not AddressProof(services).is_fresh(session):
            return _confirm_page(services, tenant, session, "/profile/data")
        page = render_template(
            "account/data.html",
            sections=sections(_everything(services, session), tenant),
            token=sign_form(services, tenant, session),
        )
        return make_response(page)

    @pages.post("/<slug>/profile/data")
    @own_page(services)
    def confirm(tenant: Tenant, session: Session) -> Response:
        if not is_confirmed(services, tenant, session):
            return redirect_to(services, tenant, "/profile/data")
        refused = _require_fresh_code(services, tenant, session, "/profile/data")
        return refused or redirect_to(services, tenant, "/profile/data")


def _download(pages: Blueprint, services: AccountServices) -> None:
    @pages.get("/<slug>/profile/data.json")
    @own_page(services)
    def download(tenant: Tenant, session: Session) -> Response:
        refused = _not_downloadable(services, tenant, session)
        if refused is not None:
            return refused
        response = jsonify({"company": tenant.name, **_everything(services, session).as_json(KINDS)})
        response.headers["Content-Disposition"] = f'attachment; filename="{tenant.slug}-my-data.json"'
        return response

    @pages.get("/<slug>/profile/data.pdf")
    @own_page(services)
    def download_pdf(tenant: Tenant, session: Session) -> Response:
        refused = _not_downloadable(services, tenant, session)
        if refused is not None:
            return refused
        from portal.site.account import data_pdf  # imported here because the library takes 8 MB

        data_sections = sections(_everything(services, session), tenant)
        try:
            body = data_pdf.render(data_sections, **_pdf_words(tenant, services.clock.now()))
        except data_pdf.TooBusy:
            abort(503)
        response = Response(body, mimetype="application/pdf")
        response.headers["Content-Disposition"] = f'attachment; filename="{tenant.slug}-my-data.pdf"'
        return response


def _not_downloadable(services: AccountServices, tenant: Tenant, session: Session) -> Response | None:
    """Return the page shown in place of a download, if a fresh code is required or the record has lost the address."""
    if not AddressProof(services).is_fresh(session):
        return redirect_to(services, tenant, "/profile/data")
    return address_gone_page(services, tenant, session)


def _pdf_words(tenant: Tenant, now: datetime) -> dict[str, str]:
    as_of = gettext(
        "What the careers site of %(company)s holds about you, as of %(when)s.", company=tenant.name, when=when(now)
    )
    time_zone_note = gettext("Time zone: %(zone)s", zone=local_time.zone_in_words(get_locale(), zone()))
    lang = language(tenant)
    return {
        "title": gettext("My data"),
        "lead": f"{as_of} {time_zone_note}",
        "none": gettext("None"),
        "cut": gettext("Not everything fits in this document. The JSON file has all of it."),
        "lang": lang,
        "direction": direction(lang),
    }


def _everything(services: AccountServices, session: Session) -> Everything:
    db, seal = services.database, services.seal
    keys = keys_of(db, seal, session)
    return access.everything(db, seal, KINDS, session=session, keys=keys, subject_of=subject_of)


def _erase(pages: Blueprint, services: AccountServices) -> None:
    @pages.get("/<slug>/profile/erase")
    @own_page(services)
    def erase_form(tenant: Tenant, session: Session) -> Response:
        return make_response(render_template("account/erase.html", token=sign_form(services, tenant, session)))

    @pages.post("/<slug>/profile/erase")
    @own_page(services)
    def erase(tenant: Tenant, session: Session) -> Response:
        if not is_confirmed(services, tenant, session):
            return redirect_to(services, tenant, "/profile/erase")
        refused = address_gone_page(services, tenant, session)
        refused = refused or _require_fresh_code(services, tenant, session, "/profile/erase")
        return refused or _erased(services, tenant, session)


def _erased(services: AccountServices, tenant: Tenant, session: Session) -> Response:
    try:
        erasure_request = requests.erase(
            services.database,
            services.seal,
            tenant=tenant,
            session=session,
            locale=language(tenant),
            clock=services.clock,
        )
    except ErasureBlockedUntil as held:
        return make_response(render_template("account/erase_later.html", until=held.until), 409)
    if erasure_request is None:
        return redirect_to(services, tenant, "/profile")
    log_security_event(
        SecurityEvent.ERASURE_ASKED, tenant=tenant.slug, mailbox=mailbox_in_a_log(services.seal, session.email)
    )
    response = make_response(render_template("account/erased.html", erasure_request=erasure_request))
    guard.cookie(services, tenant, guard.SESSION_COOKIE).delete(response)
    return response


def _require_fresh_code(services: AccountServices, tenant: Tenant, session: Session, path: str) -> Response | None:
    """Send a fresh code and return the page that asks for it; None once it has been entered."""
    try:
        pending_proof = AddressProof(services).own(tenant, session, request.form, request.remote_addr)
    except SessionOver:
        return redirect_to(services, tenant, "/profile")
    return _confirm_page(services, tenant, session, path, pending_proof) if pending_proof else None


def _confirm_page(
    services: AccountServices, tenant: Tenant, session: Session, path: str, pending_proof: PendingProof | None = None
) -> Response:
    token = sign_form(services, tenant, session)
    page = render_template("account/confirm.html", path=path, pending_proof=pending_proof, token=token)
    return make_response(page, pending_proof.status if pending_proof else 200)


def subject_of(email: WaitingEmail) -> str:
    """Return the first line of the mail's template in the mail's language; the tenant is that of the current page."""
    with force_locale(email.locale.replace("-", "_")):
        words = render_template(f"mail/{email.template}.txt", **email.facts)
    return " ".join(words.partition("\n")[0].split())
