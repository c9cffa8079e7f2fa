"""Routes beside the profile: status of a change, applications, withdrawal, end of an alert."""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime

from flask import Blueprint, Response, abort, make_response, render_template
from flask_babel import gettext

from portal.adapters.tracker_client.client import TrackerClient
from portal.adapters.tracker_client.errors import RecordNotFound, TrackerError
from portal.contract.applications import ApplicationSummary
from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes import person, receipt
from portal.delivery.envelopes.receipt import Receipt, ReceiptState
from portal.delivery.privacy_requests import requests
from portal.delivery.record_changes.change import wanted_of
from portal.delivery.record_changes.kind import CHANGE
from portal.jobs.alerts import subscribing
from portal.jobs.posting import vacancy_id
from portal.people.index import index
from portal.people.signin.sessions import Session
from portal.platform.crypto.sealing import Seal, mailbox_in_a_log
from portal.platform.database.db import Database
from portal.platform.logs import SecurityEvent, log_security_event
from portal.site.account.guard import AccountServices, is_confirmed, own_page, redirect_to, sign_form
from portal.site.account.own_record import keys_of
from portal.site.words.locale import language, zone
from portal.tenants.model import Tenant
from portal.tenants.words import words_of

_VACANCIES_MOST = 20


@dataclass(frozen=True, slots=True)
class PublicWord:
    """The status of an application, and the language of the word. changed_at: of its latest activity, if known."""

    word: str
    language: str
    changed_at: datetime | None = None


def progress_of(
    db: Database,
    service: TrackerClient,
    tenant: Tenant,
    candidate_id: str,
    sent: list[Receipt],
) -> dict[str, PublicWord]:
    """Return posting id → public word, for postings where the service lists an application of this candidate (§4.6).

    Postings that cannot be read are left out. §4.7 is not called, because the stage is all that may be shown of it, and
    §4.6 has the stage too.
    """
    wanted = dict.fromkeys(one.about for one in sent if one.state is ReceiptState.SENT)
    found: dict[str, PublicWord] = {}
    for posting_id in list(wanted)[:_VACANCIES_MOST]:
        vacancy = vacancy_id(db, tenant, posting_id)
        if vacancy is None:
            continue
        try:
            known = service.applications(vacancy).applications
        except RecordNotFound:
            continue
        except TrackerError as error:
            log.warning("progress of applications at %s: %s", tenant.slug, error)
            break
        found_here = [one for one in known if one.candidate is not None and one.candidate.id == candidate_id]
        if found_here:
            found[posting_id] = public_word(tenant, max(found_here, key=_last_active))
    return found


def _last_active(application: ApplicationSummary) -> datetime:
    """Return the time of the last activity. A candidate who applied again after a rejection has two applications; the
    one with the latest activity counts.
    """
    return _active_at(application) or datetime.min.replace(tzinfo=UTC)


def _active_at(application: ApplicationSummary) -> datetime | None:
    activity = application.latest_activity
    return activity.date if activity else None


def public_word(tenant: Tenant, application: ApplicationSummary) -> PublicWord:
    """Return the tenant's word for the stage; "In progress" for a stage that has none."""
    stage = application.stage.name if application.stage else None
    words = words_of(tenant, language(tenant))
    if stage and (word := words.stages.get(stage)):
        return PublicWord(word, words.language_of("stages", stage), _active_at(application))
    return PublicWord(str(gettext("In progress")), words.language, _active_at(application))


log = logging.getLogger(__name__)

_LOOK_AGAIN = 3


def add_routes(pages: Blueprint, services: AccountServices) -> None:
    """Add GET /{slug}/profile/changes/…, /applications; GET, POST /applications/…/withdraw; POST /alerts/…/end."""
    _changes(pages, services)
    _applications(pages, services)
    _withdraw(pages, services)
    _end_alert(pages, services)


def _changes(pages: Blueprint, services: AccountServices) -> None:
    @pages.get("/<slug>/profile/changes/<reference>")
    @own_page(services)
    def change(tenant: Tenant, session: Session, reference: str) -> Response:
        found = receipt.find(services.database, tenant=tenant.slug, kind=CHANGE.name, reference=reference)
        keys = keys_of(services.database, services.seal, session)
        if found is None and (lost := services.find_lost(tenant, CHANGE.name, reference)):
            name = "restored" if lost.retention is None else "forgotten"
            page = render_template(f"errors/{name}.html", jobs=(), change=True, retention=lost.retention, status=410)
            return make_response(page, 410)
        if found is None or found.about not in keys:
            abort(404)
        wanted = wanted_of(services.database, services.seal, tenant=tenant.slug, keys=keys, reference=reference)
        refresh = _LOOK_AGAIN if found.state is ReceiptState.RECEIVED else None
        page = render_template("account/change.html", change=found, wanted=wanted is not None, refresh=refresh)
        return make_response(page)


def _applications(pages: Blueprint, services: AccountServices) -> None:
    @pages.get("/<slug>/profile/applications")
    @own_page(services)
    def applications(tenant: Tenant, session: Session) -> Response:
        sent = _sent(services.database, services.seal, session)
        words: dict[str, PublicWord] = {}
        if tenant.profile.show_status and session.candidate:
            who = index.one(services.database, services.seal, tenant.slug, session.email, session.candidate)
            if who is not None:
                words = _progress(services, tenant, who.candidate_id, sent)
        page = render_template(
            "account/applications.html",
            sent=sent,
            may_lack=not sent and person.may_lack_earlier(services.database, services.seal),
            also=_also(sent),
            words=words,
            today=services.clock.now().astimezone(zone()).date(),
            requests=requests.of_person(services.database, services.seal, tenant=tenant.slug, email=session.email),
        )
        return make_response(page)


def _also(sent: list[Receipt]) -> dict[str, datetime]:
    """Return reference → when the candidate applied for the same job before. sent: newest first."""
    stand = [one for one in sent if one.state is not ReceiptState.WITHDRAWN]
    earlier = (
        (one.reference, next((other.accepted_at for other in stand[at + 1 :] if other.about == one.about), None))
        for at, one in enumerate(stand)
    )
    return {reference: at for reference, at in earlier if at}


def _progress(
    services: AccountServices, tenant: Tenant, candidate_id: str, sent: list[Receipt]
) -> dict[str, PublicWord]:
    try:
        with services.client_for_page(tenant) as service:
            return progress_of(services.database, service, tenant, candidate_id, sent)
    except TrackerError as error:
        log.warning("progress of applications at %s: %s", tenant.slug, error)
        return {}


def _withdraw(pages: Blueprint, services: AccountServices) -> None:
    @pages.get("/<slug>/profile/applications/<reference>/withdraw")
    @own_page(services)
    def really_withdraw(tenant: Tenant, session: Session, reference: str) -> Response:
        one = _one(services.database, services.seal, session, reference)
        if one.state is ReceiptState.WITHDRAWN:
            return redirect_to(services, tenant, "/profile/applications")
        page = render_template("account/withdraw.html", one=one, token=sign_form(services, tenant, session))
        return make_response(page)

    @pages.post("/<slug>/profile/applications/<reference>/withdraw")
    @own_page(services)
    def withdraw(tenant: Tenant, session: Session, reference: str) -> Response:
        one = _one(services.database, services.seal, session, reference)
        if not is_confirmed(services, tenant, session):
            return redirect_to(services, tenant, f"/profile/applications/{reference}/withdraw")
        asked = requests.withdraw(
            services.database,
            services.seal,
            tenant=tenant,
            session=session,
            kind=APPLICATION.name,
            about=one.reference,
            locale=language(tenant),
            clock=services.clock,
        )
        if asked is not None:
            mailbox = mailbox_in_a_log(services.seal, session.email)
            log_security_event(SecurityEvent.WITHDRAWN, tenant=tenant.slug, mailbox=mailbox, reference=one.reference)
        return redirect_to(services, tenant, "/profile/applications")


def _end_alert(pages: Blueprint, services: AccountServices) -> None:
    @pages.post("/<slug>/profile/alerts/<alert>/end")
    @own_page(services)
    def end_alert(tenant: Tenant, session: Session, alert: str) -> Response:
        if is_confirmed(services, tenant, session):
            theirs = {"tenant": tenant.slug, "email": session.email}
            with services.database.write() as connection:
                subscribing.end_of_person(connection, services.seal, **theirs, alert=alert, now=services.clock.now())
        return redirect_to(services, tenant, "/profile/data")


def _one(db: Database, seal: Seal, session: Session, reference: str) -> Receipt:
    """Return this candidate's application of that reference; else abort with 404."""
    found = [one for one in _sent(db, seal, session) if one.reference == reference]
    return found[0] if found else abort(404)


def _sent(db: Database, seal: Seal, session: Session) -> list[Receipt]:
    return person.sent_by(db, seal, tenant=session.tenant, kind=APPLICATION.name, email=session.email)
