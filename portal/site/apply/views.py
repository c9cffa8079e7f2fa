"""The routes of the application form, its proof of work, the receipt and its confirmation, the JSON API and uploads."""

import hmac
from datetime import datetime
from itertools import islice

from flask import Blueprint, Request, Response, abort, make_response, render_template, request

from portal.background.outbox.states import HeldFor
from portal.contract import bounds
from portal.contract.openapi import ApiOperation, ApiParameter
from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes import receipt as receipts
from portal.delivery.envelopes import submissions
from portal.delivery.envelopes.accept import CONFIRMATION
from portal.delivery.envelopes.receipt import Receipt, ReceiptState
from portal.delivery.uploads import claims
from portal.jobs import open_jobs
from portal.jobs.posting import Posting
from portal.jobs.search import search
from portal.site.apply import direct_upload, form_page, json_api, json_body, json_errors
from portal.site.apply.json_body import Accepted, ApplicationBody, Stored
from portal.site.assembly import links_of
from portal.site.forms.application_form import SOURCE_PARAMETERS
from portal.site.forms.fields import cv
from portal.site.forms.refusals import with_refusals
from portal.site.forms.services import UploadServices
from portal.site.routing.access import (
    Origins,
    for_programs,
    for_scripts,
    form,
    framable,
    from_origins,
    with_cv_field,
    with_file,
)
from portal.site.routing.tenant import for_tenant
from portal.tenants.model import Tenant


def blueprint(services: UploadServices, *, upload_ttl: float) -> Blueprint:
    """Return the blueprint: GET, POST /{slug}/jobs/{postingId}/apply; GET …/apply/challenge,
    /{slug}/applications/{reference}; GET, POST /{slug}/applications/{reference}/confirm; POST …/apply/kept,
    /{slug}/uploads, /{slug}/vacancy-portal/jobs/{postingId}, /{slug}/uploads/direct, /{slug}/uploads/direct/file,
    /{slug}/uploads/checked.
    """
    pages = Blueprint("apply", __name__)

    @pages.get("/<slug>/jobs/<posting_id>/apply")
    @form
    @framable
    @with_cv_field
    @for_tenant(services.tenants)
    def apply(tenant: Tenant, posting_id: str) -> Response:
        return form_page.open_form(services, tenant, posting_id, request)

    @pages.post("/<slug>/jobs/<posting_id>/apply")
    @form
    @framable
    @with_cv_field
    @with_file
    @from_origins(Origins.OWN_SAID_BY_VIEW)
    @for_tenant(services.tenants)
    def send(tenant: Tenant, posting_id: str) -> Response:
        return with_refusals(
            tenant, APPLICATION.name, lambda: form_page.post_form(services, tenant, posting_id, request)
        )

    @pages.get("/<slug>/jobs/<posting_id>/apply/challenge")
    @form
    @framable
    @for_tenant(services.tenants)
    def challenge(tenant: Tenant, posting_id: str) -> Response:
        return form_page.challenge(services, tenant, posting_id, request)

    _for_other_front_ends(pages, services, upload_ttl)
    _for_the_forms_script(pages, services)

    # Framable like the form: a candidate who applied inside a company's own page sees the receipt there.
    @pages.get("/<slug>/applications/<reference>")
    @form
    @framable
    @for_tenant(services.tenants)
    def receipt(tenant: Tenant, reference: str) -> Response:
        return _show(services, tenant, reference)

    @pages.get("/<slug>/applications/<reference>/confirm")
    @form
    @for_tenant(services.tenants)
    def confirm(tenant: Tenant, reference: str) -> Response:
        return _show_confirmation(services, tenant, reference, request)

    @pages.post("/<slug>/applications/<reference>/confirm")
    @form
    @for_tenant(services.tenants)
    def confirmed(tenant: Tenant, reference: str) -> Response:
        return _confirm(services, tenant, reference, request)

    return pages


_LANG = ApiParameter("lang", "Language of what problems say, one of the company's; else its first.")
_UPLOAD = ApiOperation(
    name="uploadCv",
    summary="Store a CV for one application",
    description="The file as the body, named by Content-Disposition, or as the field `cv` of a form. A problem with "
    f"the file is its one error, with one of these codes: {', '.join(sorted(cv.CODES))}.",
    status=201,
    answer=Stored,
    example=json_body.STORED_EXAMPLE,
    body_example=json_body.CV_EXAMPLE,
    parameters=(
        ApiParameter(
            "Content-Disposition",
            "The file's name, percent-encoded as RFC 8187 has it, because a header takes no other letters from a "
            "script: attachment; filename*=UTF-8''… A plain filename=\"…\" of ASCII is accepted too.",
            where="header",
            example="attachment; filename*=UTF-8''%E5%B1%A5%E6%AD%B4%E6%9B%B8.txt",
        ),
        _LANG,
    ),
    refusals=(400, 403, 413, 415, 422, 429, 503),
    file="PDF, DOCX, ODT, RTF, plain text or DOC; its content decides.",
)
_SEND = ApiOperation(
    name="apply",
    summary="Apply for a job",
    description="Accepted as the form's are, and delivered. The same upload and content again: the same reference. The "
    f"body has at most {bounds.PUBLIC_BODY_MAX} bytes. All errors are named at once, each with one of these codes: "
    f"{', '.join(json_errors.CODES)}.",
    status=202,
    answer=Accepted,
    example=json_body.ACCEPTED_EXAMPLE,
    body=ApplicationBody,
    body_example=json_body.BODY_EXAMPLE,
    parameters=(
        ApiParameter(
            "Idempotency-Key",
            "An applicant's own. The same key and content: the same reference, whatever upload it has; else 409.",
            {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
            where="header",
            example="0d9c2a7e",
        ),
        _LANG,
        *(ApiParameter(name, "Where its person came from; kept with it.") for name in SOURCE_PARAMETERS),
    ),
    refusals=(400, 403, 409, 410, 413, 415, 422, 429, 503),
)


_SMALL = 16_384
"""Bytes that a form with one key may have."""
_JOBS_MOST = 5
"""Links to forms: more than one job can match the facts known about a lost reference."""


def _for_other_front_ends(pages: Blueprint, services: UploadServices, upload_ttl: float) -> None:
    @pages.post("/<slug>/uploads")
    @form
    @with_file
    @for_programs(_UPLOAD)
    @from_origins(Origins.LISTED)
    @for_tenant(services.tenants)
    def upload(tenant: Tenant) -> Response:
        return json_api.upload(services, tenant, request, upload_ttl=upload_ttl)

    @pages.post("/<slug>/vacancy-portal/jobs/<posting_id>")
    @form
    @for_programs(_SEND)
    @from_origins(Origins.LISTED)
    @for_tenant(services.tenants)
    def send_data(tenant: Tenant, posting_id: str) -> Response:
        return with_refusals(tenant, APPLICATION.name, lambda: json_api.send(services, tenant, posting_id, request))


def _for_the_forms_script(pages: Blueprint, services: UploadServices) -> None:
    @pages.post("/<slug>/uploads/direct")
    @form
    @for_scripts
    @for_tenant(services.tenants)
    def ask(tenant: Tenant) -> Response:
        return direct_upload.ask(services, tenant, request)

    @pages.post("/<slug>/uploads/direct/file")
    @form
    @for_scripts
    @with_file
    @for_tenant(services.tenants)
    def receive(tenant: Tenant) -> Response:
        return direct_upload.receive(services, tenant, request)

    @pages.post("/<slug>/jobs/<posting_id>/apply/kept")
    @form
    @for_scripts
    @framable
    @for_tenant(services.tenants)
    def describe_kept(tenant: Tenant, posting_id: str) -> Response:
        return direct_upload.describe_kept(services, tenant, posting_id, request)

    @pages.post("/<slug>/uploads/checked")
    @form
    @for_scripts
    @for_tenant(services.tenants)
    def check(tenant: Tenant) -> Response:
        return direct_upload.check(services, tenant, request)


def _show(services: UploadServices, tenant: Tenant, reference: str) -> Response:
    """Return the receipt page, 404, or 410 if it was forgotten or a restore lost it.

    A duplicate, and a reference typed in lower case, are redirected to the actual receipt.

    The page contains nothing personal, but is not cached: it changes, and concerns one candidate.
    """
    found = receipts.find(services.database, tenant=tenant.slug, kind=APPLICATION.name, reference=reference)
    if found is None:
        return _say_that_it_is_lost(services, tenant, reference)
    leads_to = found.repeats or found.reference
    if leads_to != reference:
        return _see_receipt(services, tenant, leads_to)
    now, answer_by = services.clock.now(), tenant.apply.answer_by(found.accepted_at)
    with services.database.read_once() as connection:
        file = claims.facts_of(connection, reference)
    page = render_template(
        "apply/receipt.html",
        receipt=found,
        file=file and cv.described(file.media_type, file.size, file.pages),
        answer_by=answer_by,
        overdue=answer_by is not None and answer_by < now,
        similar_jobs=search.similar_to(services.database, tenant, found.about, now),
        refresh=refresh_after(found, now),
    )
    return _not_cached(page, 200)


def _say_that_it_is_lost(services: UploadServices, tenant: Tenant, reference: str) -> Response:
    """Return a page (410) that says why an application is not here any more; raise 404 for one that never was."""
    lost = services.find_lost(tenant, APPLICATION.name, reference)
    if lost is None:
        abort(404)
    if lost.retention is not None:
        return _gone("errors/forgotten.html", retention=lost.retention, reference=reference)
    now = services.clock.now()
    ids = (one for one in open_jobs.open_ids(services.database, tenant, now) if lost.may_concern(one))
    found = [search.posting(services.database, tenant, one, now) for one in islice(ids, _JOBS_MOST)]
    jobs = [one for one in found if isinstance(one, Posting)]
    return _gone("errors/restored.html", jobs=jobs, reference=reference)


def _gone(template: str, **context: object) -> Response:
    return _not_cached(render_template(template, **context, change=False, status=410), 410)


def _not_cached(page: str, status: int) -> Response:
    response = make_response(page, status)
    response.headers["Cache-Control"] = "no-store"
    return response


def refresh_after(receipt: Receipt, now: datetime) -> int | None:
    """Return the seconds until the page reloads; None once the status is final or a day has passed."""
    if receipt.state not in {ReceiptState.RECEIVED, ReceiptState.TO_CONFIRM}:
        return None
    age = (now - receipt.accepted_at).total_seconds()
    steps = ((30, 3), (300, 15), (3_600, 60), (86_400, 600))
    return next((pause for within, pause in steps if age < within), None)


def _show_confirmation(services: UploadServices, tenant: Tenant, reference: str, request: Request) -> Response:
    """Return the confirmation page, or the receipt if there is nothing to confirm; 404 without the email's key."""
    key = request.args.get("key", "")
    found = _found(services, tenant, reference, key)
    if found.state is not ReceiptState.TO_CONFIRM:
        return _see_receipt(services, tenant, reference)
    return _not_cached(render_template("apply/confirm.html", receipt=found, key=key), 200)


def _confirm(services: UploadServices, tenant: Tenant, reference: str, request: Request) -> Response:
    """Release the application and redirect (303) to its receipt. A second press changes nothing more."""
    request.max_content_length = _SMALL
    _found(services, tenant, reference, request.form.get("key", ""))
    database, clock, scan_required = services.database, services.clock, services.scanner_enabled
    submissions.release(database, reference, clock, scan_required=scan_required, waits_for=[HeldFor.CANDIDATE])
    return _see_receipt(services, tenant, reference)


def _found(services: UploadServices, tenant: Tenant, reference: str, key: str) -> Receipt:
    given = key.encode("ascii", "replace")
    keys = services.seal.hashes(CONFIRMATION, tenant.slug, reference)
    if not any(hmac.compare_digest(one.encode(), given) for one in keys):
        abort(404)
    found = receipts.find(services.database, tenant=tenant.slug, kind=APPLICATION.name, reference=reference)
    return found or abort(_see_receipt(services, tenant, reference))


def _see_receipt(services: UploadServices, tenant: Tenant, reference: str) -> Response:
    site = links_of(tenant, base_url=services.base_url)
    return Response(status=303, headers={"Location": site.receipt(reference)})
