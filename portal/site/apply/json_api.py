"""Applications from a tenant's own front end: first a CV, then the rest as JSON; accepted like those of the form.

A CV is stored for a form without a page; the form's id is the first half of the handle. So a handle stands for one
application, as a form does: the same content sent again has the same reference. With an Idempotency-Key, the form's id
depends on the key and the candidate's email address, and not on the uploaded CV.
"""

import hashlib
import json
import re
from datetime import timedelta

from flask import Request, Response, abort
from flask_babel import gettext, ngettext
from pydantic import BaseModel, ValidationError
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import BadRequest, Gone, RequestEntityTooLarge, UnsupportedMediaType

from portal.contract import bounds
from portal.contract.bounds import JsonTooLarge
from portal.delivery.envelopes.repeats import DifferentContent
from portal.delivery.uploads import storing
from portal.delivery.uploads.claims import UploadGone
from portal.jobs.posting import Closed, Posting
from portal.platform.crypto.sealing import folded
from portal.platform.crypto.signing import FormToken, new_form_id
from portal.platform.database.db import EPOCH
from portal.platform.errors import TooManyInspections, UploadReason
from portal.platform.logs import EventName, event
from portal.site.apply import json_errors
from portal.site.apply.application import APPLY, DISK_FULL_RETRY_AFTER, ApplicationRequest, find_posting, take_cv
from portal.site.apply.json_body import CV_ATTACHMENT_ID, Accepted, ApplicationBody, Stored, fields_of
from portal.site.assembly import links_of
from portal.site.forms import request_body
from portal.site.forms.application_form import sources_of
from portal.site.forms.cv_upload import CvUpload
from portal.site.forms.fields import cv as cv_words
from portal.site.forms.rate_limits import PostLimit, hit_post_limits
from portal.site.forms.request_body import Posted
from portal.site.forms.services import UploadServices
from portal.site.routing.problems import ProblemError, problem
from portal.tenants.model import Tenant

_KEY = re.compile(r"[!-~]{1,255}")
INVALID_KEY = "invalid_idempotency_key"
_FORM = 32
"""Hex digits of a form's id, which is the beginning of a handle."""


def upload(services: UploadServices, tenant: Tenant, request: Request, *, upload_ttl: float) -> Response:
    """Store a posted CV; answer 201 with the handle by which an application names it."""
    wait(hit_post_limits(services.throttle, PostLimit.UPLOAD, request.remote_addr))
    if request.mimetype == "application/x-www-form-urlencoded":
        raise UnsupportedMediaType
    cv = CvUpload(services, tenant.slug, new_form_id())
    with request_body.received_file(request, file_field="cv", max_file=services.max_cv_bytes) as posted:
        if posted.broken:
            raise BadRequest
        try:
            wait(take_cv(cv, posted.file, request.remote_addr, known=True))
        except TooManyInspections as busy:
            return problem(429, cv_words.TOO_MANY_INSPECTIONS, retry_after=busy.seconds)
        too_large = posted.too_large or (posted.file is not None and posted.file.size > cv.max_bytes)
    if cv.disk_full:
        return problem(503, cv.error, code=cv.code, retry_after=DISK_FULL_RETRY_AFTER)
    if cv.handle is None or too_large:
        error_text, code = cv.error or str(gettext("Send less data.")), cv.code or UploadReason.TOO_LARGE
        wrong = ProblemError(pointer="#", code=code, detail=error_text)
        return problem(413 if too_large else 422, error_text, code=code, errors=[wrong])
    event(EventName.ACCEPTED, tenant=tenant.slug, kind="upload")
    expires = services.clock.now() + timedelta(seconds=upload_ttl)
    return _answer(201, Stored(cv_attachment_id=cv.form_id + cv.handle, expires_at=expires.isoformat()))


def send(services: UploadServices, tenant: Tenant, posting_id: str, request: Request) -> Response:
    """Accept a posted application; answer 202 with its reference once it is on disk."""
    wait(hit_post_limits(services.throttle, PostLimit.APPLICATION, request.remote_addr))
    key = request.headers.get("Idempotency-Key")
    if key is not None and not _KEY.fullmatch(key):
        detail = gettext("An Idempotency-Key must have 1 to 255 visible ASCII characters.")
        return problem(400, str(detail), code=INVALID_KEY)
    posting = find_posting(services.database, tenant, posting_id, services.clock.now())
    if isinstance(posting, Closed):
        raise Gone
    return _accept(services, tenant, posting, key, request)


def _read(request: Request) -> tuple[MultiDict[str, str], list[ProblemError]]:
    """Return the body as fields of the form, and what its shape has wrong; raise or abort with 400, 413, 415 or 422."""
    if request.mimetype != "application/json":
        raise UnsupportedMediaType
    if (request.content_length or 0) > bounds.PUBLIC_BODY_MAX:
        raise RequestEntityTooLarge
    raw = request.get_data()
    try:
        parsed = bounds.parsed(raw)
        return fields_of(ApplicationBody.model_validate_json(raw)), []
    except JsonTooLarge as much:
        raise RequestEntityTooLarge from much
    except ValidationError as refused:
        wrong, fields = json_errors.of_shape(refused), json_errors.readable_fields(parsed)
        if fields is None:
            abort(json_errors.invalid(wrong))
        return fields, wrong
    except ValueError as broken:
        raise BadRequest from broken


def _accept(services: UploadServices, tenant: Tenant, posting: Posting, key: str | None, request: Request) -> Response:
    fields, wrong = _read(request)
    handle = fields.get(CV_ATTACHMENT_ID, "")
    its_form, handle = handle[:_FORM], handle[_FORM:]
    email = fields.get("email", "")[: bounds.EMAIL_MAX]  # a longer key is rejected below, and is not compared
    form_id = _form_of(tenant, email, key) if key else its_form
    token = FormToken(form_id, expired=False, opened=EPOCH, kind=APPLY)
    posted, sources = Posted(fields, None), sources_of(request.args)
    application = ApplicationRequest(services, tenant, posting.id, posting, posted, token, sources, request.remote_addr)
    application.form.validate()
    application.cv.bring(handle, of_form=its_form)
    wrong = json_errors.of_fields(application.form, application.cv, wrong)
    if wrong:
        return json_errors.invalid(wrong)
    if form_id != its_form:
        storing.move_to_other_form(
            services.database, tenant=tenant.slug, handle=handle, form_id=its_form, to_form=form_id
        )
    try:
        reference = application.accept(posting)
    except UploadGone:
        application.cv.discard_missing()
        return json_errors.invalid([json_errors.of_cv(application.cv)])
    except DifferentContent:
        return json_errors.different()
    receipt = links_of(tenant, base_url=services.base_url).outside().receipt(reference)
    return _answer(202, Accepted(reference=reference, receipt=receipt))


def _form_of(tenant: Tenant, email: str, key: str) -> str:
    """Return the id of the form for this email address and key."""
    return hashlib.sha256(json.dumps([tenant.slug, folded(email), key]).encode()).hexdigest()[:_FORM]


def wait(seconds: int | None) -> None:
    """Abort with 429 unless `seconds` is None."""
    if seconds is None:
        return
    detail = ngettext(
        "Too many requests came from your network, so this one was not accepted. Send it again in %(num)s minute.",
        "Too many requests came from your network, so this one was not accepted. Send it again in %(num)s minutes.",
        -(-seconds // 60),
    )
    abort(problem(429, str(detail), retry_after=seconds))


def _answer(status: int, body: BaseModel) -> Response:
    return Response(body.model_dump_json(by_alias=True), status, mimetype="application/json")
