"""Forms of the desk that do something: each has a token for this operator, this act and this subject alone."""

from flask import g, request
from werkzeug.exceptions import BadRequest, Forbidden

from portal.acts.audit import By
from portal.console.who import own_origins
from portal.parts import Parts
from portal.signing import new_form_id
from portal.web.origin import is_elsewhere

_NO_TENANT = ""
"""No tenant is called so: a token of the desk is none of any form that applicants get."""


def operator() -> By:
    """Who asks for this page."""
    found: By = g.operator
    return found


def token(parts: Parts, act: str, subject: str) -> str:
    """For the hidden field of a form."""
    purpose = ("desk", f"{act} {subject} {operator().name}")
    return parts.signer.sign(tenant=_NO_TENANT, purpose=purpose, form_id=new_form_id(), now=parts.clock.now())


def require(parts: Parts, act: str, subject: str) -> None:
    """Raise Forbidden for a post that another site has a browser send, BadRequest without a token that is good."""
    elsewhere = is_elsewhere(
        sec_fetch_site=request.headers.get("Sec-Fetch-Site"),
        origin=request.headers.get("Origin"),
        own=own_origins(request.environ, parts.settings),
    )
    if elsewhere:
        raise Forbidden("Another site sent this. Nothing was done.")
    purpose = ("desk", f"{act} {subject} {operator().name}")
    found = parts.signer.read(request.form.get("token", ""), tenant=_NO_TENANT, purpose=purpose, now=parts.clock.now())
    if found is None or found.expired:
        raise BadRequest("This form is too old, or not of this desk. Nothing was done: open the page again and press.")
