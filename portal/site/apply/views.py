"""The routes of the application form, its proof of work, the receipt and its confirmation, the JSON API and uploads."""

from flask import Blueprint, Request, Response, jsonify, request

from portal.contract import bounds
from portal.contract.openapi import ApiOperation, ApiParameter
from portal.delivery.applications.kind import APPLICATION
from portal.site.apply import direct_upload, form_page, json_api, proof_of_work, receipts
from portal.site.apply.application import purpose_of
from portal.site.apply.bots import asks_for_proof
from portal.site.apply.json_body import Accepted, ApplicationBody, Stored
from portal.site.forms.refusals import told
from portal.site.forms.services import UploadServices
from portal.site.forms.sources import SOURCE_PARAMETERS
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
        return told(tenant, APPLICATION.name, lambda: form_page.post_form(services, tenant, posting_id, request))

    @pages.get("/<slug>/jobs/<posting_id>/apply/challenge")
    @form
    @framable
    @for_tenant(services.tenants)
    def challenge(tenant: Tenant, posting_id: str) -> Response:
        return answer(services, tenant, posting_id, request)

    _for_other_front_ends(pages, services, upload_ttl)
    _for_the_forms_script(pages, services)

    # Framable like the form: a candidate who applied inside a company's own page sees the receipt there.
    @pages.get("/<slug>/applications/<reference>")
    @form
    @framable
    @for_tenant(services.tenants)
    def receipt(tenant: Tenant, reference: str) -> Response:
        return receipts.show(services, tenant, reference)

    @pages.get("/<slug>/applications/<reference>/confirm")
    @form
    @for_tenant(services.tenants)
    def confirm(tenant: Tenant, reference: str) -> Response:
        return receipts.show_confirmation(services, tenant, reference, request)

    @pages.post("/<slug>/applications/<reference>/confirm")
    @form
    @for_tenant(services.tenants)
    def confirmed(tenant: Tenant, reference: str) -> Response:
        return receipts.confirm(services, tenant, reference, request)

    return pages


_UPLOAD = ApiOperation(
    name="uploadCv",
    summary="Store a CV for one application",
    description="The file as the body, named by Content-Disposition, or as the field `cv` of a form.",
    status=201,
    answer=Stored,
    parameters=(ApiParameter("Content-Disposition", 'The file\'s name: attachment; filename="…"', where="header"),),
    refusals=(400, 403, 413, 415, 422, 429, 503),
    file="PDF, DOCX, ODT, RTF, plain text or DOC; its content decides.",
)
_SEND = ApiOperation(
    name="apply",
    summary="Apply for a job",
    description="Accepted as the form's are, and delivered. The same upload and content again: the same reference. The "
    f"body has at most {bounds.PUBLIC_BODY_MOST} bytes.",
    status=202,
    answer=Accepted,
    body=ApplicationBody,
    parameters=(
        ApiParameter(
            "Idempotency-Key",
            "An applicant's own. The same key and content: the same reference, whatever upload it has; else 409.",
            {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
            where="header",
        ),
        *(ApiParameter(name, "Where its person came from; kept with it.") for name in SOURCE_PARAMETERS),
    ),
    refusals=(400, 403, 409, 410, 413, 415, 422, 429, 503),
)


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
        return told(tenant, APPLICATION.name, lambda: json_api.send(services, tenant, posting_id, request))


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
    def kept(tenant: Tenant, posting_id: str) -> Response:
        return direct_upload.describe_kept(services, tenant, posting_id, request)

    @pages.post("/<slug>/uploads/checked")
    @form
    @for_scripts
    @for_tenant(services.tenants)
    def check(tenant: Tenant) -> Response:
        return direct_upload.check(services, tenant, request)


def answer(services: UploadServices, tenant: Tenant, posting_id: str, request: Request) -> Response:
    """Answer with `challenge` for the form whose token is in the query; null if none is needed or the token is
    invalid.
    """
    now = services.clock.now()
    signed = request.args.get("token", "")
    token = services.signer.read(signed, tenant=tenant.slug, purpose=purpose_of(posting_id), now=now)
    asked = None
    if token and asks_for_proof(services.throttle, tenant, request.remote_addr):
        asked = proof_of_work.challenge(services.seal, form_id=token.form_id, now=now)
    response = jsonify(challenge=asked)
    response.headers["Cache-Control"] = "no-store"
    return response
