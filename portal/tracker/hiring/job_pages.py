"""Routes for jobs: the list, a job's form and its preview, and what is done to it."""

import re
import secrets
from collections.abc import Callable
from datetime import datetime
from itertools import islice
from urllib.parse import quote

from flask import Blueprint, abort, jsonify, make_response, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import get_locale, gettext

from portal.jobs.places.gazetteer import beginning
from portal.jobs.places.place_lookup import place
from portal.jobs.posting import Salary
from portal.platform import local_time
from portal.site.design.markup import description
from portal.site.routing.access import private
from portal.site.words import value_labels
from portal.site.words.locale import salary
from portal.tracker import people
from portal.tracker.hiring import guard, job_form, jobs
from portal.tracker.hiring.colleagues import Role
from portal.tracker.hiring.guard import HiringServices, HiringVisit
from portal.tracker.hiring.job_form import JobFields
from portal.tracker.hiring.job_text import html_of
from portal.tracker.hiring.jobs import EditedJob, JobConflict, JobMissing, UntitledJob
from portal.tracker.hiring.language import page_language
from portal.tracker.request_reading import known_id

_PLACES = 8
_CURRENCIES = ("EUR", "GBP", "USD", "CHF", "PLN", "SEK", "DKK", "NOK", "CZK", "CAD", "AUD", "AED", "SAR")


def blueprint(services: HiringServices) -> Blueprint:
    """Return the blueprint of these pages."""
    pages = Blueprint("jobs", __name__)
    _add_list(pages, services)
    _add_form(pages, services)
    _add_changes(pages, services)
    return pages


def address(visit: HiringVisit, job_id: str, after: str = "") -> str:
    """Return the address of a job's page."""
    return f"/{visit.tenant.slug}/hiring/jobs/{quote(job_id, safe='')}{after}"


def _add_list(pages: Blueprint, services: HiringServices) -> None:
    @pages.get("/<slug>/hiring/jobs")
    @private
    @guard.signed_in(services)
    def every(visit: HiringVisit) -> str:
        asked = request.args.get("page", "")
        number = int(asked) if re.fullmatch("[1-9][0-9]{0,3}", asked) else 1
        lines, is_more = jobs.page(services.database, visit.tenant.id, number)
        said = gettext("Saved.") if request.args.get("said") == "saved" else ""
        return render_template(
            "hiring/jobs.html", jobs=lines, number=number, is_more=is_more, said=said, day=_day_in_words
        )

    @pages.get("/<slug>/hiring/places")
    @private
    @guard.signed_in(services, Role.RECRUITER)
    def places(_: HiringVisit) -> ResponseReturnValue:
        """Towns for what is typed into a job's place, as its script shows them."""
        typed = request.args.get("q", "")[:100].strip()
        found = beginning(typed) if len(typed) > 1 else []
        named = (place(spot, typed).said(page_language()) for spot in found)
        return jsonify(list(islice(dict.fromkeys(named), _PLACES)))


def _job(services: HiringServices, visit: HiringVisit, job_id: str) -> EditedJob:
    if known_id(job_id) is None:
        raise JobMissing
    return jobs.find(services.database, visit.tenant.id, job_id, page_language())


def _form_page(
    services: HiringServices,
    visit: HiringVisit,
    job: EditedJob | None,
    job_id: str,
    fields: JobFields,
    *,
    status: int = 200,
    errors: dict[str, str] | None = None,
    notice: str = "",
    theirs: JobFields | None = None,
    version: str | None = None,
) -> ResponseReturnValue:
    """Return the form. theirs: what somebody else saved meanwhile. version: what the form is about; None: the job's."""
    page = render_template(
        "hiring/job.html",
        job=job,
        here=address(visit, job_id),
        fields=fields,
        version=version or (job.version if job else jobs.NEW),
        errors=errors or {},
        notice=notice,
        said=gettext("Saved.") if request.args.get("said") == "saved" else "",
        theirs=theirs,
        users=people.users_named(services.database, visit.tenant.id),
        employment=value_labels.EMPLOYMENT,
        workplace=value_labels.LOCATION,
        currencies=_CURRENCIES,
        limits={"title": job_form.TITLE_MOST, "place": job_form.PLACE_MOST, "description": job_form.TEXT_MOST},
        token=guard.form_token(services, visit.tenant, visit.session),
    )
    return make_response(page, status)


def _add_form(pages: Blueprint, services: HiringServices) -> None:
    @pages.get("/<slug>/hiring/jobs/new")
    @private
    @guard.signed_in(services, Role.RECRUITER)
    def begin(visit: HiringVisit) -> ResponseReturnValue:
        return _form_page(services, visit, None, secrets.token_hex(16), JobFields())

    @pages.get("/<slug>/hiring/jobs/<job_id>")
    @private
    @guard.signed_in(services)
    def edit(visit: HiringVisit, job_id: str) -> ResponseReturnValue:
        if not visit.may_change:
            return redirect(address(visit, job_id, "/preview"), 303)
        job = _job(services, visit, job_id)
        stale = gettext("This job was changed elsewhere after this draft was written. Publishing replaces that change.")
        return _form_page(services, visit, job, job_id, job.fields, notice=stale if job.is_stale else "")

    @pages.post("/<slug>/hiring/jobs/<job_id>")
    @private
    @guard.signed_in(services, Role.RECRUITER)
    def save(visit: HiringVisit, job_id: str) -> ResponseReturnValue:
        is_new = request.form.get("version") == jobs.NEW
        users = people.users_named(services.database, visit.tenant.id)
        fields, errors = job_form.read(request.form, users)
        if errors:
            return _refused(services, visit, job_id, fields, errors, is_new=is_new)
        try:
            version = jobs.save(services.database, services.clock, visit, job_id, _version(), fields)
        except JobConflict as conflict:
            return _conflict(services, visit, conflict.now, fields)
        if _is_script():
            return jsonify(version=version, said=gettext("Saved as a draft."))
        return redirect(address(visit, job_id, "/preview" if "preview" in request.form else "?said=saved"), 303)

    @pages.get("/<slug>/hiring/jobs/<job_id>/preview")
    @private
    @guard.signed_in(services)
    def preview(visit: HiringVisit, job_id: str) -> ResponseReturnValue:
        return _preview_page(services, visit, _job(services, visit, job_id))


def _refused(
    services: HiringServices,
    visit: HiringVisit,
    job_id: str,
    fields: JobFields,
    errors: dict[str, str],
    *,
    is_new: bool,
) -> ResponseReturnValue:
    if _is_script():
        return jsonify(said=gettext("Not saved yet: %(why)s", why=next(iter(errors.values())))), 422
    job = None if is_new else _job(services, visit, job_id)
    return _form_page(services, visit, job, job_id, fields, status=422, errors=errors, version=_version())


def _conflict(services: HiringServices, visit: HiringVisit, now: EditedJob, fields: JobFields) -> ResponseReturnValue:
    notice = gettext(
        "This job was changed meanwhile, by a colleague or in another window. What you entered is below and is not "
        "saved yet. Saving it replaces the other version."
    )
    if _is_script():
        why = gettext("Not saved: this job was changed meanwhile. Press “Save” to see both versions.")
        return jsonify(said=why), 409
    return _form_page(services, visit, now, now.id, fields, status=409, notice=notice, theirs=now.fields)


def _preview_page(
    services: HiringServices, visit: HiringVisit, job: EditedJob, *, status: int = 200, notice: str = ""
) -> ResponseReturnValue:
    fields, locale = job.fields, get_locale()
    described = html_of(fields.description)
    low, high = job_form.salary_of(fields)
    page = render_template(
        "hiring/job_preview.html",
        job=job,
        here=address(visit, job.id),
        missing=job_form.missing(fields, described),
        described=description(described, table_label=gettext("Table")),
        employment=value_labels.EMPLOYMENT,
        workplace=value_labels.LOCATION,
        pay=salary(Salary(fields.currency, low, high), locale) if low is not None or high is not None else None,
        day=_day_in_words,
        notice=notice,
        said=gettext("Saved.") if request.args.get("said") == "saved" else "",
        token=guard.form_token(services, visit.tenant, visit.session),
    )
    return make_response(page, status)


def _add_changes(pages: Blueprint, services: HiringServices) -> None:
    db, clock = services.database, services.clock

    def publish(visit: HiringVisit, job_id: str) -> str:
        jobs.publish(db, clock, visit, job_id, _version())
        return address(visit, job_id, "/preview?said=saved")

    def move(visit: HiringVisit, job_id: str) -> str:
        status = "hold" if request.path.endswith("/pause") else request.form.get("as", "closed")
        if status not in jobs.MOVES:
            abort(400)
        jobs.move(db, clock, visit, job_id, _version(), status)
        return address(visit, job_id, "/preview?said=saved")

    def duplicate(visit: HiringVisit, job_id: str) -> str:
        return address(visit, jobs.duplicate(db, clock, visit, job_id, page_language()), "?said=saved")

    def discard(visit: HiringVisit, job_id: str) -> str:
        jobs.discard(db, clock, visit, job_id, _version())
        return f"/{visit.tenant.slug}/hiring/jobs?said=saved"

    changes = {"publish": publish, "pause": move, "close": move, "duplicate": duplicate, "discard": discard}
    for name, change in changes.items():
        _add_change(pages, services, name, change)


def _add_change(
    pages: Blueprint, services: HiringServices, name: str, change: Callable[[HiringVisit, str], str]
) -> None:
    """Add a post that changes a job and leads to the address that `change` returns."""

    @pages.post(f"/<slug>/hiring/jobs/<job_id>/{name}", endpoint=name)
    @private
    @guard.signed_in(services, Role.RECRUITER)
    def changed(visit: HiringVisit, job_id: str) -> ResponseReturnValue:
        if known_id(job_id) is None:
            raise JobMissing
        try:
            return redirect(change(visit, job_id), 303)
        except JobConflict as conflict:
            notice = gettext("This job was changed meanwhile. Nothing was done: look at it and try again.")
            return _preview_page(services, visit, conflict.now, status=409, notice=notice)
        except UntitledJob:
            notice = gettext("A job needs a title before it is published.")
            return _preview_page(services, visit, _job(services, visit, job_id), status=422, notice=notice)


def _version() -> str:
    given = request.form.get("version", "")
    if not re.fullmatch("[0-9]{1,17}-[0-9]{1,17}", given):
        abort(400)
    return given


def _is_script() -> bool:
    return request.accept_mimetypes.best == "application/json"


def _day_in_words(stamp: str) -> str:
    """Return the day of a time as the records have it; "" if it says none."""
    try:
        return local_time.day_in_words(datetime.fromisoformat(stamp).date(), get_locale())
    except ValueError:
        return ""
