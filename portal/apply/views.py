"""Addresses of the form, of what its browser proves, of the receipt and its confirmation."""

from flask import Blueprint, Response, request

from portal.apply import asking, confirming, receipts
from portal.apply.sending import Sending
from portal.parts import Parts
from portal.tenants.model import Tenant
from portal.web.access import form, framable, with_file
from portal.web.tenant import for_tenant


def blueprint(parts: Parts) -> Blueprint:
    """GET, POST /{slug}/jobs/{postingId}/apply; GET …/apply/challenge, /{slug}/applications/{reference}; GET, POST
    /{slug}/applications/{reference}/confirm.
    """
    pages = Blueprint("apply", __name__)
    sending = Sending(parts)

    @pages.get("/<slug>/jobs/<posting_id>/apply")
    @form
    @framable
    @for_tenant(parts.tenants)
    def apply(tenant: Tenant, posting_id: str) -> Response:
        return sending.open(tenant, posting_id)

    @pages.post("/<slug>/jobs/<posting_id>/apply")
    @form
    @framable
    @with_file
    @for_tenant(parts.tenants)
    def send(tenant: Tenant, posting_id: str) -> Response:
        return sending.post(tenant, posting_id, request)

    @pages.get("/<slug>/jobs/<posting_id>/apply/challenge")
    @form
    @framable
    @for_tenant(parts.tenants)
    def challenge(tenant: Tenant, posting_id: str) -> Response:
        return asking.answer(parts, tenant, posting_id, request)

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
