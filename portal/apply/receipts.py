"""The receipt: what became of an application, for whoever holds its reference."""

from datetime import datetime

from flask import Response, abort, make_response, render_template

from portal.applications import receipt as receipts
from portal.applications.model import Receipt, ReceiptState
from portal.tenants.model import Tenant
from portal.web.services import Services


def show(services: Services, tenant: Tenant, reference: str) -> Response:
    """The page, or 404. It holds nothing personal, and is still kept by nobody: it changes, and it is one person's."""
    found = receipts.find(services.database, tenant=tenant.slug, reference=reference)
    if found is None:
        abort(404)
    page = render_template(
        "apply/receipt.html",
        receipt=found,
        refresh=refresh_after(found, services.clock.now()),
    )
    response = make_response(page)
    response.headers["Cache-Control"] = "no-store"
    return response


def refresh_after(receipt: Receipt, now: datetime) -> int | None:
    """Seconds until the page should look again; None once nothing changes any more, or nobody can be watching."""
    if receipt.state is not ReceiptState.RECEIVED:
        return None
    age = (now - receipt.accepted_at).total_seconds()
    steps = ((30, 3), (300, 15), (3_600, 60), (86_400, 600))
    return next((pause for within, pause in steps if age < within), None)
