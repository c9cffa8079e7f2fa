"""The receipt page: the status of an application, for whoever has its reference."""

import hmac
from datetime import datetime

from flask import Request, Response, abort, make_response, render_template

from portal.background.outbox.states import HeldFor
from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes import receipt, submissions
from portal.delivery.envelopes import receipt as receipts
from portal.delivery.envelopes.accept import CONFIRMATION
from portal.delivery.envelopes.receipt import Receipt, ReceiptState
from portal.delivery.uploads import claims
from portal.jobs.search import search
from portal.site.assembly import links_of
from portal.site.forms.fields import cv
from portal.site.forms.services import UploadServices
from portal.tenants.model import Tenant


def show(services: UploadServices, tenant: Tenant, reference: str) -> Response:
    """Return the receipt page, or 404; redirect a duplicate, and a reference typed in lower case, to the actual
    receipt.

    The page contains nothing personal, but is not cached: it changes, and concerns one candidate.
    """
    found = receipts.find(services.database, tenant=tenant.slug, kind=APPLICATION.name, reference=reference)
    if found is None:
        abort(404)
    leads_to = found.repeats or found.reference
    if leads_to != reference:
        return _see_receipt(services, tenant, leads_to)
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


_SMALL = 16_384
"""Bytes that a form with one key may have."""


def show_confirmation(services: UploadServices, tenant: Tenant, reference: str, request: Request) -> Response:
    """Return the page with the button, or the receipt if nothing is left to confirm; 404 without the email's key."""
    key = request.args.get("key", "")
    found = _found(services, tenant, reference, key)
    if found.state is not ReceiptState.TO_CONFIRM:
        return _see_receipt(services, tenant, reference)
    response = make_response(render_template("apply/confirm.html", receipt=found, key=key))
    response.headers["Cache-Control"] = "no-store"
    return response


def confirm(services: UploadServices, tenant: Tenant, reference: str, request: Request) -> Response:
    """Release the application and redirect (303) to its receipt. A second press changes nothing more."""
    request.max_content_length = _SMALL
    _found(services, tenant, reference, request.form.get("key", ""))
    submissions.release(
        services.database, reference, services.clock, scan_required=services.scans, waits_for=[HeldFor.PERSON]
    )
    return _see_receipt(services, tenant, reference)


def _found(services: UploadServices, tenant: Tenant, reference: str, key: str) -> Receipt:
    given = key.encode("ascii", "replace")
    keys = services.seal.hashes(CONFIRMATION, tenant.slug, reference)
    if not any(hmac.compare_digest(one.encode(), given) for one in keys):
        abort(404)
    return receipt.find(services.database, tenant=tenant.slug, kind=APPLICATION.name, reference=reference) or abort(404)


def _see_receipt(services: UploadServices, tenant: Tenant, reference: str) -> Response:
    site = links_of(tenant, base_url=services.base_url)
    return Response(status=303, headers={"Location": site.receipt(reference)})
