"""The application form as a page: opened, filled in from a CV, and sent; every answer but the receipt keeps what was
typed.
"""

import logging
from contextlib import suppress

from flask import Request, Response, jsonify, make_response, render_template
from flask_babel import LazyString, get_locale
from werkzeug.datastructures import MultiDict

from portal.delivery.envelopes.repeats import DifferentContent
from portal.delivery.uploads.claims import UploadGone
from portal.jobs.posting import Closed, Posting
from portal.platform.crypto.signing import FormToken, new_form_id
from portal.platform.errors import DatabaseUnavailable, StoreError, TooManyInspections
from portal.site.apply import bots, notices, proof_of_work
from portal.site.apply.application import (
    APPLY,
    DISK_FULL_RETRY_AFTER,
    ApplicationRequest,
    find_posting,
    purpose_of,
    take_cv,
)
from portal.site.assembly import links_of
from portal.site.errors import RETRY_AFTER
from portal.site.forms import refusals, request_body
from portal.site.forms.application_form import ApplicationForm, sources_of
from portal.site.forms.fields import countries
from portal.site.forms.fields import cv as cv_words
from portal.site.forms.rate_limits import PostLimit, hit_post_limits
from portal.site.forms.request_body import Posted
from portal.site.forms.services import UploadServices
from portal.site.routing.origin import is_from_elsewhere
from portal.tenants.model import Bots, Tenant

log = logging.getLogger(__name__)

_FILL = "fill"
"""The name of the button that returns the form filled in from the CV."""


def open_form(services: UploadServices, tenant: Tenant, posting_id: str, request: Request) -> Response:
    """GET: return an empty form; 410 for a closed job."""
    found = find_posting(services.database, tenant, posting_id, services.clock.now())
    if isinstance(found, Closed):
        return _closed(found, [])
    token = FormToken(new_form_id(), expired=False, opened=services.clock.now(), kind=APPLY)
    empty, sources = Posted(MultiDict(), None), sources_of(request.args)
    application = ApplicationRequest(services, tenant, posting_id, found, empty, token, sources, request.remote_addr)
    return _render_form(application, 200)


def post_form(services: UploadServices, tenant: Tenant, posting_id: str, request: Request) -> Response:
    """POST: redirect (303) to the receipt once the application is on disk; any other answer preserves the entries."""
    # Count the post before reading anything of it: a post over the limit must cost next to nothing.
    pause = hit_post_limits(services.throttle, PostLimit.APPLICATION, request.remote_addr)
    # Receive the body first: that may take minutes, and the job may close in the meantime.
    with request_body.received(request, file_field="cv", max_file=services.max_cv_bytes) as posted:
        found: Posting | Closed | None = None
        if pause is None:  # without a query, the page lacks the job's title and the file's name
            with suppress(DatabaseUnavailable):
                found = find_posting(services.database, tenant, posting_id, services.clock.now())
        if isinstance(found, Closed):
            return _closed(found, ApplicationForm(posted.fields, tenant=tenant).typed())
        signed, purpose = posted.fields.get("token", ""), purpose_of(posting_id)
        token = services.signer.read(signed, tenant=tenant.slug, purpose=purpose, now=services.clock.now())
        sources = sources_of(posted.fields)
        application = ApplicationRequest(
            services, tenant, posting_id, found, posted, token, sources, request.remote_addr
        )
        if pause is not None:
            application.cv.use_without_lookup(posted.fields.get("upload", ""))
            return _render_form(application, 429, _cv_notice(application, notices.pause(pause)), retry_after=pause)
        if is_from_elsewhere():
            return _render_form(application, 403, _cv_notice(application, notices.ELSEWHERE))
        return _process_post(application)


def _process_post(application: ApplicationRequest) -> Response:
    fields = application.posted.fields
    try:
        application.cv.find(fields.get("upload", ""))
        if application.posting is None:
            raise DatabaseUnavailable("the posting could not be looked up")
        if _FILL in fields and application.tenant.apply.read_cv:
            return _fill(application)
        return _check(application) or _accept_and_redirect(application, application.posting)
    except TooManyInspections as busy:
        return _render_form(
            application, 429, _cv_notice(application, cv_words.TOO_MANY_INSPECTIONS), retry_after=busy.seconds
        )
    except (DatabaseUnavailable, StoreError) as error:
        refusals.record_unavailable_part(error)
        log.error("application not accepted: %s", error)  # noqa: TRY400  the message is enough, no traceback
        return _render_form(application, 503, _cv_notice(application, notices.UNAVAILABLE), retry_after=RETRY_AFTER)


def _fill(application: ApplicationRequest) -> Response:
    """Return the form filled in from its CV where nothing was typed; send nothing."""
    application.cv.reads = True
    refused = _take_cv(application) or _check_token(application)
    if refused:
        return refused
    if application.cv.error:
        return _render_form(application, 413 if application.posted.too_large else 422)
    filled = application.fill()
    return _render_form(application, 200, notices.filled(filled), filled=filled)


def _check(application: ApplicationRequest) -> Response | None:
    """Validate the form and store the CV, even if something else is wrong, so that nobody has to choose it twice.

    Return the response that rejects the post, None if it is valid.
    """
    posted = application.posted
    if not posted.fields:
        status, notice = (413, notices.TOO_LARGE) if posted.too_large else (422, notices.BROKEN)
        return _render_form(application, status, notice)
    valid = application.form.validate()
    refused = _take_cv(application)
    if refused:
        return refused
    if posted.too_large:
        file_alone = posted.file and posted.file.size > application.cv.max_bytes
        return _render_form(application, 413, "" if file_alone else notices.TOO_LARGE)
    return _check_token(application) or (None if valid and not application.cv.error else _render_form(application, 422))


def _take_cv(application: ApplicationRequest) -> Response | None:
    """Store the posted file. Return the response that rejects the post, None otherwise."""
    if application.posted.broken and not application.posted.too_large:
        return _render_form(application, 422, _cv_notice(application, notices.BROKEN))
    pause = take_cv(
        application.cv, application.posted.file, application.remote_address, known=application.token is not None
    )
    if pause is not None:
        return _render_form(application, 429, _cv_notice(application, notices.pause_of_files(pause)), retry_after=pause)
    return _render_form(application, 503, retry_after=DISK_FULL_RETRY_AFTER) if application.cv.disk_full else None


def _check_token(application: ApplicationRequest) -> Response | None:
    """Return the response that rejects a form that has expired or is not of this portal, None otherwise."""
    if application.token and not application.token.expired:
        return None
    return _render_form(application, 422, notices.EXPIRED if application.token else notices.UNKNOWN)


def _accept_and_redirect(application: ApplicationRequest, posting: Posting) -> Response:
    try:
        reference = application.accept(posting)
    except UploadGone:
        application.cv.discard_missing()
        return _render_form(application, 422)
    except DifferentContent as sent:
        # From here on it is a new form: sent deliberately, this content is another application.
        application.cv.continue_as_new_form()
        notice = notices.DIFFERENT if application.cv.handle else f"{notices.DIFFERENT} {notices.CHOOSE_AGAIN}"
        return _render_form(application, 409, notice, earlier_reference=sent.reference)
    site = links_of(application.tenant, base_url=application.services.base_url)
    return Response(status=303, headers={"Location": site.receipt(reference)})


def _cv_notice(application: ApplicationRequest, notice: str | LazyString) -> str | LazyString:
    return notice if application.cv.handle or application.posted.file is None else f"{notice} {notices.CHOOSE_AGAIN}"


def _closed(closed: Closed, typed: list[tuple[str, str]]) -> Response:
    return make_response(render_template("apply/closed.html", closed=closed, typed=typed), 410)


def _render_form(
    application: ApplicationRequest,
    status: int,
    notice: str | LazyString = "",
    *,
    filled: int = 0,
    earlier_reference: str | None = None,
    retry_after: int | None = None,
) -> Response:
    """Return the page with a new token for the same form.

    notice: what happened and what to do. filled: the number of fields filled in from the CV.
    """
    application.form.cv.errors = [application.cv.error] if application.cv.error else []
    token = application.services.signer.sign(
        tenant=application.tenant.slug,
        purpose=purpose_of(application.posting_id),
        form_id=application.cv.form_id,
        now=application.services.clock.now(),
        opened=application.opened,
    )
    page = render_template(
        "apply/form.html",
        posting=application.posting,
        posting_id=application.posting_id,
        form=application.form,
        cv=application.cv,
        notice=notice,
        filled=filled,
        fill=_FILL,
        earlier_reference=earlier_reference,
        token=token,
        sources=application.sources,
        trap=bots.TRAP,
        proof=proof_of_work.FIELD if application.tenant.apply.bots is Bots.PROOF else None,
        countries=_countries_for(application.tenant, application.posting),
    )
    response = make_response(page, status)
    if retry_after is not None:
        response.headers["Retry-After"] = str(retry_after)
    return response


def _countries_for(tenant: Tenant, posting: Posting | None) -> list[tuple[str, str]]:
    """Return (code, name) of every country, first those where the candidate most likely lives."""
    every = countries.names(str(get_locale()))
    near = [code for code in (posting.place.country if posting else None, tenant.apply.phone_region) if code]
    return sorted(every, key=lambda entry: near.index(entry[0]) if entry[0] in near else len(near))


def challenge(services: UploadServices, tenant: Tenant, posting_id: str, request: Request) -> Response:
    """Answer with `challenge` for the form whose token is in the query; null if none is needed or the token is
    invalid.
    """
    now = services.clock.now()
    signed = request.args.get("token", "")
    token = services.signer.read(signed, tenant=tenant.slug, purpose=purpose_of(posting_id), now=now)
    asked = None
    if token and bots.asks_for_proof(services.throttle, tenant, request.remote_addr):
        asked = proof_of_work.challenge(services.seal, form_id=token.form_id, now=now)
    response = jsonify(challenge=asked)
    response.headers["Cache-Control"] = "no-store"
    return response
