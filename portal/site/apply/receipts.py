"""The receipt page: the status of an application, for whoever has its reference."""

from datetime import datetime

from flask import Response, abort, make_response, render_template

from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes import receipt as receipts
from portal.delivery.envelopes.receipt import Receipt, ReceiptState
from portal.delivery.uploads import claims
from portal.jobs.search import search
from portal.services import Services
from portal.site.assembly import here
from portal.site.forms.fields import cv
from portal.tenants.model import Tenant


def show(services: Services, tenant: Tenant, reference: str) -> Response:
    """Return the receipt page, or 404; redirect a duplicate, and a reference typed in lower case, to the actual
    receipt.

    The page contains nothing personal, but is not cached: it changes, and concerns one candidate.
    """
    found = receipts.find(services.database, tenant=tenant.slug, kind=APPLICATION.name, reference=reference)
    if found is None:
        abort(404)
    leads_to = found.repeats or found.reference
    if leads_to != reference:
        return Response(status=303, headers={"Location": here(services, tenant).receipt(leads_to)})
    now, answer_by = services.clock.now(), tenant.apply.answer_by(found.accepted_at)
    with services.database.read() as connection:
        file = claims.arrived(connection, reference)
    page = render_template(
        "apply/receipt.html",
        receipt=found,
        file=file and cv.described(file.media_type, file.size, file.pages),
        answer_by=answer_by,
        overdue=answer_by is not None and answer_by < now,
        similar_jobs=search.like(services.database, tenant, found.about, now),
        refresh=refresh_after(found, now),
    )
    response = make_response(page)
    response.headers["Cache-Control"] = "no-store"
    return response


def refresh_after(receipt: Receipt, now: datetime) -> int | None:
    """Return the seconds until the page reloads; None once nothing changes any more or nobody can still be watching."""
    if receipt.state not in {ReceiptState.RECEIVED, ReceiptState.TO_CONFIRM}:
        return None
    age = (now - receipt.accepted_at).total_seconds()
    steps = ((30, 3), (300, 15), (3_600, 60), (86_400, 600))
    return next((pause for within, pause in steps if age < within), None)
