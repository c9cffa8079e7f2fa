"""Routes for jobs: the list, a job's form and its preview, and actions on it."""

import re
import secrets
from contextlib import nullcontext
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any

from flask import abort, jsonify, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import get_locale, gettext
from werkzeug.exceptions import NotFound

from portal.jobs.places.gazetteer import beginning
from portal.jobs.places.place_lookup import place
from portal.jobs.posting import Salary
from portal.platform import local_time
from portal.site.design.markup import description
from portal.site.words import value_labels
from portal.site.words.locale import salary
from portal.tracker import people
from portal.tracker.hiring import guard, job_form, jobs
from portal.tracker.hiring.colleagues import Role
from portal.tracker.hiring.guard import HiringServices, HiringVisit
from portal.tracker.hiring.job_form import JobFields
from portal.tracker.hiring.job_text import html_of
from portal.tracker.hiring.jobs import EditedJob, JobConflict, JobRefused

_PLACES = 8
_LONG = 5_000
"""Length in characters from which rendering a description may take a fifth of a second of CPU."""
_CURRENCIES = ("EUR", "GBP", "USD", "CHF", "PLN", "SEK", "DKK", "NOK", "CZK", "CAD", "AUD", "AED", "SAR")
pages = guard.HiringPages()


@pages.at("GET /jobs")
def _every(services: HiringServices, visit: HiringVisit) -> str:
    number = guard.page_number(9_999)
    lines, is_more = jobs.listed(services.database, visit.tenant.id, number)
    return render_template("hiring/jobs.html", jobs=lines, number=number, is_more=is_more, day=_day_in_words)


@pages.at("GET /places", Role.RECRUITER)
def _places(_services: HiringServices, _visit: HiringVisit) -> ResponseReturnValue:
    """Return towns that match the text typed as a job's place, for the form's script."""
    typed = request.args.get("q", "")[:100].strip()
    found = beginning(typed) if len(typed) > 1 else []
    named = (place(spot, typed).full_name(guard.page_language()) for spot in found)
    return jsonify(list(islice(dict.fromkeys(named), _PLACES)))


def _form_page(
    services: HiringServices,
    visit: HiringVisit,
    job_id: str,
    fields: JobFields,
    version: str,
    status: int = 200,
    **extra: Any,  # noqa: ANN401  variables of the template
) -> ResponseReturnValue:
    """Return the form. version: of the job when its fields were typed. extra: errors by field; notice; theirs, saved by
    a colleague meanwhile."""
    page = render_template(
        "hiring/job.html",
        here=guard.address(visit, "jobs", job_id),
        fields=fields,
        described=_described(services, fields),
        version=version,
        is_new=version == jobs.NEW,
        users=people.users_named(services.database, visit.tenant.id),
        employment=value_labels.EMPLOYMENT,
        workplace=value_labels.LOCATION,
        currencies=_CURRENCIES,
        limits={"title": job_form.TITLE_MOST, "place": job_form.PLACE_MOST, "description": job_form.TEXT_MOST},
        **{"errors": {}, "notice": "", "theirs": None} | extra,
    )
    return page, status


@pages.at("GET /jobs/new", Role.RECRUITER)
def _begin(services: HiringServices, visit: HiringVisit) -> ResponseReturnValue:
    return _form_page(services, visit, secrets.token_hex(16), JobFields(), jobs.NEW)


@pages.at("GET /jobs/<job_id>")
def _edit(services: HiringServices, visit: HiringVisit, job_id: str) -> ResponseReturnValue:
    if not visit.may_change:
        return guard.done(visit, "jobs", job_id, "preview", outcome="")
    job = jobs.find(services.database, visit.tenant.id, job_id)
    stale = gettext("This job was changed elsewhere after this draft was written. Publishing replaces that change.")
    return _form_page(services, visit, job_id, job.fields, job.version, notice=stale if job.is_stale else "")


@pages.at("GET /jobs/<job_id>/preview")
def _preview(services: HiringServices, visit: HiringVisit, job_id: str) -> ResponseReturnValue:
    return _preview_page(services, visit, jobs.find(services.database, visit.tenant.id, job_id))


@pages.at("POST /jobs/<job_id>", Role.RECRUITER)
def _save(services: HiringServices, visit: HiringVisit, job_id: str) -> ResponseReturnValue:
    fields, errors = job_form.read(request.form, people.users_named(services.database, visit.tenant.id))
    form, version = partial(_form_page, services, visit, job_id, fields), _version()
    is_script = request.accept_mimetypes.best == "application/json"
    described = _described(services, fields) if is_script else None  # before saving: raises Crowded if no slot is free
    if errors:
        why = gettext("Not saved yet: %(why)s", why=next(iter(errors.values())))
        return _to_script(described, why, 422) or form(version, 422, errors=errors)
    try:
        version = jobs.save(services.database, services.clock, visit, job_id, version, fields)
    except JobConflict as conflict:
        why = gettext("Not saved: this job was changed meanwhile. Press “Save” to see both versions.")
        notice = gettext(
            "This job was changed meanwhile, by a colleague or in another window. What you entered is below and is not "
            "saved yet. Saving it replaces the other version."
        )
        now = conflict.now
        return _to_script(described, why, 409) or form(now.version, 409, theirs=now.fields, notice=notice)
    except NotFound:
        if not version.endswith("-0"):  # it was published, so it is not a draft that was deleted
            raise
        gone = gettext("This draft was deleted meanwhile. What you entered is below. Saving it begins a new draft.")
        return _to_script(described, gone, 409) or form(jobs.NEW, 409, notice=gone)
    except JobRefused as why:
        return _to_script(described, str(why), 422) or form(version, 422, notice=str(why))
    answer = _to_script(described, gettext("Saved as a draft."), 200, version=version)
    page, outcome = (["preview"], "") if "preview" in request.form else ([], "saved")
    return answer or guard.done(visit, "jobs", job_id, *page, outcome=outcome)


def _to_script(described: str | None, message: str, status: int, **more: str) -> ResponseReturnValue | None:
    """Return the response to the script that saves drafts and shows the description; None without the script."""
    return None if described is None else (jsonify(said=message, described=described, **more), status)


def _described(services: HiringServices, fields: JobFields) -> str:
    """Return the description as the job's page shows it; long ones are rendered one at a time. Raises Crowded."""
    with guard.alone(services) if len(fields.description) > _LONG else nullcontext():
        return description(html_of(fields.description), table_label=gettext("Table"))


def _preview_page(
    services: HiringServices, visit: HiringVisit, job: EditedJob, status: int = 200, notice: str = ""
) -> ResponseReturnValue:
    fields, locale = job.fields, get_locale()
    low, high = job_form.number(fields.salary_min), job_form.number(fields.salary_max)
    page = render_template(
        "hiring/job_preview.html",
        job=job,
        here=guard.address(visit, "jobs", job.id),
        missing=job_form.missing(fields, html_of(fields.description)),
        described=_described(services, fields),
        employment=value_labels.EMPLOYMENT,
        workplace=value_labels.LOCATION,
        pay=salary(Salary(fields.currency, low, high), locale) if low is not None or high is not None else None,
        day=_day_in_words,
        notice=notice,
    )
    return page, status


@pages.at("POST /jobs/<job_id>/<any(publish, pause, close, duplicate, discard):name>", Role.RECRUITER)
def _change(services: HiringServices, visit: HiringVisit, job_id: str, name: str) -> ResponseReturnValue:
    db, clock = services.database, services.clock
    try:
        if name == "duplicate":
            return guard.done(visit, "jobs", jobs.duplicate(db, clock, visit, job_id))
        version = _version()
        if name == "discard":
            jobs.discard(db, clock, visit, job_id, version)
            return guard.done(visit, "jobs")
        if name == "publish":
            jobs.publish(db, clock, visit, job_id, version)
            return guard.done(visit, "jobs", job_id, "preview", outcome="published")
        status = "hold" if name == "pause" else request.form.get("as", "closed")
        jobs.move(db, clock, visit, job_id, version, status if status in jobs.MOVES else abort(400))
        return guard.done(visit, "jobs", job_id, "preview")
    except JobConflict as conflict:
        notice = gettext("This job was changed meanwhile. Nothing was done: look at it and try again.")
        return _preview_page(services, visit, conflict.now, 409, notice)
    except JobRefused as why:
        return _preview_page(services, visit, jobs.find(services.database, visit.tenant.id, job_id), 422, str(why))


def _version() -> str:
    given = request.form.get("version", "")
    return given if re.fullmatch("[0-9]{1,17}-[0-9]{1,17}", given) else abort(400)


def _day_in_words(stamp: str) -> str:
    """Return the day of a time in the records' format; "" without one."""
    try:
        return local_time.day_in_words(datetime.fromisoformat(stamp).date(), get_locale())
    except ValueError:
        return ""
