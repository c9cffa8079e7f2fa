"""Confirmation of an application sent without a proof of work: an email links to a page whose button releases it.

Opening the page changes nothing, because mail programs open links before people do.
"""

import hmac

from flask import Request, Response, abort, make_response, render_template

from portal.background.outbox.states import HeldFor
from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes import receipt, submissions
from portal.delivery.envelopes.accept import CONFIRMATION
from portal.delivery.envelopes.receipt import Receipt, ReceiptState
from portal.services import Services
from portal.site.assembly import here
from portal.tenants.model import Tenant

_SMALL = 16_384
"""Bytes that a form with one key may have."""


def show(services: Services, tenant: Tenant, reference: str, request: Request) -> Response:
    """Return the page with the button, or the receipt if nothing is left to confirm; 404 without the email's key."""
    key = request.args.get("key", "")
    found = _found(services, tenant, reference, key)
    if found.state is not ReceiptState.TO_CONFIRM:
        return _see_receipt(services, tenant, reference)
    response = make_response(render_template("apply/confirm.html", receipt=found, key=key))
    response.headers["Cache-Control"] = "no-store"
    return response


def confirm(services: Services, tenant: Tenant, reference: str, request: Request) -> Response:
    """Release the application and redirect (303) to its receipt. A second press changes nothing more."""
    request.max_content_length = _SMALL
    _found(services, tenant, reference, request.form.get("key", ""))
    submissions.release(
        services.database, reference, services.clock, scanned=not services.scans, waits_for=[HeldFor.PERSON]
    )
    return _see_receipt(services, tenant, reference)


def _found(services: Services, tenant: Tenant, reference: str, key: str) -> Receipt:
    given = key.encode("ascii", "replace")
    keys = services.seal.hashes(CONFIRMATION, tenant.slug, reference)
    if not any(hmac.compare_digest(one.encode(), given) for one in keys):
        abort(404)
    return receipt.find(services.database, tenant=tenant.slug, kind=APPLICATION.name, reference=reference) or abort(404)


def _see_receipt(services: Services, tenant: Tenant, reference: str) -> Response:
    return Response(status=303, headers={"Location": here(services, tenant).receipt(reference)})
