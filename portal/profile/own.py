"""Beside the record: where a change stands, applications, everything that is kept, withdrawal and erasure."""

import logging
from datetime import datetime

from flask import Blueprint, Response, abort, jsonify, make_response, render_template, request

from portal.alerts import subscribing
from portal.applications.kind import APPLICATION
from portal.candidates import index
from portal.deliveries import person, receipt
from portal.deliveries.receipt import Receipt, ReceiptState
from portal.errors import UpstreamError
from portal.kinds import KINDS
from portal.logs import Seen, seen
from portal.parts import Parts
from portal.profile import cookies
from portal.profile.guard import form_id_in, refuse_elsewhere, see, sign_form, signed_in
from portal.profile.letters import subject_of
from portal.profile.own_record import keys_of
from portal.profile.progress import PublicWord, progress_of
from portal.profile.words import field_named, happened
from portal.records.change import wanted_of
from portal.records.kind import CHANGE
from portal.requests import access, owed
from portal.requests.access import Everything
from portal.sealing import mailbox_in_a_log
from portal.signin.sessions import Session
from portal.tenants.model import Tenant
from portal.web.access import private
from portal.web.locale import language
from portal.web.tenant import for_tenant

log = logging.getLogger(__name__)

_LOOK_AGAIN = 3


def add_to(pages: Blueprint, parts: Parts) -> None:
    """GET /{slug}/profile/changes/…, /applications, /data, /data.json; GET, POST /applications/…/withdraw, /erase;
    POST /alerts/…/end.
    """
    _changes(pages, parts)
    _applications(pages, parts)
    _data(pages, parts)
    _withdraw(pages, parts)
    _erase(pages, parts)
    _end_alert(pages, parts)


def _changes(pages: Blueprint, parts: Parts) -> None:
    @pages.get("/<slug>/profile/changes/<reference>")
    @private
    @for_tenant(parts.tenants)
    @signed_in(parts)
    def change(tenant: Tenant, session: Session, reference: str) -> Response:
        found = receipt.find(parts.database, tenant=tenant.slug, kind=CHANGE.name, reference=reference)
        keys = keys_of(parts, session)
        if found is None or found.about not in keys:
            abort(404)
        wanted = wanted_of(parts.database, parts.seal, tenant=tenant.slug, keys=keys, reference=reference)
        refresh = _LOOK_AGAIN if found.state is ReceiptState.RECEIVED else None
        page = render_template("profile/change.html", change=found, wanted=wanted is not None, refresh=refresh)
        return make_response(page)


def _applications(pages: Blueprint, parts: Parts) -> None:
    @pages.get("/<slug>/profile/applications")
    @private
    @for_tenant(parts.tenants)
    @signed_in(parts)
    def applications(tenant: Tenant, session: Session) -> Response:
        sent = _sent(parts, session)
        words: dict[str, PublicWord] = {}
        if tenant.profile.show_status and session.candidate:
            who = index.one(parts.database, parts.seal, tenant.slug, session.email, session.candidate)
            if who is not None:
                words = _progress(parts, tenant, who.candidate_id, sent)
        page = render_template(
            "profile/applications.html",
            sent=sent,
            also=_also(sent),
            words=words,
            requests=owed.of_person(parts.database, parts.seal, tenant=tenant.slug, email=session.email),
        )
        return make_response(page)


def _also(sent: list[Receipt]) -> dict[str, datetime]:
    """Reference → when they applied for the same job before. sent: newest first."""
    stand = [one for one in sent if one.state is not ReceiptState.WITHDRAWN]
    earlier = (
        (one.reference, next((other.accepted_at for other in stand[at + 1 :] if other.about == one.about), None))
        for at, one in enumerate(stand)
    )
    return {reference: at for reference, at in earlier if at}


def _progress(parts: Parts, tenant: Tenant, candidate_id: str, sent: list[Receipt]) -> dict[str, PublicWord]:
    try:
        with parts.asking(tenant) as service:
            return progress_of(parts.database, service, tenant, candidate_id, sent)
    except UpstreamError as error:
        log.warning("progress of applications at %s: %s", tenant.slug, error)
        return {}


def _data(pages: Blueprint, parts: Parts) -> None:
    @pages.get("/<slug>/profile/data")
    @private
    @for_tenant(parts.tenants)
    @signed_in(parts)
    def data(tenant: Tenant, session: Session) -> Response:
        page = render_template(
            "profile/data.html",
            everything=_everything(parts, session),
            token=sign_form(parts, tenant, session),
            application=APPLICATION.name,
            change=CHANGE.name,
            happened=happened,
            field_named=field_named,
        )
        return make_response(page)

    @pages.get("/<slug>/profile/data.json")
    @private
    @for_tenant(parts.tenants)
    @signed_in(parts)
    def download(tenant: Tenant, session: Session) -> Response:
        response = jsonify({"company": tenant.name, **_everything(parts, session).as_json(KINDS)})
        response.headers["Content-Disposition"] = f'attachment; filename="{tenant.slug}-my-data.json"'
        return response


def _everything(parts: Parts, session: Session) -> Everything:
    return access.everything(
        parts.database, parts.seal, KINDS, session=session, keys=keys_of(parts, session), subject_of=subject_of
    )


def _withdraw(pages: Blueprint, parts: Parts) -> None:
    @pages.get("/<slug>/profile/applications/<reference>/withdraw")
    @private
    @for_tenant(parts.tenants)
    @signed_in(parts)
    def really_withdraw(tenant: Tenant, session: Session, reference: str) -> Response:
        one = _one(parts, session, reference)
        if one.state is ReceiptState.WITHDRAWN:
            return see(parts, tenant, "/profile/applications")
        page = render_template("profile/withdraw.html", one=one, token=sign_form(parts, tenant, session))
        return make_response(page)

    @pages.post("/<slug>/profile/applications/<reference>/withdraw")
    @private
    @for_tenant(parts.tenants)
    @signed_in(parts)
    def withdraw(tenant: Tenant, session: Session, reference: str) -> Response:
        one = _one(parts, session, reference)
        if not _is_meant(parts, tenant, session):
            return see(parts, tenant, f"/profile/applications/{reference}/withdraw")
        asked = owed.withdraw(
            parts.database,
            parts.seal,
            tenant=tenant,
            session=session,
            kind=APPLICATION.name,
            about=one.reference,
            locale=language(tenant),
            clock=parts.clock,
        )
        if asked is not None:
            mailbox = mailbox_in_a_log(parts.seal, session.email)
            seen(Seen.WITHDRAWN, tenant=tenant.slug, mailbox=mailbox, reference=one.reference)
        return see(parts, tenant, "/profile/applications")


def _erase(pages: Blueprint, parts: Parts) -> None:
    @pages.get("/<slug>/profile/erase")
    @private
    @for_tenant(parts.tenants)
    @signed_in(parts)
    def really_erase(tenant: Tenant, session: Session) -> Response:
        return make_response(render_template("profile/erase.html", token=sign_form(parts, tenant, session)))

    @pages.post("/<slug>/profile/erase")
    @private
    @for_tenant(parts.tenants)
    @signed_in(parts)
    def erase(tenant: Tenant, session: Session) -> Response:
        if not _is_meant(parts, tenant, session):
            return see(parts, tenant, "/profile/erase")
        asked = owed.erase(
            parts.database,
            parts.seal,
            tenant=tenant,
            session=session,
            locale=language(tenant),
            clock=parts.clock,
        )
        if asked is None:
            return see(parts, tenant, "/profile")
        seen(Seen.ERASURE_ASKED, tenant=tenant.slug, mailbox=mailbox_in_a_log(parts.seal, session.email))
        response = make_response(render_template("profile/erased.html", asked=asked))
        cookies.drop(response, parts, tenant, cookies.SESSION)
        return response


def _end_alert(pages: Blueprint, parts: Parts) -> None:
    @pages.post("/<slug>/profile/alerts/<alert>/end")
    @private
    @for_tenant(parts.tenants)
    @signed_in(parts)
    def end_alert(tenant: Tenant, session: Session, alert: str) -> Response:
        if _is_meant(parts, tenant, session):
            theirs = {"tenant": tenant.slug, "email": session.email}
            with parts.database.write() as connection:
                subscribing.end_of_person(connection, parts.seal, **theirs, alert=alert, now=parts.clock.now())
        return see(parts, tenant, "/profile/data")


def _is_meant(parts: Parts, tenant: Tenant, session: Session) -> bool:
    """Whether this post comes from the page that asks whether it is really wanted."""
    refuse_elsewhere(parts, request)
    return form_id_in(parts, tenant, session, request.form.get("token", "")) is not None


def _one(parts: Parts, session: Session, reference: str) -> Receipt:
    """An application of this person, else 404."""
    found = [one for one in _sent(parts, session) if one.reference == reference]
    return found[0] if found else abort(404)


def _sent(parts: Parts, session: Session) -> list[Receipt]:
    return person.sent_by(parts.database, parts.seal, tenant=session.tenant, kind=APPLICATION.name, email=session.email)
