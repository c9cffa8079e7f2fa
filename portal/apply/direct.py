"""The field of a CV with a script, in every form that has it: it asks, sends the file by itself, and says that it did.

Everything is bound to the form whose signed token comes along: which job or whose record it is for, that token says.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC

from flask import Request, Response, jsonify
from werkzeug.exceptions import BadRequest, Forbidden, RequestEntityTooLarge

from portal.apply import notices
from portal.apply.accepting import ROOM_AFTER, is_cross_site
from portal.apply.as_data import wait
from portal.apply.filling import offered
from portal.apply.formpage import APPLY
from portal.errors import DatabaseUnavailable, PortalError, StoreError, UploadReason, UploadRefused
from portal.logs import Happened, Seen, event, seen
from portal.parts import Parts
from portal.signing import FormToken
from portal.tenants.model import Tenant
from portal.uploads.asking import AnotherCame, Asking, AskOver, BeingChecked, NotThereYet, TooManyAsked
from portal.uploads.storing import StoredUpload
from portal.web import body
from portal.web.assembly import here
from portal.web.cv_upload import CvUpload
from portal.web.fields import cv
from portal.web.problems import problem
from portal.web.sending_limit import pause_of_files, pause_of_uploads

log = logging.getLogger(__name__)

_RETRY_AFTER = 5
"""Seconds; its script asks by itself."""
_CHECKED_AFTER = 2
"""Seconds; a look takes about as long."""
_SIZE_DIGITS = 12
_SAID: dict[type[PortalError], tuple[int, Callable[[], str]]] = {
    NotThereYet: (409, cv.not_whole),
    AnotherCame: (422, cv.another_came),
    AskOver: (410, cv.not_kept),
}


def ask(parts: Parts, tenant: Tenant, request: Request) -> Response:
    """201 with where one file may be sent, and the ticket that it is spoken of by."""
    _let_in(parts, request)
    form, refused = _form_of(parts, tenant, request)
    size = request.form.get("size", "")
    if form is None:
        return refused
    form_id = form.form_id
    if size and not (size.isascii() and size.isdecimal() and len(size) <= _SIZE_DIGITS):
        raise BadRequest
    if short := parts.disks.short():
        log.error("files are not taken: too little room for %s", ", ".join(short))
        return problem(503, cv.no_room(), retry_after=ROOM_AFTER)

    def asked() -> Response:
        announced = int(size) if size else None
        most = parts.settings.max_cv_bytes
        if announced is None or 0 < announced <= most:  # what is refused counts for nobody
            spent = announced or most
            pause = pause_of_files(parts.throttle, tenant=tenant.slug, remote_address=request.remote_addr, size=spent)
            if pause is not None:
                return problem(429, notices.pause_of_files(pause), retry_after=pause)
        found = _asking(parts, tenant, form_id).ask(request.form.get("name", ""), announced)
        ticket = parts.signer.sign_asked(tenant=tenant.slug, form_id=form_id, asked=found.id)
        post = found.post
        said = jsonify(
            url=post.url if post else here(parts, tenant).uploads_file(),
            fields=dict(post.fields) if post else {"upload": ticket},
            upload=ticket,
            expires=found.expires.astimezone(UTC).isoformat(),
        )
        said.status_code = 201
        return said

    return _told(parts, tenant, asked)


def receive(parts: Parts, tenant: Tenant, request: Request) -> Response:
    """204: the file is where the store would have put it, had the browser been able to reach it."""
    _let_in(parts, request)
    most = parts.settings.max_cv_bytes
    with body.received(request, file_field="file", max_file=most) as posted:
        file = posted.file
        if posted.too_large and (file is None or file.size <= most):  # it is what came beside the file
            raise RequestEntityTooLarge
        if posted.broken or file is None:
            raise BadRequest
        found = parts.signer.read_asked(posted.fields.get("upload", ""), tenant=tenant.slug)
        if found is None:
            return problem(410, cv.not_kept())
        if short := parts.disks.short():
            log.error("files are not taken: too little room for %s", ", ".join(short))
            return problem(503, cv.no_room(), retry_after=ROOM_AFTER)
        form_id, asked = found

        def received() -> Response:
            _asking(parts, tenant, form_id).receive(asked, file.content(), file.size)
            return Response(status=204)

        return _told(parts, tenant, received)


def check(parts: Parts, tenant: Tenant, request: Request) -> Response:
    """200 with what was sent and the token by which its form keeps it."""
    _let_in(parts, request)
    form, refused = _form_of(parts, tenant, request)
    if form is None:
        return refused
    form_id = form.form_id
    # A record's form has no use for it: what its person is called stands there already.
    reads = tenant.apply.read_cv and form.kind == APPLY
    found = parts.signer.read_asked(request.form.get("upload", ""), tenant=tenant.slug)
    if found is None or found[0] != form_id:
        return problem(410, cv.not_kept())
    asked = found[1]

    def checked() -> Response:
        stored = _asking(parts, tenant, form_id, read=reads).check(asked)
        if reads and stored.said is None:  # it was checked before, and the answer was lost
            read = CvUpload(parts, tenant.slug, form_id, handle=stored.handle).said()
            stored = replace(stored, said=read)
        event(Happened.ACCEPTED, tenant=tenant.slug, kind="upload")
        return _said(parts, tenant, form_id, stored)

    return _told(parts, tenant, checked)


def _said(parts: Parts, tenant: Tenant, form_id: str, stored: StoredUpload) -> Response:
    token = parts.signer.sign_upload(tenant=tenant.slug, form_id=form_id, handle=stored.handle)
    size, about = cv.size_in_words(stored.size), cv.described(stored.media_type, stored.size, stored.pages)
    said = offered(tenant, stored.said) or None
    return jsonify(upload=token, name=stored.filename, size=size, pages=stored.pages, about=about, said=said)


def _asking(parts: Parts, tenant: Tenant, form_id: str, *, read: bool = False) -> Asking:
    return Asking(
        parts.database,
        parts.store,
        parts.seal,
        tenant.slug,
        form_id,
        parts.settings.max_cv_bytes,
        parts.clock,
        parts.room.left,
        read,
    )


def _let_in(parts: Parts, request: Request) -> None:
    """Refuse one post too many before anything of it is looked at, and whatever another site has a browser send."""
    wait(pause_of_uploads(parts.throttle, request.remote_addr))
    if is_cross_site(request, parts):
        raise Forbidden


def _form_of(parts: Parts, tenant: Tenant, request: Request) -> tuple[FormToken | None, Response]:
    """The token of the form that came along; without one, what is answered instead."""
    token = parts.signer.read_any(request.form.get("token", ""), tenant=tenant.slug, now=parts.clock.now())
    if token is None:
        return None, problem(410, notices.unknown())
    return (None if token.expired else token), problem(410, notices.expired())


def _told(parts: Parts, tenant: Tenant, job: Callable[[], Response]) -> Response:
    """What it answers, or what its person is told instead."""
    try:
        return job()
    except UploadRefused as refused:
        seen(Seen.UPLOAD_REFUSED, tenant=tenant.slug, reason=refused.reason)
        said = cv.refused(refused, limit=parts.settings.max_cv_bytes)
        return problem(413 if refused.reason is UploadReason.TOO_LARGE else 422, said)
    except TooManyAsked as many:
        seen(Seen.LIMITED, tenant=tenant.slug, limit="uploads-asked")
        return problem(429, cv.too_many_at_once(many.seconds), retry_after=many.seconds)
    except (NotThereYet, AnotherCame, AskOver) as why:
        status, says = _SAID[type(why)]
        return problem(status, says())
    except BeingChecked:
        return problem(503, cv.being_checked(), retry_after=_CHECKED_AFTER)
    except (DatabaseUnavailable, StoreError) as error:
        log.log(logging.WARNING if error.transient else logging.ERROR, "a file is not taken: %s", error)
        return problem(503, cv.not_stored(), retry_after=_RETRY_AFTER)
