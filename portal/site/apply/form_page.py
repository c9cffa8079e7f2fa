"""The application form as a page: opened, filled in from a CV, and sent; every answer but the receipt keeps what was
typed.
"""

import logging
from contextlib import suppress

from flask import Request, Response, make_response, render_template
from flask_babel import get_locale, gettext
from werkzeug.datastructures import MultiDict

from portal.delivery.envelopes.accept import DifferentContent
from portal.delivery.uploads.claims import UploadGone
from portal.jobs.posting import Closed, Posting
from portal.platform.crypto.signing import FormToken, new_form_id
from portal.platform.errors import DatabaseUnavailable, StoreError, TooManyInspections
from portal.services import Services
from portal.site.apply import bots, notices, proof_of_work
from portal.site.apply.application import APPLY, ROOM_AFTER, ApplicationRequest, find_posting, purpose_of, take_cv
from portal.site.assembly import here
from portal.site.errors import RETRY_AFTER
from portal.site.forms import refusals, request_body
from portal.site.forms.application_form import ApplicationForm
from portal.site.forms.fields import countries
from portal.site.forms.fields import cv as cv_words
from portal.site.forms.rate_limits import Post, pause_of_post
from portal.site.forms.refusals import sources_of
from portal.site.forms.request_body import Posted
from portal.site.routing.origin import is_from_elsewhere
from portal.site.words import value_labels
from portal.tenants.model import Bots, Tenant

log = logging.getLogger(__name__)

_FILL = "fill"
"""The name of the button that returns the form filled in from the CV."""


def open_form(services: Services, tenant: Tenant, posting_id: str, request: Request) -> Response:
    """GET: return an empty form; 410 for a closed job."""
    found = find_posting(services, tenant, posting_id)
    if isinstance(found, Closed):
        return _closed(found, [])
    token = FormToken(new_form_id(), expired=False, opened=services.clock.now(), kind=APPLY)
    empty, sources = Posted(MultiDict(), None), sources_of(request.args)
    one = ApplicationRequest(services, tenant, posting_id, found, empty, token, sources, request.remote_addr)
    return _answer(one, 200)


def post_form(services: Services, tenant: Tenant, posting_id: str, request: Request) -> Response:
    """POST: redirect (303) to the receipt once the application is on disk; any other answer preserves the entries."""
    # Count the post before reading anything of it: a post over the limit must cost next to nothing.
    pause = pause_of_post(services.throttle, Post.APPLICATION, request.remote_addr)
    # Receive the body first: that may take minutes, and the job may close in the meantime.
    with request_body.received(request, file_field="cv", max_file=services.settings.max_cv_bytes) as posted:
        found: Posting | Closed | None = None
        if pause is None:  # else no database is asked: the page has neither the job's title nor the file's name
            with suppress(DatabaseUnavailable):
                found = find_posting(services, tenant, posting_id)
        if isinstance(found, Closed):
            return _closed(found, ApplicationForm(posted.fields, tenant=tenant).typed())
        signed, purpose = posted.fields.get("token", ""), purpose_of(posting_id)
        token = services.signer.read(signed, tenant=tenant.slug, purpose=purpose, now=services.clock.now())
        sources = sources_of(posted.fields)
        one = ApplicationRequest(services, tenant, posting_id, found, posted, token, sources, request.remote_addr)
        if pause is not None:
            one.cv.trust(posted.fields.get("upload", ""))
            return _answer(one, 429, _kept(one, notices.pause(pause)), retry_after=pause)
        if is_from_elsewhere():
            return _answer(one, 403, _kept(one, notices.elsewhere()))
        return _try(one)


def _try(one: ApplicationRequest) -> Response:
    fields = one.posted.fields
    try:
        one.cv.find(fields.get("upload", ""))
        if one.posting is None:
            raise DatabaseUnavailable("the posting could not be looked up")
        if _FILL in fields and one.tenant.apply.read_cv:
            return _fill(one)
        return _check(one) or _accept(one, one.posting)
    except TooManyInspections as busy:
        return _answer(one, 429, _kept(one, cv_words.too_many_inspections()), retry_after=busy.seconds)
    except (DatabaseUnavailable, StoreError) as error:
        refusals.away(error)
        log.error("application not accepted: %s", error)  # noqa: TRY400  the message is enough, no traceback
        return _answer(one, 503, _kept(one, notices.unavailable()), retry_after=RETRY_AFTER)


def _fill(one: ApplicationRequest) -> Response:
    """Return the form filled in from its CV where nothing was typed; send nothing."""
    one.cv.reads = True
    refused = _take_cv(one) or _check_token(one)
    if refused:
        return refused
    if one.cv.error:
        return _answer(one, 413 if one.posted.too_large else 422)
    filled = one.fill()
    return _answer(one, 200, notices.filled(filled), filled=filled)


def _check(one: ApplicationRequest) -> Response | None:
    """Validate the form and store the CV, even if something else is wrong, so that nobody has to choose it twice.

    Return the response that rejects the post, None if it is valid.
    """
    posted = one.posted
    if not posted.fields:
        return _answer(one, 413, notices.too_large()) if posted.too_large else _answer(one, 422, notices.broken())
    valid = one.form.validate()
    refused = _take_cv(one)
    if refused:
        return refused
    if posted.too_large:
        file_alone = posted.file and posted.file.size > one.cv.max_bytes
        return _answer(one, 413, "" if file_alone else notices.too_large())
    return _check_token(one) or (None if valid and not one.cv.error else _answer(one, 422))


def _take_cv(one: ApplicationRequest) -> Response | None:
    """Store the posted file. Return the response that rejects the post, None otherwise."""
    if one.posted.broken and not one.posted.too_large:
        return _answer(one, 422, _kept(one, notices.broken()))
    pause = take_cv(one.cv, one.posted.file, one.remote_address, known=one.token is not None)
    if pause is not None:
        return _answer(one, 429, _kept(one, notices.pause_of_files(pause)), retry_after=pause)
    return _answer(one, 503, retry_after=ROOM_AFTER) if one.cv.no_room else None


def _check_token(one: ApplicationRequest) -> Response | None:
    """Return the response that rejects a form that has expired or is not of this portal, None otherwise."""
    if one.token and not one.token.expired:
        return None
    return _answer(one, 422, notices.expired() if one.token else notices.unknown())


def _accept(one: ApplicationRequest, posting: Posting) -> Response:
    try:
        reference = one.accept(posting)
    except UploadGone:
        one.cv.lose()
        return _answer(one, 422)
    except DifferentContent as sent:
        # From here on it is a new form: sent deliberately, this content is another application.
        one.cv.start_another()
        notice = notices.different() if one.cv.handle else f"{notices.different()} {notices.choose_again()}"
        return _answer(one, 409, notice, earlier_reference=sent.reference)
    return Response(status=303, headers={"Location": here(one.services, one.tenant).receipt(reference)})


def _kept(one: ApplicationRequest, notice: str) -> str:
    return notice if one.cv.handle or one.posted.file is None else f"{notice} {notices.choose_again()}"


def _closed(closed: Closed, typed: list[tuple[str, str]]) -> Response:
    return make_response(render_template("apply/closed.html", closed=closed, typed=typed), 410)


def _answer(
    one: ApplicationRequest,
    status: int,
    notice: str = "",
    *,
    filled: int = 0,
    earlier_reference: str | None = None,
    retry_after: int | None = None,
) -> Response:
    """Return the page with a new token for the same form.

    notice: what happened and what to do. filled: the number of fields filled in from the CV.
    """
    one.form.cv.errors = [one.cv.error] if one.cv.error else []
    token = one.services.signer.sign(
        tenant=one.tenant.slug,
        purpose=purpose_of(one.posting_id),
        form_id=one.cv.form_id,
        now=one.services.clock.now(),
        opened=one.opened,
    )
    page = render_template(
        "apply/form.html",
        posting=one.posting,
        posting_id=one.posting_id,
        form=one.form,
        cv=one.cv,
        notice=notice,
        filled=filled,
        fill=_FILL,
        earlier_reference=earlier_reference,
        token=token,
        sources=one.sources,
        trap=bots.TRAP,
        proof=proof_of_work.FIELD if one.tenant.apply.bots is Bots.PROOF else None,
        employment=value_labels.EMPLOYMENT,
        location=value_labels.LOCATION,
        countries=_countries_for(one.tenant, one.posting),
        phone_hint=_phone_hint(one.tenant),
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


def _phone_hint(tenant: Tenant) -> str:
    if tenant.apply.phone_region:
        return str(gettext("For a number from another country, start with + and the country code."))
    return str(gettext("Start with + and the country code, like +49 30 1234567."))
