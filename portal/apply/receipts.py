"""The receipt: what became of an application, for whoever holds its reference."""

from datetime import datetime

from flask import Response, abort, make_response, render_template

from portal.applications.kind import APPLICATION
from portal.deliveries import receipt as receipts
from portal.deliveries.receipt import Receipt, ReceiptState
from portal.parts import Parts
from portal.tenants.model import Tenant
from portal.uploads import claims
from portal.vacancies import search
from portal.web.assembly import here
from portal.web.fields import cv


def show(parts: Parts, tenant: Tenant, reference: str) -> Response:
    """The page, or 404; one that repeats another leads there, and so does a reference that was typed in small letters.

    It holds nothing personal, and is still kept by nobody: it changes, and it is one person's.
    """
    found = receipts.find(parts.database, tenant=tenant.slug, kind=APPLICATION.name, reference=reference)
    if found is None:
        abort(404)
    leads_to = found.repeats or found.reference
    if leads_to != reference:
        return Response(status=303, headers={"Location": here(parts, tenant).receipt(leads_to)})
    now, answer_by = parts.clock.now(), tenant.apply.answer_by(found.accepted_at)
    with parts.database.read() as connection:
        file = claims.arrived(connection, reference)
    page = render_template(
        "apply/receipt.html",
        receipt=found,
        file=file and cv.described(file.media_type, file.size, file.pages),
        answer_by=answer_by,
        overdue=answer_by is not None and answer_by < now,
        similar_jobs=search.like(parts.database, tenant, found.about, now),
        refresh=refresh_after(found, now),
    )
    response = make_response(page)
    response.headers["Cache-Control"] = "no-store"
    return response


def refresh_after(receipt: Receipt, now: datetime) -> int | None:
    """Seconds until the page should look again; None once nothing changes any more, or nobody can be watching."""
    if receipt.state not in {ReceiptState.RECEIVED, ReceiptState.TO_CONFIRM}:
        return None
    age = (now - receipt.accepted_at).total_seconds()
    steps = ((30, 3), (300, 15), (3_600, 60), (86_400, 600))
    return next((pause for within, pause in steps if age < within), None)
