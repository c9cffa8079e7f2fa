"""Routes of applications: a job's list, one in full, its CV, and what colleagues change about them."""

import io
import re
from datetime import timedelta
from typing import IO
from urllib.parse import quote, unquote

from flask import Blueprint, Response, abort, make_response, redirect, render_template, request, send_file
from flask.typing import ResponseReturnValue
from flask_babel import gettext

from portal.adapters.storage.opening import whole
from portal.adapters.storage.store import clean_filename, content_disposition
from portal.platform.database.db import EPOCH
from portal.platform.errors import AttachmentMissing, StoreError
from portal.site.forms.fields import refusal, text
from portal.site.forms.fields.refusal import Refused
from portal.tracker.hiring import application_changes as changes
from portal.tracker.hiring import application_detail, application_list, guard, replies
from portal.tracker.hiring.colleagues import Role
from portal.tracker.hiring.guard import HiringServices, HiringVisit
from portal.tracker.revisions import MICROSECOND, microseconds

_ID = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]{1,200}")
_KINDS = {b"%PDF-": "pdf", b"\xd0\xcf\x11\xe0": "doc", b"{\\rtf": "rtf"}
"""How a file begins, and what it is then called. Anything else is .bin, which nothing opens by itself."""
_ODT = b"mimetypeapplication/vnd.oasis.opendocument.textPK"
"""The first file of such an archive, without its header."""
_LIST = 65_536
"""Bytes at an archive's end, where its files are named."""
_PDF_POLICY = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'"
"""What browsers' own viewers need. Their scripts run apart from the page's origin, and so would one of the PDF."""


def blueprint(services: HiringServices) -> Blueprint:
    """Return the blueprint of these pages."""
    pages = Blueprint("applications", __name__)
    _add_list(pages, services)
    _add_detail(pages, services)
    _add_notes(pages, services)
    _add_cv(pages, services)
    return pages


def _list_page(
    services: HiringServices,
    visit: HiringVisit,
    vacancy_id: str,
    *,
    name: str = "",
    status: int = 200,
    picked: list[str] | None = None,
    notice: str = "",
) -> ResponseReturnValue:
    number = request.values.get("page", "1")
    chosen = int(number) if re.fullmatch(r"[1-9][0-9]{0,2}", number) else 1
    stage = request.values.get("stage" if request.method == "GET" else "in", "")
    shown = application_list.page(
        services.database,
        visit.tenant.id,
        _id(vacancy_id),
        stage=stage if _ID.fullmatch(stage) else "",
        name=name,
        number=min(chosen, application_list.PAGES_MOST),
    )
    if shown is None:
        abort(404)
    page = render_template(
        "hiring/applications.html",
        shown=shown,
        stage=stage,
        name=name,
        until=microseconds(shown.newest) if shown.newest else None,
        waiting=replies.waiting(services.database, visit.tenant.id, vacancy_id, services.clock.now()),
        picked=picked or [],
        notice=notice,
        said=_said(),
    )
    return make_response(page, status)


def _add_list(pages: Blueprint, services: HiringServices) -> None:
    @pages.get("/<slug>/hiring/jobs/<vacancy_id>/applications")
    @guard.signed_in(services)
    def everybody(visit: HiringVisit, vacancy_id: str) -> ResponseReturnValue:
        return _list_page(services, visit, vacancy_id)

    @pages.post("/<slug>/hiring/jobs/<vacancy_id>/applications")
    @guard.signed_in(services)
    def search(visit: HiringVisit, vacancy_id: str) -> ResponseReturnValue:
        """Show whom a name fits. A post, so that the name is in no address; it changes nothing."""
        name = text.displayable(request.form.get("name", "")[: application_list.NAME_LONGEST]).strip()
        with guard.alone(services):
            return _list_page(services, visit, vacancy_id, name=name)

    @pages.post("/<slug>/hiring/jobs/<vacancy_id>/applications/seen")
    @guard.signed_in(services, Role.RECRUITER)
    def seen(visit: HiringVisit, vacancy_id: str) -> ResponseReturnValue:
        at = EPOCH + _number("until", r"[0-9]{1,16}") * MICROSECOND
        changes.mark_seen(services.database, visit, _id(vacancy_id), min(at, services.clock.now() + timedelta(days=1)))
        return guard.saved(visit, f"/jobs/{quote(vacancy_id, safe='')}/applications")

    @pages.post("/<slug>/hiring/jobs/<vacancy_id>/applications/stage")
    @guard.signed_in(services, Role.RECRUITER)
    def move_several(visit: HiringVisit, vacancy_id: str) -> ResponseReturnValue:
        """Move the ticked applications. to: ids. seen: each application's id and stage when the page was made."""
        wanted = [one for one in request.form.getlist("to")[: changes.MOST] if _ID.fullmatch(one)]
        pairs = (one.partition(":") for one in request.form.getlist("seen")[: changes.MOST])
        stages = {unquote(known_as): unquote(stage_id) for known_as, _, stage_id in pairs}
        if not wanted:
            notice = gettext("Select an applicant first.")
            return _list_page(services, visit, vacancy_id, status=422, notice=notice)
        late = _move(services, visit, {one: stages.get(one, "") for one in wanted})
        if late:
            notice = gettext("A colleague changed the stage of those selected below. Check them and choose again.")
            return _list_page(services, visit, vacancy_id, status=409, notice=notice, picked=late)
        stage = request.form.get("in", "")
        within = f"&stage={quote(stage, safe='')}" if _ID.fullmatch(stage) else ""
        path = f"/jobs/{quote(vacancy_id, safe='')}/applications?said=saved{within}"
        return redirect(guard.address(visit, path), 303)


def _detail_page(
    services: HiringServices, visit: HiringVisit, application_id: str, *, status: int = 200, **words: str
) -> ResponseReturnValue:
    page = render_template(
        "hiring/application.html",
        shown=application_detail.detail(services.database, visit.tenant, _id(application_id)) or abort(404),
        replies=replies.of_application(services.database, visit.tenant.id, application_id),
        **{"typed": "", "error": "", "notice": "", "said": _said()} | words,
    )
    return make_response(page, status)


def _add_detail(pages: Blueprint, services: HiringServices) -> None:
    @pages.get("/<slug>/hiring/applications/<application_id>")
    @guard.signed_in(services)
    def one(visit: HiringVisit, application_id: str) -> ResponseReturnValue:
        return _detail_page(services, visit, application_id)

    @pages.post("/<slug>/hiring/applications/<application_id>/stage")
    @guard.signed_in(services, Role.RECRUITER)
    def move(visit: HiringVisit, application_id: str) -> ResponseReturnValue:
        if _move(services, visit, {_id(application_id): request.form.get("seen", "")}):
            notice = gettext("A colleague has changed the stage meanwhile. Check it and choose again.")
            return _detail_page(services, visit, application_id, status=409, notice=notice)
        return _done(visit, application_id)

    @pages.post("/<slug>/hiring/applications/<application_id>/rating")
    @guard.signed_in(services, Role.RECRUITER)
    def rate(visit: HiringVisit, application_id: str) -> ResponseReturnValue:
        rating, now = _number("rating", "[0-5]"), services.clock.now()
        return _done(visit, application_id, changes.rate(services.database, visit, _id(application_id), rating, now))


def _add_notes(pages: Blueprint, services: HiringServices) -> None:
    @pages.post("/<slug>/hiring/applications/<application_id>/notes")
    @guard.signed_in(services, Role.RECRUITER)
    def note(visit: HiringVisit, application_id: str) -> ResponseReturnValue:
        typed = request.form.get("note", "").replace("\r\n", "\n")
        try:
            said = text.paragraphs(typed, longest=changes.NOTE_LONGEST)
        except Refused as why:
            error = refusal.refused(why, missing=gettext("Enter a text."))
            shown = text.displayable_lines(typed)
            return _detail_page(services, visit, application_id, status=422, typed=shown, error=error)
        stored = changes.add_note(services.database, visit, _id(application_id), said, services.clock.now())
        if stored is False:
            notice = gettext("There are too many notes. Delete one first.")
            return _detail_page(services, visit, application_id, status=409, typed=said, notice=notice)
        return _done(visit, application_id, stored)

    @pages.post("/<slug>/hiring/applications/<application_id>/notes/delete")
    @guard.signed_in(services, Role.RECRUITER)
    def delete(visit: HiringVisit, application_id: str) -> ResponseReturnValue:
        number, now = _number("note", "[0-9]{1,9}"), services.clock.now()
        was_there = changes.delete_note(services.database, visit, _id(application_id), number, now)
        return _done(visit, application_id, was_there)


def _add_cv(pages: Blueprint, services: HiringServices) -> None:
    @pages.get("/<slug>/hiring/applications/<application_id>/cv")
    @guard.signed_in(services)
    def cv(visit: HiringVisit, application_id: str) -> ResponseReturnValue:
        """Show a PDF in the browser's viewer; anything else is a download that no browser interprets."""
        found = application_detail.applicant_cv(services.database, visit.tenant, _id(application_id))
        if found is None or services.store is None:
            abort(404)
        name, key = found
        # Read to the end before the first byte is sent, so that a storage that fails can still be told.
        try:
            with services.room.slot_released():
                body = whole(services.store, key, seconds=services.cv_within, free=services.downloads)
        except (StoreError, OSError) as error:
            return _no_cv(error)
        except ValueError:  # it cannot be a key
            abort(404)
        return _served(body, name)


def _no_cv(error: Exception) -> ResponseReturnValue:
    if isinstance(error, AttachmentMissing):
        told = gettext("This CV is not there any more"), gettext("Its file has been deleted.")
        return render_template("hiring/message.html", status=404, told=told), 404
    told = (
        gettext("The CV cannot be opened at the moment"),
        gettext("The storage of files does not answer. Nothing is lost. Try again in a few minutes."),
    )
    return render_template("hiring/message.html", status=503, told=told), 503, {"Retry-After": "30"}


def _served(body: IO[bytes], name: str) -> Response:
    kind = _kind(body)
    is_pdf = kind == "pdf"
    body.seek(0)
    response = send_file(
        body, "application/pdf" if is_pdf else "application/octet-stream", etag=False, conditional=False
    )
    disposition = content_disposition(clean_filename(name.replace("/", "_").replace("\\", "_"), kind))
    response.headers["Content-Disposition"] = disposition.replace("attachment", "inline", 1) if is_pdf else disposition
    response.headers["Content-Security-Policy"] = _PDF_POLICY if is_pdf else "default-src 'none'; sandbox"
    response.headers["Cache-Control"] = "no-store"
    response.call_on_close(body.close)
    return response


def _kind(body: IO[bytes]) -> str:
    """Return what a file's name ends in."""
    start = body.read(80)
    if start.startswith(b"PK\x03\x04"):
        if start[30:].startswith(_ODT):
            return "odt"
        body.seek(max(0, body.seek(0, io.SEEK_END) - _LIST))
        return "docx" if b"word/" in body.read() else "bin"
    return next((called for magic, called in _KINDS.items() if start.startswith(magic)), "bin")


def _id(segment: str) -> str:
    return segment if _ID.fullmatch(segment) else abort(404)


def _number(name: str, fitting: str) -> int:
    value = request.form.get(name, "")
    return int(value) if re.fullmatch(fitting, value) else abort(400)


def _move(services: HiringServices, visit: HiringVisit, seen: dict[str, str]) -> list[str]:
    """Move to the posted stage; return the ids of those that somebody else moved meanwhile."""
    stage_id, by = request.form.get("stage", ""), visit.colleague.email
    if not _ID.fullmatch(stage_id):
        abort(400)
    late = changes.move(services.database, services.clock, visit.tenant, seen, stage_id, by=by)
    return abort(400) if late is None else late


def _done(visit: HiringVisit, application_id: str, was_there: bool | None = True) -> ResponseReturnValue:  # noqa: FBT001,FBT002  what a change returned
    return guard.saved(visit, f"/applications/{quote(application_id, safe='')}") if was_there else abort(404)


def _said() -> str:
    """Return what the page that redirected here has done, in words."""
    said = {
        "saved": gettext("Saved."),
        "sent": gettext("The email is on its way."),
        "rejected": gettext("The email is on its way. Once it is sent, the stage is “Rejected”."),
        "undone": gettext("Undone: none of these emails will be sent."),
        "late": gettext("Too late: these emails are sent already."),
        "erased": gettext(
            "Nothing to undo: these applicants were erased meanwhile, so no more emails are sent to them."
        ),
    }
    return str(said.get(request.args.get("said", ""), ""))
