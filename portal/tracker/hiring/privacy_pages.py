"""Routes of privacy: candidates' requests, erasure of an applicant, export of a job, and the company's settings."""

import re
from typing import Any

from flask import Blueprint, Response, abort, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext

from portal.adapters.mail.message import Message
from portal.platform.errors import MailRefused
from portal.tracker.hiring import company_settings, export, guard, jobs, privacy, replies
from portal.tracker.hiring.colleagues import Role
from portal.tracker.hiring.company_settings import CompanySettings, SettingsConflict
from portal.tracker.hiring.guard import HiringServices, HiringVisit

_REFERENCE = re.compile(r"[0-9A-Z]{1,32}")
_SENDER_LONGEST = 320


def blueprint(services: HiringServices) -> Blueprint:
    """Return the blueprint of these pages."""
    pages = Blueprint("privacy", __name__)
    _add_requests(pages, services)
    _add_erasure(pages, services)
    _add_settings(pages, services)

    @pages.get("/<slug>/hiring/jobs/<vacancy_id>/export.<any(csv, json):form>")
    @guard.signed_in(services, Role.RECRUITER)
    def download(visit: HiringVisit, vacancy_id: str, form: str) -> Response:
        jobs.find(services.database, visit.tenant.id, vacancy_id, guard.page_language())  # 404 if it is missing
        make, kind = {"csv": (export.as_csv, "text/csv"), "json": (export.as_json, "application/json")}[form]
        with guard.alone(services):
            body = make(services.database, visit.tenant.id, vacancy_id)
        response = Response(body, content_type=f"{kind}; charset=utf-8")
        response.headers["Content-Disposition"] = f'attachment; filename="applications.{form}"'
        return response

    return pages


def _add_requests(pages: Blueprint, services: HiringServices) -> None:
    @pages.get("/<slug>/hiring/requests")
    @guard.signed_in(services, Role.RECRUITER)
    def pending(visit: HiringVisit) -> str:
        is_known, said = services.portal is not None, request.args.get("said")
        with services.room.slot_released():  # the portal's database may hang, and the interface does not need it
            found = privacy.pending(services.portal, visit.tenant.slug) if services.portal else []
        nothing = gettext("Nothing of this person was found here. The candidate is notified.")
        done = {"done": gettext("Done. The candidate is notified."), "nothing": nothing}.get(said or "", "")
        return render_template("hiring/requests.html", pending=found, is_known=is_known, said=done)

    @pages.post("/<slug>/hiring/requests/<reference>")
    @guard.signed_in(services, Role.RECRUITER)
    def complete(visit: HiringVisit, reference: str) -> ResponseReturnValue:
        if services.portal is None or not _REFERENCE.fullmatch(reference):
            abort(404)
        by, db, clock = visit.colleague.email, services.database, services.clock
        with services.room.slot_released():
            count = privacy.complete(db, services.store, services.portal, visit.tenant, reference, by=by, clock=clock)
        said = "late" if count is None else "done" if count else "nothing"
        return redirect(guard.address(visit, f"/requests?said={said}"), 303)


def _add_erasure(pages: Blueprint, services: HiringServices) -> None:
    @pages.get("/<slug>/hiring/applications/<application_id>/erase")
    @guard.signed_in(services, Role.RECRUITER)
    def ask(visit: HiringVisit, application_id: str) -> str:
        found = replies.applicants(services.database, visit.tenant.id, [application_id])
        return render_template("hiring/erase.html", applicant=found[0] if found else abort(404))

    @pages.post("/<slug>/hiring/applications/<application_id>/erase")
    @guard.signed_in(services, Role.RECRUITER)
    def erase(visit: HiringVisit, application_id: str) -> ResponseReturnValue:
        by, db, clock = visit.colleague.email, services.database, services.clock
        if not privacy.erase_applicant(db, services.store, visit.tenant, application_id, by=by, clock=clock):
            abort(404)
        return redirect(guard.address(visit, "/jobs?said=erased"), 303)


def _add_settings(pages: Blueprint, services: HiringServices) -> None:
    def page(shown: CompanySettings, version: str, status: int = 200, **said: Any) -> ResponseReturnValue:  # noqa: ANN401  variables of the template
        said = {"wrong": {}, "notice": ""} | said
        return render_template("hiring/settings.html", shown=shown, version=version, **said), status

    @pages.get("/<slug>/hiring/settings")
    @guard.signed_in(services, Role.OWNER)
    def settings(visit: HiringVisit) -> ResponseReturnValue:
        found = company_settings.of(services.database, visit.tenant.id)
        return page(found, found.version)

    @pages.post("/<slug>/hiring/settings")
    @guard.signed_in(services, Role.OWNER)
    def save(visit: HiringVisit) -> ResponseReturnValue:
        typed, days = " ".join(request.form.get("sender", "").split()), request.form.get("retention_days", "").strip()
        version, wrong = request.form.get("version", ""), {}
        if typed and not _is_sender(services, typed):
            wrong["sender"] = gettext("Enter an email address, like name@example.com.")
        is_number = re.fullmatch(r"[0-9]{1,4}", days)
        if not is_number or not privacy.LEAST_DAYS <= int(days) <= privacy.MOST_DAYS:
            least, most = privacy.LEAST_DAYS, privacy.MOST_DAYS
            wrong["retention_days"] = str(gettext("Enter a number from %(least)s to %(most)s.", least=least, most=most))
        shown = CompanySettings(typed or None, int(days) if is_number else company_settings.DAYS)
        if wrong:
            return page(shown, version, 422, wrong=wrong)
        by, now = visit.colleague.email, services.clock.now()
        try:
            company_settings.save(services.database, visit.tenant, shown, version, by=by, now=now)
        except SettingsConflict as conflict:
            notice = gettext(
                "A colleague changed the settings meanwhile, to “%(sender)s” and %(days)s days. What you entered is "
                "below and is not saved yet. Saving it replaces the other settings.",
                sender=conflict.now.sender or "–",
                days=conflict.now.retention_days,
            )
            return page(shown, conflict.now.version, 409, notice=notice)
        return guard.saved(visit, "/settings")


def _is_sender(services: HiringServices, typed: str) -> bool:
    """Return whether an email can be sent in this name."""
    if len(typed) > _SENDER_LONGEST:
        return False
    try:
        Message(typed, "a@a.example", "", "", reference="a", at=services.clock.now()).as_email()
    except MailRefused:
        return False
    return True
