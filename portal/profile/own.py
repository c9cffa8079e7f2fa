"""Beside the record: where a change stands, applications, all that is held, withdrawal and erasure."""

import logging

from flask import Blueprint, Response, abort, jsonify, make_response, render_template, request
from flask_babel import get_locale

from portal.applications import person
from portal.applications.model import ReceiptState
from portal.applications.person import SentApplication
from portal.candidates import index
from portal.errors import UpstreamError
from portal.profile import cookies
from portal.profile.formtoken import new_form_id
from portal.profile.guard import refuse_elsewhere, see, signed_in
from portal.profile.kit import Kit
from portal.profile.letters import subject_of
from portal.profile.standing import standing
from portal.profile.words import field_named, happened
from portal.records import held, history, receipt, requests
from portal.records.history import What
from portal.records.model import ChangeState
from portal.records.requests import Asked
from portal.signin.sessions import Session
from portal.tenants.model import Tenant
from portal.web.access import private
from portal.web.tenant import for_tenant

log = logging.getLogger(__name__)

_LOOK_AGAIN = 3


def add_to(pages: Blueprint, kit: Kit) -> None:
    """GET /{slug}/profile/changes/…, /applications, /data, /data.json; GET, POST /applications/…/withdraw, /erase."""
    _changes(pages, kit)
    _applications(pages, kit)
    _data(pages, kit)
    _withdraw(pages, kit)
    _erase(pages, kit)


def _changes(pages: Blueprint, kit: Kit) -> None:
    @pages.get("/<slug>/profile/changes/<reference>")
    @private
    @for_tenant(kit.services.tenants)
    @signed_in(kit)
    def change(tenant: Tenant, session: Session, reference: str) -> Response:
        found = receipt.find(
            kit.services.database,
            kit.seal,
            tenant=tenant.slug,
            candidate=session.candidate or "",
            reference=reference,
        )
        if found is None:
            abort(404)
        refresh = _LOOK_AGAIN if found.state is ChangeState.RECEIVED else None
        return make_response(render_template("profile/change.html", change=found, refresh=refresh))


def _applications(pages: Blueprint, kit: Kit) -> None:
    @pages.get("/<slug>/profile/applications")
    @private
    @for_tenant(kit.services.tenants)
    @signed_in(kit)
    def applications(tenant: Tenant, session: Session) -> Response:
        services = kit.services
        sent = _sent(kit, session)
        words: dict[str, str] = {}
        if tenant.profile.show_status and session.candidate:
            who = index.one(services.database, kit.seal, tenant.slug, session.email, session.candidate)
            if who is not None:
                words = _standing(kit, tenant, who.candidate_id, sent)
        page = render_template(
            "profile/applications.html",
            sent=sent,
            words=words,
            requests=requests.of_person(services.database, kit.seal, tenant=tenant.slug, email=session.email),
        )
        return make_response(page)


def _standing(kit: Kit, tenant: Tenant, candidate_id: str, sent: list[SentApplication]) -> dict[str, str]:
    try:
        with kit.patience.asking(tenant) as service:
            return standing(kit.services.database, service, tenant, candidate_id, sent)
    except UpstreamError as error:
        log.warning("standing of applications at %s: %s", tenant.slug, error)
        return {}


def _data(pages: Blueprint, kit: Kit) -> None:
    @pages.get("/<slug>/profile/data")
    @private
    @for_tenant(kit.services.tenants)
    @signed_in(kit)
    def data(tenant: Tenant, session: Session) -> Response:  # noqa: ARG001  the session is the tenant's
        everything = _everything(kit, session)
        return make_response(
            render_template("profile/data.html", held=everything, happened=happened, field_named=field_named)
        )

    @pages.get("/<slug>/profile/data.json")
    @private
    @for_tenant(kit.services.tenants)
    @signed_in(kit)
    def download(tenant: Tenant, session: Session) -> Response:
        everything = _everything(kit, session)
        response = jsonify({"company": tenant.name, **everything.as_json()})
        response.headers["Content-Disposition"] = f'attachment; filename="{tenant.slug}-my-data.json"'
        return response


def _everything(kit: Kit, session: Session) -> held.Everything:
    database = kit.services.database
    return held.everything(database, kit.seal, session=session, secrets=_secrets(kit), subject_of=subject_of)


def _withdraw(pages: Blueprint, kit: Kit) -> None:
    @pages.get("/<slug>/profile/applications/<reference>/withdraw")
    @private
    @for_tenant(kit.services.tenants)
    @signed_in(kit)
    def really_withdraw(tenant: Tenant, session: Session, reference: str) -> Response:
        one = _one(kit, session, reference)
        if one.state is ReceiptState.WITHDRAWN:
            return see(kit, tenant, "/profile/applications")
        page = render_template("profile/withdraw.html", one=one, token=_token(kit, tenant, session))
        return make_response(page)

    @pages.post("/<slug>/profile/applications/<reference>/withdraw")
    @private
    @for_tenant(kit.services.tenants)
    @signed_in(kit)
    def withdraw(tenant: Tenant, session: Session, reference: str) -> Response:
        one = _one(kit, session, reference)
        if not _is_meant(kit, tenant, session):
            return see(kit, tenant, f"/profile/applications/{reference}/withdraw")
        asked = _ask(kit, tenant, session, Asked.WITHDRAW, one.reference)
        if asked and session.candidate:
            with kit.services.database.write() as connection:
                history.note(
                    connection,
                    tenant=tenant.slug,
                    candidate=session.candidate,
                    address=session.address,
                    what=What.WITHDRAWN,
                    now=kit.services.clock.now(),
                    reference=reference,
                )
        return see(kit, tenant, "/profile/applications")


def _erase(pages: Blueprint, kit: Kit) -> None:
    @pages.get("/<slug>/profile/erase")
    @private
    @for_tenant(kit.services.tenants)
    @signed_in(kit)
    def really_erase(tenant: Tenant, session: Session) -> Response:
        return make_response(render_template("profile/erase.html", token=_token(kit, tenant, session)))

    @pages.post("/<slug>/profile/erase")
    @private
    @for_tenant(kit.services.tenants)
    @signed_in(kit)
    def erase(tenant: Tenant, session: Session) -> Response:
        if not _is_meant(kit, tenant, session):
            return see(kit, tenant, "/profile/erase")
        asked = _ask(kit, tenant, session, Asked.ERASE, None)
        if asked is None:
            return see(kit, tenant, "/profile")
        response = make_response(render_template("profile/erased.html", asked=asked))
        cookies.drop(response, kit.services, tenant, cookies.SESSION)
        return response


def _ask(kit: Kit, tenant: Tenant, session: Session, kind: Asked, about: str | None) -> requests.OwedRequest | None:
    services = kit.services
    return requests.ask(
        services.database,
        kit.seal,
        tenant=tenant,
        session=session,
        kind=kind,
        about=about,
        locale=str(get_locale()),
        secrets=_secrets(kit),
        clock=services.clock,
    )


def _is_meant(kit: Kit, tenant: Tenant, session: Session) -> bool:
    """Whether this post comes from the page that asks whether it is really wanted."""
    refuse_elsewhere(kit, request)
    token = request.form.get("token", "")
    now = kit.services.clock.now()
    return kit.signer.read(token, tenant=tenant.slug, session=session.holder, now=now) is not None


def _token(kit: Kit, tenant: Tenant, session: Session) -> str:
    now = kit.services.clock.now()
    return kit.signer.sign(tenant=tenant.slug, session=session.holder, form_id=new_form_id(), now=now)


def _one(kit: Kit, session: Session, reference: str) -> SentApplication:
    """An application of this person, else 404."""
    found = [one for one in _sent(kit, session) if one.reference == reference]
    return found[0] if found else abort(404)


def _sent(kit: Kit, session: Session) -> list[SentApplication]:
    return person.sent_by(kit.services.database, tenant=session.tenant, email=session.email, secrets=_secrets(kit))


def _secrets(kit: Kit) -> list[str]:
    settings = kit.services.settings
    return [settings.secret_key, *settings.secret_key_fallbacks]
