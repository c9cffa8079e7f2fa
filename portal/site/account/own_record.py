"""The signed-in candidate's record, read from the service now, or the page that says why there is none."""

import logging
from dataclasses import dataclass

from flask import Response, make_response, render_template

from portal.adapters.tracker_client.errors import UpstreamError
from portal.delivery.record_changes.current import Current, fetch
from portal.people.index import index
from portal.people.index.index import Indexed
from portal.people.signin.sessions import Session
from portal.platform.crypto.sealing import Seal, folded
from portal.platform.database.db import Database
from portal.site.account.guard import AccountServices, redirect_to
from portal.tenants.model import Tenant

log = logging.getLogger(__name__)

_RETRY_AFTER = 60


@dataclass(frozen=True, slots=True)
class OwnRecord:
    """Whose record it is, and its current content."""

    who: Indexed
    now: Current


def read_own_record(services: AccountServices, tenant: Tenant, session: Session) -> OwnRecord | Response:
    """Return the record if the index and the service have the session's address in it; else the page that says
    why not.
    """
    who = _indexed(services, tenant, session)
    if isinstance(who, Response):
        return who
    try:
        with services.asking(tenant) as service:
            found = fetch(service, who)
    except UpstreamError as error:
        log.warning("record of %s: %s", tenant.slug, error)
        response = make_response(render_template("account/unavailable.html"), 503)
        response.headers["Retry-After"] = str(_RETRY_AFTER)
        return response
    proven = folded(session.email)
    if found is None or all(folded(entry.value) != proven for entry in found.record.emails):
        return _gone()
    return OwnRecord(who, found)


def address_gone(services: AccountServices, tenant: Tenant, session: Session) -> Response | None:
    """Return the page for a session whose address its record no longer has, else None.

    While the service is unavailable, the index alone decides.
    """
    if session.candidate is None:
        return None
    own = read_own_record(services, tenant, session)
    return own if isinstance(own, Response) and own.status_code != 503 else None


def keys_of(db: Database, seal: Seal, session: Session) -> tuple[str, ...]:
    """Return the keys of the session's record in the portal, one for each secret key; () without a record."""
    if session.candidate is None:
        return ()
    who = index.one(db, seal, session.tenant, session.email, session.candidate)
    return who.keys if who else (session.candidate,)


def _indexed(services: AccountServices, tenant: Tenant, session: Session) -> Indexed | Response:
    if session.candidate is not None:
        who = index.one(services.database, services.seal, tenant.slug, session.email, session.candidate)
        return who or _gone()
    several = index.with_address(services.database, services.seal, tenant.slug, session.email)
    return redirect_to(services, tenant, "/profile/record") if several else _gone()


def _gone() -> Response:
    return make_response(render_template("account/gone.html"), 404)
