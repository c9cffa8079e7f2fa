"""The signed-in person's record, read at the service now; or the page that says why there is none."""

import logging
from dataclasses import dataclass

from flask import Response, make_response, render_template

from portal.candidates import index
from portal.candidates.index import Indexed
from portal.errors import UpstreamError
from portal.profile.guard import see
from portal.profile.kit import Kit
from portal.records.current import Current, fetch
from portal.sealing import folded
from portal.signin.sessions import Session
from portal.tenants.model import Tenant

log = logging.getLogger(__name__)

_RETRY_AFTER = 60


@dataclass(frozen=True, slots=True)
class Theirs:
    """Whose record, and what it says now."""

    tenant: str
    who: Indexed
    now: Current


def find_theirs(kit: Kit, tenant: Tenant, session: Session) -> Theirs | Response:
    """The record, as long as the proven address is in it both in the index and at the service."""
    who = _indexed(kit, tenant, session)
    if isinstance(who, Response):
        return who
    try:
        with kit.patience.asking(tenant) as service:
            found = fetch(service, who)
    except UpstreamError as error:
        log.warning("record of %s: %s", tenant.slug, error)
        response = make_response(render_template("profile/unavailable.html"), 503)
        response.headers["Retry-After"] = str(_RETRY_AFTER)
        return response
    proven = folded(session.email)
    if found is None or all(folded(entry.value) != proven for entry in found.record.emails):
        return _gone()
    return Theirs(tenant.slug, who, found)


def _indexed(kit: Kit, tenant: Tenant, session: Session) -> Indexed | Response:
    if session.candidate is not None:
        who = index.one(kit.services.database, kit.seal, tenant.slug, session.email, session.candidate)
        return who or _gone()
    several = index.with_address(kit.services.database, kit.seal, tenant.slug, session.email)
    return see(kit, tenant, "/profile/record") if several else _gone()


def _gone() -> Response:
    return make_response(render_template("profile/gone.html"), 404)
