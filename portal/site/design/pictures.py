"""A tenant's pictures, served from the portal's own origin: browsers contact no other host."""

import logging
import re

from flask import Blueprint, Response, abort, g

from portal.jobs.mirror.version import Version
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.platform.errors import PortalError
from portal.site.page_cache import PageCache
from portal.site.routing.access import public
from portal.site.routing.tenant import for_tenant
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant
from portal.tenants.pictures import stored_pictures
from portal.tenants.pictures.stored_pictures import ShownPicture

log = logging.getLogger(__name__)

_DIGEST = re.compile(r"[0-9a-f]{32}")
_NOTHING = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
"""The policy for an SVG opened in a tab of its own: only inline styles are allowed."""
_FOR_EVER = Version("", None)


def blueprint(database: Database, tenants: Tenants, clock: Clock) -> Blueprint:
    """Return the blueprint of GET /{slug}/pictures/{digest}."""
    pages = Blueprint("pictures", __name__)
    cache = PageCache(clock, lambda _slug, _now: _FOR_EVER, max_bytes=32 * 1024 * 1024)

    @pages.get("/<slug>/pictures/<digest>")
    @public
    @for_tenant(tenants)
    def picture(tenant: Tenant, digest: str) -> Response:
        if not _DIGEST.fullmatch(digest):
            abort(404)
        return cache.answer(tenant, digest, lambda: _picture(database, tenant, digest))

    return pages


def shown(database: Database, tenant: Tenant | None) -> dict[str, ShownPicture]:
    """Return the pictures for the current page; {} without a tenant, and while the database is unavailable."""
    if tenant is None:
        return {}
    if "pictures" not in g:
        try:
            g.pictures = stored_pictures.shown(database, tenant)
        except PortalError as error:
            log.warning("pages are shown without pictures: %s", error)
            g.pictures = {}
    found: dict[str, ShownPicture] = g.pictures
    return found


def _picture(database: Database, tenant: Tenant, digest: str) -> Response:
    found = stored_pictures.served(database, tenant.slug, digest)
    if found is None:
        abort(404)
    media_type, body = found
    response = Response(body, mimetype=media_type)
    response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    response.headers["Content-Security-Policy"] = _NOTHING
    return response
