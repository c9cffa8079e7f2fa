"""Applications from a front end of the tenant's own: a CV, then the rest as JSON; accepted as the form's are.

A CV is stored for a form that nobody sees: its id is half of the handle. So a handle is one application, as a form is:
sent again with the same content it has the same reference. With an Idempotency-Key the form is the key's, whatever CV
was uploaded for it.
"""

import hashlib
import re
from datetime import timedelta

from flask import Request, Response, abort
from flask_babel import gettext, ngettext
from pydantic import BaseModel, ValidationError
from werkzeug.exceptions import BadRequest, Forbidden, Gone, NotFound, RequestEntityTooLarge, UnsupportedMediaType

from portal.apply.accepting import ROOM_AFTER, accepted, is_cross_site, take_cv
from portal.apply.body import IN_LOCATION, Accepted, Application, Stored
from portal.apply.formpage import FormPage
from portal.db import EPOCH
from portal.deliveries.accept import DifferentContent
from portal.logs import Happened, event
from portal.parts import Parts
from portal.signing import new_form_id
from portal.tenants.model import Tenant
from portal.uploads import storing
from portal.uploads.claims import UploadGone
from portal.vacancies import search
from portal.vacancies.posting import Closed, Posting
from portal.web import body
from portal.web.application_form import ApplicationForm
from portal.web.assembly import here
from portal.web.cv_upload import CvUpload
from portal.web.fields import cv as cv_words
from portal.web.problems import Wrong, problem
from portal.web.sending_limit import pause_of_sending, pause_of_uploads
from portal.web.sources import sources_of

_KEY = re.compile(r"[!-~]{1,255}")
_FORM = 32
"""Hex digits of a form's id, with which a handle begins."""
_ERRORS_MOST = 50


def upload(parts: Parts, tenant: Tenant, request: Request) -> Response:
    """POST of a CV: 201 with the handle under which an application names it."""
    _let_in(parts, tenant, request, pause_of_uploads(parts.throttle, request.remote_addr))
    if request.mimetype == "application/x-www-form-urlencoded":
        raise UnsupportedMediaType
    cv = CvUpload(parts, tenant.slug, new_form_id())
    with body.received_file(request, file_field="cv", max_file=parts.settings.max_cv_bytes) as posted:
        if posted.broken:
            raise BadRequest
        wait(take_cv(parts, tenant, cv, posted.file, request.remote_addr, known=True))
        too_large = posted.too_large or (posted.file is not None and posted.file.size > cv.max_bytes)
    if cv.no_room:
        return problem(503, cv.error, retry_after=ROOM_AFTER)
    if cv.handle is None or too_large:
        return problem(413 if too_large else 422, cv.error or str(gettext("Send less than this.")))
    event(Happened.ACCEPTED, tenant=tenant.slug, kind="upload")
    expires = parts.clock.now() + timedelta(seconds=parts.settings.upload_ttl)
    return _answer(201, Stored(cv_attachment_id=cv.form_id + cv.handle, expires_at=expires.isoformat()))


def send(parts: Parts, tenant: Tenant, posting_id: str, request: Request) -> Response:
    """POST of an application: 202 with its reference once it is on disk."""
    _let_in(parts, tenant, request, pause_of_sending(parts.throttle, request.remote_addr))
    key = request.headers.get("Idempotency-Key")
    if key is not None and not _KEY.fullmatch(key):
        return problem(400, str(gettext("An Idempotency-Key has 1 to 255 visible ASCII characters.")))
    posting = _posting(parts, tenant, posting_id)
    return _accept(parts, tenant, posting, _read(request), key, request)


def _let_in(parts: Parts, tenant: Tenant, request: Request, pause: int | None) -> None:
    """Refuse one post too many, before anything of it is looked at, and those of sites that are not listed."""
    wait(pause)
    if is_cross_site(request, parts, listed=tenant.embed_origins):
        raise Forbidden


def _posting(parts: Parts, tenant: Tenant, posting_id: str) -> Posting:
    found = search.posting(parts.database, tenant, posting_id, parts.clock.now())
    if found is None:
        raise NotFound
    if isinstance(found, Closed):
        raise Gone
    return found


def _read(request: Request) -> Application:
    """What the body says."""
    if request.mimetype != "application/json":
        raise UnsupportedMediaType
    if (request.content_length or 0) > body.TEXT_LIMIT:
        raise RequestEntityTooLarge
    try:
        return Application.model_validate_json(request.get_data())
    except ValidationError as refused:
        found = refused.errors(include_url=False, include_context=False, include_input=False)
        if found[0]["type"] == "json_invalid":
            raise BadRequest from refused
        abort(_wrong([Wrong(pointer=_pointer(*one["loc"]), detail=_told(one["type"])) for one in found]))


def _accept(
    parts: Parts, tenant: Tenant, posting: Posting, said: Application, key: str | None, request: Request
) -> Response:
    its_form, handle = said.cv_attachment_id[:_FORM], said.cv_attachment_id[_FORM:]
    form_id = _form_of(tenant, key) if key else its_form
    fields = said.fields()
    form, cv = ApplicationForm(fields, tenant=tenant), CvUpload(parts, tenant.slug, form_id)
    form.validate()
    cv.bring(handle, of_form=its_form)
    wrong = [
        Wrong(pointer=_pointer(*(["location"] if one.name in IN_LOCATION else []), one.name), detail=str(one.errors[0]))
        for one in form
        if one.errors
    ]
    if cv.error:
        wrong.append(_lost(cv))
    if wrong:
        return _wrong(wrong)
    if form_id != its_form:
        storing.hand_over(parts.database, tenant=tenant.slug, handle=handle, form_id=its_form, to_form=form_id)
    page = FormPage(
        parts=parts,
        tenant=tenant,
        posting_id=posting.id,
        posting=posting,
        form=form,
        cv=cv,
        opened=EPOCH,
        sources=sources_of(request.args),
    )
    try:
        reference = accepted(page, posting, fields, request.remote_addr)
    except UploadGone:
        cv.lose()
        return _wrong([_lost(cv)])
    except DifferentContent:
        return problem(409, _different())
    receipt = here(parts, tenant).outside().receipt(reference)
    return _answer(202, Accepted(reference=reference, receipt=receipt))


def _form_of(tenant: Tenant, key: str) -> str:
    return hashlib.sha256(f"{tenant.slug}\n{key}".encode()).hexdigest()[:_FORM]


def _lost(cv: CvUpload) -> Wrong:
    return Wrong(pointer="#/cvAttachmentId", detail=cv.error)


def _wrong(errors: list[Wrong]) -> Response:
    told = ngettext(
        "One member of the body has to be put right. Nothing was sent.",
        "%(num)s members of the body have to be put right. Nothing was sent.",
        len(errors),
    )
    return problem(422, str(told), errors=errors[:_ERRORS_MOST])


def _pointer(*steps: str | int) -> str:
    return "#" + "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def _told(kind: str) -> str:
    """What to do about an error of this kind of pydantic's."""
    if kind == "missing":
        return str(gettext("This member is missing. Give it, or null where that is allowed."))
    if kind == "extra_forbidden":
        return str(gettext("There is no such member here, and it would be lost. Leave it out."))
    if kind == "string_too_long":
        return str(gettext("This is too long."))
    if kind == "string_too_short":
        return str(gettext("This is too short."))
    if kind == "string_pattern_mismatch":
        return cv_words.gone()
    return str(gettext("This has the wrong type or value; the description of this interface says what is taken."))


def _different() -> str:
    return str(
        gettext(
            "This upload or Idempotency-Key was already used for an application with other content, and that one "
            "stands. To send this one as well, upload the CV again and use another key."
        )
    )


def wait(seconds: int | None) -> None:
    """Answer 429 where there are seconds to wait."""
    if seconds is None:
        return
    told = ngettext(
        "Many requests came from your network, so nothing of this one was taken. Send it again in %(num)s minute.",
        "Many requests came from your network, so nothing of this one was taken. Send it again in %(num)s minutes.",
        -(-seconds // 60),
    )
    abort(problem(429, str(told), retry_after=seconds))


def _answer(status: int, said: BaseModel) -> Response:
    return Response(said.model_dump_json(by_alias=True), status, mimetype="application/json")
