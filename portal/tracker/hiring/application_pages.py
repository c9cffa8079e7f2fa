"""Routes of applications: a job's list, one in full, its CV, and changes by colleagues."""

import io
import re
from datetime import timedelta
from typing import IO
from urllib.parse import unquote

from flask import Response, abort, make_response, render_template, request, send_file
from flask.typing import ResponseReturnValue
from flask_babel import gettext

from portal.adapters.storage.opening import read_whole
from portal.adapters.storage.store import clean_filename, content_disposition
from portal.platform.database.db import EPOCH
from portal.platform.errors import AttachmentMissing, StoreError
from portal.site.forms.fields import refusal, text
from portal.site.forms.fields.refusal import Refused
from portal.tracker.hiring import application_changes as changes
from portal.tracker.hiring import application_list, guard, replies
from portal.tracker.hiring.colleagues import Role
from portal.tracker.hiring.guard import HiringServices, HiringVisit
from portal.tracker.request_reading import known_id
from portal.tracker.revisions import MICROSECOND, microseconds

_KINDS = {b"%PDF-": "pdf", b"\xd0\xcf\x11\xe0": "doc", b"{\\rtf": "rtf"}
"""First bytes of a file → its extension. Other files get .bin, which no program opens automatically."""
_ODT = b"mimetypeapplication/vnd.oasis.opendocument.textPK"
"""How an .odt file begins after the header of its first entry."""
_LIST = 65_536
"""Bytes at the end of an archive in which the names of its files are looked for."""
_PDF_POLICY = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'"
"""The policy that browsers' PDF viewers need. Their scripts, and any script in the PDF, run outside the page's
origin."""
_DOWNLOAD_POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox"
pages = guard.HiringPages()


def _list_page(
    services: HiringServices, visit: HiringVisit, vacancy_id: str, status: int = 200, *, name: str = "", **extra: object
) -> ResponseReturnValue:
    """Return the list. name: the name searched for. extra: a notice; picked, the ids of selected applications."""
    db, now = services.database, services.clock.now()
    number = guard.page_number(application_list.MAX_PAGES)
    stage = known_id(guard.asked().get("in" if request.method == "POST" else "stage", "")) or ""
    shown = application_list.page(db, visit.tenant.id, vacancy_id, stage=stage, name=name, number=number)
    if shown is None:
        abort(404)
    page = render_template(
        "hiring/applications.html",
        shown=shown,
        stage=stage,
        name=name,
        until=microseconds(shown["newest"]) if shown["newest"] else None,
        waiting=replies.waiting(db, visit.tenant.id, vacancy_id, now),
        **{"picked": [], "notice": ""} | extra,
    )
    return make_response(page, status)


@pages.at("GET /jobs/<vacancy_id>/applications")
def _list(services: HiringServices, visit: HiringVisit, vacancy_id: str) -> ResponseReturnValue:
    return _list_page(services, visit, vacancy_id)


@pages.at("POST /jobs/<vacancy_id>/applications")
def _search(services: HiringServices, visit: HiringVisit, vacancy_id: str) -> ResponseReturnValue:
    """Show the applicants whose name matches. A POST, so that no URL contains the name; it changes nothing."""
    name = text.displayable(request.form.get("name", "")[: application_list.MAX_NAME_LENGTH]).strip()
    with guard.alone(services):
        return _list_page(services, visit, vacancy_id, name=name)


@pages.at("POST /jobs/<vacancy_id>/applications/seen", Role.RECRUITER)
def _seen(services: HiringServices, visit: HiringVisit, vacancy_id: str) -> ResponseReturnValue:
    at = EPOCH + _number("until", r"[0-9]{1,16}") * MICROSECOND
    changes.mark_seen(services.database, visit, vacancy_id, min(at, services.clock.now() + timedelta(days=1)))
    return guard.done(visit, "jobs", vacancy_id, "applications")


@pages.at("POST /jobs/<vacancy_id>/applications/stage", Role.RECRUITER)
def _move_several(services: HiringServices, visit: HiringVisit, vacancy_id: str) -> ResponseReturnValue:
    """Move the selected applications. to: ids. seen: each application's id and stage when the page was built."""
    wanted = list(filter(known_id, request.form.getlist("to")[: changes.MOST]))
    pairs = (one.partition(":") for one in request.form.getlist("seen")[: changes.MOST])
    stages = {unquote(application_id): unquote(stage_id) for application_id, _, stage_id in pairs}
    if not wanted:
        return _list_page(services, visit, vacancy_id, 422, notice=gettext("Select an applicant first."))
    late = _move(services, visit, {one: stages.get(one, "") for one in wanted})
    if late:
        notice = gettext("A colleague changed the stage of those selected below. Check them and choose again.")
        return _list_page(services, visit, vacancy_id, 409, notice=notice, picked=late)
    return guard.done(visit, "jobs", vacancy_id, "applications", stage=known_id(request.form.get("in", "")) or "")


def _detail_page(
    services: HiringServices, visit: HiringVisit, application_id: str, status: int = 200, **extra: str
) -> ResponseReturnValue:
    """Return the page. extra: the note that was typed, the error beside it, a notice above the page."""
    page = render_template(
        "hiring/application.html",
        shown=application_list.detail(services.database, visit.tenant, application_id) or abort(404),
        replies=replies.of_application(services.database, visit.tenant.id, application_id),
        **{"typed": "", "error": "", "notice": ""} | extra,
    )
    return make_response(page, status)


@pages.at("GET /applications/<application_id>")
def _one(services: HiringServices, visit: HiringVisit, application_id: str) -> ResponseReturnValue:
    return _detail_page(services, visit, application_id)


@pages.at("POST /applications/<application_id>/stage", Role.RECRUITER)
def _move_one(services: HiringServices, visit: HiringVisit, application_id: str) -> ResponseReturnValue:
    if _move(services, visit, {application_id: request.form.get("seen", "")}):
        notice = gettext("A colleague has changed the stage meanwhile. Check it and choose again.")
        return _detail_page(services, visit, application_id, 409, notice=notice)
    return guard.done(visit, "applications", application_id)


@pages.at("POST /applications/<application_id>/rating", Role.RECRUITER)
def _rate(services: HiringServices, visit: HiringVisit, application_id: str) -> ResponseReturnValue:
    changes.rate(services.database, visit, application_id, _number("rating", "[0-5]"), services.clock.now())
    return guard.done(visit, "applications", application_id)


@pages.at("POST /applications/<application_id>/notes", Role.RECRUITER)
def _note(services: HiringServices, visit: HiringVisit, application_id: str) -> ResponseReturnValue:
    typed = request.form.get("note", "").replace("\r\n", "\n")
    try:
        note_text = text.paragraphs(typed, longest=changes.NOTE_LONGEST)
    except Refused as why:
        error, shown = refusal.refused(why, missing=gettext("Enter a text.")), text.displayable_lines(typed)
        return _detail_page(services, visit, application_id, 422, typed=shown, error=error)
    if changes.add_note(services.database, visit, application_id, note_text, services.clock.now()):
        return guard.done(visit, "applications", application_id)
    notice = gettext("There are too many notes. Delete one first.")
    return _detail_page(services, visit, application_id, 409, typed=note_text, notice=notice)


@pages.at("POST /applications/<application_id>/notes/delete", Role.RECRUITER)
def _delete_note(services: HiringServices, visit: HiringVisit, application_id: str) -> ResponseReturnValue:
    number = _number("note", "[0-9]{1,9}")
    changes.delete_note(services.database, visit, application_id, number, services.clock.now())
    return guard.done(visit, "applications", application_id)


@pages.at("GET /applications/<application_id>/cv")
def _cv(services: HiringServices, visit: HiringVisit, application_id: str) -> ResponseReturnValue:
    """Show a PDF in the browser's viewer; anything else is a download that no browser interprets."""
    found = application_list.applicant_cv(services.database, visit.tenant, application_id)
    if found is None or services.store is None:
        abort(404)
    name, key = found
    # Read to the end before the first byte is sent, so that a storage failure can still be reported.
    try:
        with services.concurrency.slot_released():
            body = read_whole(services.store, key, seconds=services.cv_within, free=services.downloads)
    except AttachmentMissing:
        message = gettext("This CV is not there any more"), gettext("Its file has been deleted.")
        return render_template("hiring/message.html", status=404, message=message), 404
    except (StoreError, OSError):
        message = (
            gettext("The CV cannot be opened at the moment"),
            gettext("The storage of files does not answer. Nothing is lost. Try again in a few minutes."),
        )
        return render_template("hiring/message.html", status=503, message=message), 503, {"Retry-After": "30"}
    except ValueError:  # it cannot be a key
        abort(404)
    return _served(body, name)


def _served(body: IO[bytes], name: str) -> Response:
    kind = _kind(body)
    is_pdf = kind == "pdf"
    body.seek(0)
    media_type = "application/pdf" if is_pdf else "application/octet-stream"
    response = send_file(body, media_type, etag=False, conditional=False)
    disposition = content_disposition(clean_filename(name.replace("/", "_").replace("\\", "_"), kind))
    response.headers["Content-Disposition"] = disposition.replace("attachment", "inline", 1) if is_pdf else disposition
    response.headers["Content-Security-Policy"] = _PDF_POLICY if is_pdf else _DOWNLOAD_POLICY
    response.headers["Cache-Control"] = "no-store"
    response.call_on_close(body.close)
    return response


def _kind(body: IO[bytes]) -> str:
    """Return the extension for a file's content."""
    start = body.read(80)
    if start.startswith(b"PK\x03\x04"):
        if start[30:].startswith(_ODT):
            return "odt"
        body.seek(max(0, body.seek(0, io.SEEK_END) - _LIST))
        return "docx" if b"word/" in body.read() else "bin"
    return next((called for magic, called in _KINDS.items() if start.startswith(magic)), "bin")


def _number(name: str, fitting: str) -> int:
    value = request.form.get(name, "")
    return int(value) if re.fullmatch(fitting, value) else abort(400)


def _move(services: HiringServices, visit: HiringVisit, seen: dict[str, str]) -> list[str]:
    """Move to the posted stage; return the ids of applications that a colleague moved meanwhile."""
    stage_id, by = known_id(request.form.get("stage", "")) or abort(400), visit.colleague.email
    late = changes.move(services.database, services.clock, visit.tenant, seen, stage_id, by=by)
    return abort(400) if late is None else late
