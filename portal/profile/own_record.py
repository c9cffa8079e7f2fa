"""The signed-in person's record, read at the service now; or the page that says why there is none."""

import logging
from dataclasses import dataclass

from flask import Response, make_response, render_template

from portal.candidates import index
from portal.candidates.index import Indexed
from portal.errors import UpstreamError
from portal.parts import Parts
from portal.profile.guard import see
from portal.records.current import Current, fetch
from portal.sealing import folded
from portal.signin.sessions import Session
from portal.tenants.model import Tenant

log = logging.getLogger(__name__)

_RETRY_AFTER = 60


@dataclass(frozen=True, slots=True)
class OwnRecord:
    """Whose record, and what it says now."""

    who: Indexed
    now: Current


def read_own_record(parts: Parts, tenant: Tenant, session: Session) -> OwnRecord | Response:
    """The record, as long as the proven address is in it both in the index and at the service."""
    who = _indexed(parts, tenant, session)
    if isinstance(who, Response):
        return who
    try:
        with parts.asking(tenant) as service:
            found = fetch(service, who)
    except UpstreamError as error:
        log.warning("record of %s: %s", tenant.slug, error)
        response = make_response(render_template("profile/unavailable.html"), 503)
        response.headers["Retry-After"] = str(_RETRY_AFTER)
        return response
    proven = folded(session.email)
    if found is None or all(folded(entry.value) != proven for entry in found.record.emails):
        return _gone()
    return OwnRecord(who, found)


def keys_of(parts: Parts, session: Session) -> tuple[str, ...]:
    """What the session's record is called within the portal, under every secret key; none without a record."""
    if session.candidate is None:
        return ()
    who = index.one(parts.database, parts.seal, session.tenant, session.email, session.candidate)
    return who.keys if who else (session.candidate,)


def _indexed(parts: Parts, tenant: Tenant, session: Session) -> Indexed | Response:
    if session.candidate is not None:
        who = index.one(parts.database, parts.seal, tenant.slug, session.email, session.candidate)
        return who or _gone()
    several = index.with_address(parts.database, parts.seal, tenant.slug, session.email)
    return see(parts, tenant, "/profile/record") if several else _gone()


def _gone() -> Response:
    return make_response(render_template("profile/gone.html"), 404)
