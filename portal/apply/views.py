"""Addresses of the form, of what its browser proves, of the receipt and its confirmation."""

from flask import Blueprint, Response, request

from portal.applications.kind import APPLICATION
from portal.apply import as_data, asking, confirming, direct, receipts
from portal.apply.body import Accepted, Application, Stored
from portal.apply.sending import Sending
from portal.parts import Parts
from portal.tenants.model import Tenant
from portal.web.access import for_programs, for_scripts, form, framable, with_cv_field, with_file
from portal.web.operation import Operation, Parameter
from portal.web.refusals import told
from portal.web.sources import NAMES
from portal.web.tenant import for_tenant


def blueprint(parts: Parts) -> Blueprint:
    """GET, POST /{slug}/jobs/{postingId}/apply; GET …/apply/challenge, /{slug}/applications/{reference}; GET, POST
    /{slug}/applications/{reference}/confirm; POST /{slug}/uploads, /{slug}/vacancy-portal/jobs/{postingId},
    /{slug}/uploads/direct, /{slug}/uploads/direct/file, /{slug}/uploads/checked.
    """
    pages = Blueprint("apply", __name__)
    sending = Sending(parts)

    @pages.get("/<slug>/jobs/<posting_id>/apply")
    @form
    @framable
    @with_cv_field
    @for_tenant(parts.tenants)
    def apply(tenant: Tenant, posting_id: str) -> Response:
        return sending.open(tenant, posting_id, request)

    @pages.post("/<slug>/jobs/<posting_id>/apply")
    @form
    @framable
    @with_cv_field
    @with_file
    @for_tenant(parts.tenants)
    def send(tenant: Tenant, posting_id: str) -> Response:
        return told(tenant, APPLICATION.name, lambda: sending.post(tenant, posting_id, request))

    @pages.get("/<slug>/jobs/<posting_id>/apply/challenge")
    @form
    @framable
    @for_tenant(parts.tenants)
    def challenge(tenant: Tenant, posting_id: str) -> Response:
        return asking.answer(parts, tenant, posting_id, request)

    _for_other_front_ends(pages, parts)
    _for_the_forms_script(pages, parts)

    # Framable like the form: someone who applied inside a company's own page sees the receipt there.
    @pages.get("/<slug>/applications/<reference>")
    @form
    @framable
    @for_tenant(parts.tenants)
    def receipt(tenant: Tenant, reference: str) -> Response:
        return receipts.show(parts, tenant, reference)

    @pages.get("/<slug>/applications/<reference>/confirm")
    @form
    @for_tenant(parts.tenants)
    def confirm(tenant: Tenant, reference: str) -> Response:
        return confirming.show(parts, tenant, reference, request)

    @pages.post("/<slug>/applications/<reference>/confirm")
    @form
    @for_tenant(parts.tenants)
    def confirmed(tenant: Tenant, reference: str) -> Response:
        return confirming.confirm(parts, tenant, reference, request)

    return pages


_UPLOAD = Operation(
    name="uploadCv",
    summary="Store a CV for one application",
    description="The file as the body, named by Content-Disposition, or as the field `cv` of a form.",
    status=201,
    answer=Stored,
    parameters=(Parameter("Content-Disposition", 'The file\'s name: attachment; filename="…"', where="header"),),
    refusals=(400, 403, 413, 415, 422, 429, 503),
    file="PDF, DOCX, ODT, RTF, plain text or DOC; its content decides.",
)
_SEND = Operation(
    name="apply",
    summary="Apply for a job",
    description="Accepted as the form's are, and delivered. The same upload and content again: the same reference.",
    status=202,
    answer=Accepted,
    body=Application,
    parameters=(
        Parameter(
            "Idempotency-Key",
            "The same key and content: the same reference, whatever upload came with it; other content: 409.",
            {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
            where="header",
        ),
        *(Parameter(name, "Where its person came from; kept with it.") for name in NAMES),
    ),
    refusals=(400, 403, 409, 410, 413, 415, 422, 429, 503),
)


def _for_other_front_ends(pages: Blueprint, parts: Parts) -> None:
    @pages.post("/<slug>/uploads")
    @form
    @with_file
    @for_programs(_UPLOAD)
    @for_tenant(parts.tenants)
    def upload(tenant: Tenant) -> Response:
        return as_data.upload(parts, tenant, request)

    @pages.post("/<slug>/vacancy-portal/jobs/<posting_id>")
    @form
    @for_programs(_SEND)
    @for_tenant(parts.tenants)
    def send_data(tenant: Tenant, posting_id: str) -> Response:
        return told(tenant, APPLICATION.name, lambda: as_data.send(parts, tenant, posting_id, request))


def _for_the_forms_script(pages: Blueprint, parts: Parts) -> None:
    @pages.post("/<slug>/uploads/direct")
    @form
    @for_scripts
    @for_tenant(parts.tenants)
    def ask(tenant: Tenant) -> Response:
        return direct.ask(parts, tenant, request)

    @pages.post("/<slug>/uploads/direct/file")
    @form
    @for_scripts
    @with_file
    @for_tenant(parts.tenants)
    def receive(tenant: Tenant) -> Response:
        return direct.receive(parts, tenant, request)

    @pages.post("/<slug>/uploads/checked")
    @form
    @for_scripts
    @for_tenant(parts.tenants)
    def check(tenant: Tenant) -> Response:
        return direct.check(parts, tenant, request)
