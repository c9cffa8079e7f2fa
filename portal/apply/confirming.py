"""What was sent without a proof is confirmed by its person: a letter leads to a page, and a button on it lets it go on.

Opening the page changes nothing: mail programs look at links before people do.
"""

import hmac

from flask import Request, Response, abort, make_response, render_template

from portal.applications.kind import APPLICATION
from portal.deliveries import operate, receipt
from portal.deliveries.accept import CONFIRMATION
from portal.deliveries.receipt import Receipt, ReceiptState
from portal.outbox.states import HeldFor
from portal.parts import Parts
from portal.tenants.model import Tenant
from portal.web.assembly import here

_SMALL = 16_384
"""Bytes of a form that holds one key."""


def show(parts: Parts, tenant: Tenant, reference: str, request: Request) -> Response:
    """The page with the button; the receipt where nothing is to be confirmed any more; 404 without the letter's key."""
    key = request.args.get("key", "")
    found = _found(parts, tenant, reference, key)
    if found.state is not ReceiptState.TO_CONFIRM:
        return _see_receipt(parts, tenant, reference)
    response = make_response(render_template("apply/confirm.html", receipt=found, key=key))
    response.headers["Cache-Control"] = "no-store"
    return response


def confirm(parts: Parts, tenant: Tenant, reference: str, request: Request) -> Response:
    """The button: it goes on, and 303 to the receipt. Pressed again it does nothing more."""
    request.max_content_length = _SMALL
    _found(parts, tenant, reference, request.form.get("key", ""))
    operate.release(parts.database, reference, parts.clock, scanned=not parts.scans, waits_for=[HeldFor.PERSON])
    return _see_receipt(parts, tenant, reference)


def _found(parts: Parts, tenant: Tenant, reference: str, key: str) -> Receipt:
    given = key.encode("ascii", "replace")
    keys = parts.seal.hashes(CONFIRMATION, tenant.slug, reference)
    if not any(hmac.compare_digest(one.encode(), given) for one in keys):
        abort(404)
    return receipt.find(parts.database, tenant=tenant.slug, kind=APPLICATION.name, reference=reference) or abort(404)


def _see_receipt(parts: Parts, tenant: Tenant, reference: str) -> Response:
    return Response(status=303, headers={"Location": here(parts, tenant).receipt(reference)})
