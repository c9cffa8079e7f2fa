"""What a browser asks before it sends a form: whether a proof of work should come with it. Asking changes nothing."""

from flask import Request, Response, jsonify

from portal.apply import proof
from portal.apply.bots import asks_for_proof
from portal.apply.formpage import purpose_of
from portal.parts import Parts
from portal.tenants.model import Tenant


def answer(parts: Parts, tenant: Tenant, posting_id: str, request: Request) -> Response:
    """`challenge` for the form whose token is in the query, or null where none is needed or the form is not ours."""
    now = parts.clock.now()
    signed = request.args.get("token", "")
    token = parts.signer.read(signed, tenant=tenant.slug, purpose=purpose_of(posting_id), now=now)
    asked = None
    if token and asks_for_proof(parts.throttle, tenant, request.remote_addr):
        asked = proof.challenge(parts.seal, form_id=token.form_id, now=now).model_dump()
    response = jsonify(challenge=asked)
    response.headers["Cache-Control"] = "no-store"
    return response
