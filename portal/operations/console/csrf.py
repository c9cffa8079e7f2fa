"""CSRF protection of the console's forms: a token is valid for one operator, one action and one subject."""

from flask import g, request
from werkzeug.exceptions import BadRequest

from portal.operations.actions.audit import Actor
from portal.platform.crypto.signing import new_form_id
from portal.services import Services

_NO_TENANT = ""
"""No tenant has this slug, so no token of the console is valid in a form of the site, nor the other way round."""


def operator() -> Actor:
    """Return the operator who sent this request."""
    found: Actor = g.operator
    return found


def token(services: Services, act: str, subject: str) -> str:
    """Return the token for a form's hidden field."""
    purpose = ("desk", f"{act} {subject} {operator().name}")
    return services.signer.sign(tenant=_NO_TENANT, purpose=purpose, form_id=new_form_id(), now=services.clock.now())


def require(services: Services, act: str, subject: str) -> None:
    """Raise BadRequest unless the form holds a valid token."""
    purpose = ("desk", f"{act} {subject} {operator().name}")
    found = services.signer.read(
        request.form.get("token", ""), tenant=_NO_TENANT, purpose=purpose, now=services.clock.now()
    )
    if found is None or found.expired:
        raise BadRequest(
            "This form has expired or is not from this console. Nothing was changed: open the page again and retry."
        )
