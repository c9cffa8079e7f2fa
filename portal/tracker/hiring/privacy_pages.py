"""Routes of privacy: candidates' requests, erasure of an applicant, export of a job, and the company's settings."""

import csv
import io
import json
import re
from typing import Any

from flask import Response, abort, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext

from portal.adapters.mail.message import Message
from portal.platform.errors import MailRefused
from portal.tracker.hiring import company_settings, guard, jobs, privacy, replies
from portal.tracker.hiring.application_list import EXPORT_COLUMNS, export
from portal.tracker.hiring.colleagues import Activity, Role
from portal.tracker.hiring.company_settings import CompanySettings
from portal.tracker.hiring.guard import HiringServices, HiringVisit

_REFERENCE = re.compile(r"[0-9A-Z]{1,32}")
_SENDER_LONGEST = 320
_FORMULA = re.compile('(^|;)(?=[\\s"\u200b\ufeff]*[-=+@\uff1d\uff0b\uff0d\uff20\ufe62\u2212])')
"""Matches where a formula begins in a spreadsheet, which may also end cells at semicolons; the last six characters are
variants of these signs."""
pages = guard.HiringPages()


@pages.at("POST /jobs/<vacancy_id>/export.<any(csv, json):form>", Role.RECRUITER)
def _download(services: HiringServices, visit: HiringVisit, vacancy_id: str, form: str) -> Response:
    """Send a job's applications as a file. It is a POST, because it writes to the log."""
    jobs.find(services.database, visit.tenant.id, vacancy_id)  # 404 if it is missing
    write, media_type = {"csv": (_as_csv, "text/csv"), "json": (_as_json, "application/json")}[form]
    with guard.alone(services):
        body = write(export(services.database, visit.tenant.id, vacancy_id))
    with services.database.write() as connection:
        visit.log(connection, Activity.JOB_EXPORTED, vacancy_id, services.clock.now())
    response = Response(body, content_type=f"{media_type}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="applications.{form}"'
    return response


def _as_json(rows: list[dict[str, str]]) -> str:
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def _as_csv(rows: list[dict[str, str]]) -> str:
    """Return CSV with a byte order mark, for spreadsheets; no cell is a formula."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(EXPORT_COLUMNS)
    writer.writerows([_FORMULA.sub(r"\1'", value) for value in row.values()] for row in rows)
    return "\ufeff" + out.getvalue()


@pages.at("GET /requests", Role.RECRUITER)
def _pending(services: HiringServices, visit: HiringVisit) -> str:
    with services.concurrency.slot_released():  # the portal's database may hang, and the interface does not need it
        found = privacy.pending(services.portal, visit.tenant.slug) if services.portal else []
    return render_template("hiring/requests.html", pending=found, is_known=services.portal is not None)


@pages.at("POST /requests/<reference>", Role.RECRUITER)
def _complete(services: HiringServices, visit: HiringVisit, reference: str) -> ResponseReturnValue:
    if services.portal is None or not _REFERENCE.fullmatch(reference):
        abort(404)
    by, db, clock = visit.colleague.email, services.database, services.clock
    with services.concurrency.slot_released():
        count = privacy.complete(db, services.store, services.portal, visit.tenant, reference, by=by, clock=clock)
    return guard.done(visit, "requests", outcome="" if count is None else "done" if count else "nothing")


@pages.at("GET /applications/<application_id>/erase", Role.RECRUITER)
def _ask(services: HiringServices, visit: HiringVisit, application_id: str) -> str:
    found = replies.applicants(services.database, visit.tenant.id, [application_id])
    return render_template("hiring/erase.html", applicant=found[0] if found else abort(404))


@pages.at("POST /applications/<application_id>/erase", Role.RECRUITER)
def _erase(services: HiringServices, visit: HiringVisit, application_id: str) -> ResponseReturnValue:
    by, db, clock = visit.colleague.email, services.database, services.clock
    privacy.erase_applicant(db, services.store, visit.tenant, application_id, by=by, clock=clock)
    return guard.done(visit, "jobs", outcome="erased-person")


def _settings_page(shown: CompanySettings, version: str, status: int = 200, **extra: Any) -> ResponseReturnValue:  # noqa: ANN401  variables of the template
    extra = {"wrong": {}, "notice": ""} | extra
    return render_template("hiring/settings.html", shown=shown, version=version, **extra), status


@pages.at("GET /settings", Role.OWNER)
def _settings(services: HiringServices, visit: HiringVisit) -> ResponseReturnValue:
    found = company_settings.of(services.database, visit.tenant.id)
    return _settings_page(found, found.version)


@pages.at("POST /settings", Role.OWNER)
def _save_settings(services: HiringServices, visit: HiringVisit) -> ResponseReturnValue:
    typed, days = " ".join(request.form.get("sender", "").split()), request.form.get("retention_days", "").strip()
    version, by, now, wrong = request.form.get("version", ""), visit.colleague.email, services.clock.now(), {}
    if typed and not _is_sender(services, typed):
        wrong["sender"] = gettext("Enter an email address, like name@example.com.")
    is_number, least, most = re.fullmatch(r"[0-9]{1,4}", days), privacy.MIN_RETENTION_DAYS, privacy.MAX_RETENTION_DAYS
    if not is_number or not least <= int(days) <= most:
        wrong["retention_days"] = str(gettext("Enter a number from %(least)s to %(most)s.", least=least, most=most))
    shown = CompanySettings(typed or None, int(days) if is_number else company_settings.DEFAULT_RETENTION_DAYS)
    if wrong:
        return _settings_page(shown, version, 422, wrong=wrong)
    theirs = company_settings.save(services.database, visit.tenant, shown, version, by=by, now=now)
    if theirs is None:
        return guard.done(visit, "settings")
    notice = gettext(
        "A colleague changed the settings meanwhile, to “%(sender)s” and %(days)s days. What you entered is "
        "below and is not saved yet. Saving it replaces the other settings.",
        sender=theirs.sender or "–",
        days=theirs.retention_days,
    )
    return _settings_page(shown, theirs.version, 409, notice=notice)


def _is_sender(services: HiringServices, typed: str) -> bool:
    """Return whether an email can be sent with this sender."""
    if len(typed) > _SENDER_LONGEST:
        return False
    try:
        Message(typed, "a@a.example", "", "", reference="a", at=services.clock.now()).as_email()
    except MailRefused:
        return False
    return True
