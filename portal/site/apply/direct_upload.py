"""Endpoints for the script of the CV field in every form: announce a file, send it by itself, have it checked.

Each request carries the signed token of its form, which says which job or whose profile the file is for.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC

from flask import Request, Response, jsonify
from flask_babel import LazyString
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge

from portal.delivery.uploads import refusal_counts
from portal.delivery.uploads.announcements import Announcer, announcer, bytes_announced, give_back, release
from portal.delivery.uploads.cpu_budget import CpuBudget
from portal.delivery.uploads.direct import (
    BeingChecked,
    FileNotArrived,
    SizeMismatch,
    TicketExpired,
    TooManyTickets,
    UploadTickets,
)
from portal.delivery.uploads.storing import StoredUpload
from portal.platform.crypto.signing import FormToken
from portal.platform.errors import (
    DatabaseUnavailable,
    PortalError,
    StoreError,
    TooManyInspections,
    UploadReason,
    UploadRefused,
)
from portal.platform.logs import EventName, SecurityEvent, event, log_security_event
from portal.site.apply import notices
from portal.site.apply.application import APPLY, DISK_FULL_RETRY_AFTER, purpose_of, suggestions_for_empty_fields
from portal.site.apply.json_api import wait
from portal.site.assembly import links_of
from portal.site.forms import request_body
from portal.site.forms.cv_upload import CvUpload
from portal.site.forms.fields import cv
from portal.site.forms.rate_limits import PostLimit, check_file_limits, count_file, hit_post_limits
from portal.site.forms.services import UploadServices
from portal.site.routing.problems import problem
from portal.tenants.model import Tenant

log = logging.getLogger(__name__)

_RETRY_AFTER = 5
"""Seconds; the form's script retries automatically."""
_CHECKED_AFTER = 2
"""Seconds; an inspection takes about as long."""
_SIZE_DIGITS = 12
_SAID: dict[type[PortalError], tuple[int, LazyString]] = {
    FileNotArrived: (409, cv.NOT_WHOLE),
    SizeMismatch: (422, cv.ANOTHER_CAME),
    TicketExpired: (410, cv.NOT_KEPT),
}


def ask(services: UploadServices, tenant: Tenant, request: Request) -> Response:
    """Answer 201 with the address to send one announced file to, and the ticket that later requests name it by."""
    _let_in(services, request)
    form, refused = _form_of(services, tenant, request)
    size = request.form.get("size", "")
    if form is None:
        return refused
    form_id = form.form_id
    if not (size.isascii() and size.isdecimal() and len(size) <= _SIZE_DIGITS):
        return problem(422, cv.SIZE_UNKNOWN)
    announced, by = int(size), announcer(services.seal, request.remote_addr)
    if services.places_short_of_space():
        return problem(503, cv.STORAGE_FULL, retry_after=DISK_FULL_RETRY_AFTER)

    def asked() -> Response:
        if 0 < announced <= services.max_cv_bytes:  # a rejected size counts towards no limit
            pause = _check_announcement_limits(services, tenant, by, request.remote_addr)
            if pause is not None:
                return problem(429, notices.pause_of_files(pause), retry_after=pause)
        found = _tickets(services, tenant, form_id).ask(request.form.get("name", ""), announced, by)
        ticket = services.signer.sign_asked(tenant=tenant.slug, form_id=form_id, asked=found.id)
        post = found.post
        response = jsonify(
            url=post.url if post else links_of(tenant, base_url=services.base_url).uploads_file(),
            fields=dict(post.fields) if post else {"upload": ticket},
            upload=ticket,
            expires=found.expires.astimezone(UTC).isoformat(),
        )
        response.status_code = 201
        return response

    return _with_refusals(services, tenant, asked)


def receive(services: UploadServices, tenant: Tenant, request: Request) -> Response:
    """Receive the file where the browser cannot send it to the file storage directly; answer 204 once it is there."""
    _let_in(services, request)
    most = services.max_cv_bytes
    with request_body.received(request, file_field="file", max_file=most) as posted:
        file = posted.file
        if posted.too_large and (file is None or file.size <= most):  # the other fields of the form are too large
            raise RequestEntityTooLarge
        if posted.broken or file is None:
            raise BadRequest
        found = services.signer.read_asked(posted.fields.get("upload", ""), tenant=tenant.slug)
        if found is None:
            return problem(410, cv.NOT_KEPT)
        if services.places_short_of_space():
            return problem(503, cv.STORAGE_FULL, retry_after=DISK_FULL_RETRY_AFTER)
        form_id, asked = found

        def received() -> Response:
            pause = check_file_limits(services.throttle, tenant=tenant.slug, remote_address=request.remote_addr)
            if pause is not None:
                return problem(429, notices.pause_of_files(pause), retry_after=pause)
            _tickets(services, tenant, form_id).receive(asked, file.content(), file.size)
            _count_once(services, tenant, asked, request.remote_addr, file.size)
            return Response(status=204)

        return _with_refusals(services, tenant, received)


def check(services: UploadServices, tenant: Tenant, request: Request) -> Response:
    """Answer 200 with a description of the file that was sent, and the token with which its form refers to it."""
    _let_in(services, request)
    form, refused = _form_of(services, tenant, request)
    if form is None:
        return refused
    form_id = form.form_id
    # A profile form does not read the CV: it already contains the candidate's name and details.
    reads = tenant.apply.read_cv and form.kind == APPLY
    found = services.signer.read_asked(request.form.get("upload", ""), tenant=tenant.slug)
    if found is None or found[0] != form_id:
        return problem(410, cv.NOT_KEPT)
    asked = found[1]

    def checked() -> Response:
        try:
            tickets = _tickets(services, tenant, form_id, read=reads, remote_address=request.remote_addr)
            stored = tickets.check(asked)
        except UploadRefused:
            release(services.database, asked)
            raise
        _count_once(services, tenant, asked, request.remote_addr, stored.size)
        upload = CvUpload(services, tenant.slug, form_id, handle=stored.handle, stored=stored)
        details = stored.details
        if reads:  # read it now if it was already checked, but the response was lost
            with suppress(TooManyInspections):  # the file belongs to the form; its details are typed by hand
                details = upload.read_details(request.remote_addr)
        event(EventName.ACCEPTED, tenant=tenant.slug, kind="upload")
        return jsonify(_described(upload, stored) | {"said": suggestions_for_empty_fields(tenant, details) or None})

    return _with_refusals(services, tenant, checked)


def describe_kept(services: UploadServices, tenant: Tenant, posting_id: str, request: Request) -> Response:
    """Answer 200 with a description of the file that a tab kept for a job's form, and a new token of that form; 410 if
    the file is no longer stored.

    An expired token is renewed, as it is when its form is sent.
    """
    _let_in(services, request)
    now, purpose = services.clock.now(), purpose_of(posting_id)
    token = services.signer.read(request.form.get("token", ""), tenant=tenant.slug, purpose=purpose, now=now)
    if token is None:
        return problem(410, notices.UNKNOWN)
    form_id, opened = token.form_id, token.opened

    def described() -> Response:
        upload = CvUpload(services, tenant.slug, form_id)
        upload.find(request.form.get("upload", ""))
        if upload.stored is None:
            return problem(410, cv.NO_LONGER_STORED)
        renewed = services.signer.sign(tenant=tenant.slug, purpose=purpose, form_id=form_id, now=now, opened=opened)
        return jsonify(_described(upload, upload.stored) | {"token": renewed})

    return _with_refusals(services, tenant, described)


def _described(upload: CvUpload, stored: StoredUpload) -> dict[str, object]:
    return {
        "upload": upload.token,
        "name": stored.filename,
        "size": cv.size_in_words(stored.size),
        "pages": stored.pages,
        "about": upload.about,
        "readable": not stored.unreadable,
    }


def _tickets(
    services: UploadServices, tenant: Tenant, form_id: str, *, read: bool = False, remote_address: str | None = None
) -> UploadTickets:
    return UploadTickets(
        services.database,
        services.store,
        services.seal,
        tenant.slug,
        form_id,
        services.max_cv_bytes,
        services.clock,
        services.concurrency.slot_released,
        read,
        CpuBudget(services.throttle, remote_address),
    )


def _check_announcement_limits(
    services: UploadServices, tenant: Tenant, by: Announcer, remote_address: str | None
) -> int | None:
    """Return the seconds until another file may be announced, if any; release the space of unused announcements."""
    now = services.clock.now()

    def pause() -> int | None:
        announced = bytes_announced(services.database, tenant=tenant.slug, by=by, now=now)
        return check_file_limits(
            services.throttle, tenant=tenant.slug, remote_address=remote_address, announced=announced
        )

    seconds = pause()
    if seconds is None:
        return None
    for size in give_back(services.database, services.store, tenant=tenant.slug, by=by, now=now):
        count_file(services.throttle, tenant=tenant.slug, remote_address=remote_address, size=size)
    return pause()


def _count_once(services: UploadServices, tenant: Tenant, asked: str, remote_address: str | None, size: int) -> None:
    """Count an announced file as stored once it has arrived; only the first call counts it."""
    if release(services.database, asked):
        count_file(services.throttle, tenant=tenant.slug, remote_address=remote_address, size=size)


def _let_in(services: UploadServices, request: Request) -> None:
    """Abort with 429 if there are too many posts, before anything of this one is read."""
    wait(hit_post_limits(services.throttle, PostLimit.UPLOAD, request.remote_addr))


def _form_of(services: UploadServices, tenant: Tenant, request: Request) -> tuple[FormToken | None, Response]:
    """Return (the posted form token, _); for an invalid or expired token (None, the response to send instead)."""
    token = services.signer.read_any(request.form.get("token", ""), tenant=tenant.slug, now=services.clock.now())
    if token is None:
        return None, problem(410, notices.UNKNOWN)
    return (None if token.expired else token), problem(410, notices.EXPIRED)


def _too_many(tenant: Tenant, many: TooManyTickets | TooManyInspections) -> Response:
    if isinstance(many, TooManyInspections):
        return problem(429, cv.TOO_MANY_INSPECTIONS, retry_after=many.seconds)
    log_security_event(SecurityEvent.LIMITED, tenant=tenant.slug, limit="uploads-asked")
    return problem(429, cv.too_many_at_once(many.seconds), retry_after=many.seconds)


def _with_refusals(services: UploadServices, tenant: Tenant, job: Callable[[], Response]) -> Response:
    """Return the job's response, or problem details for the error that it raises."""
    try:
        return job()
    except UploadRefused as refused:
        refusal_counts.count(services.database, tenant=tenant.slug, reason=refused.reason, now=services.clock.now())
        error_text = cv.refused(refused, limit=services.max_cv_bytes)
        return problem(413 if refused.reason is UploadReason.TOO_LARGE else 422, error_text)
    except (TooManyTickets, TooManyInspections) as many:
        return _too_many(tenant, many)
    except (FileNotArrived, SizeMismatch, TicketExpired) as why:
        return problem(*_SAID[type(why)])
    except BeingChecked:
        return problem(503, cv.BEING_CHECKED, retry_after=_CHECKED_AFTER)
    except (DatabaseUnavailable, StoreError) as error:
        log.log(logging.WARNING if error.transient else logging.ERROR, "a file was not accepted: %s", error)
        return problem(503, cv.NOT_STORED, retry_after=_RETRY_AFTER)
