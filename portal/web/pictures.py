"""A tenant's logo and header picture, from our own origin alone: no visitor's browser talks to another host."""

import logging
import re

from flask import Blueprint, Response, abort, g

from portal.errors import PortalError
from portal.parts import Parts
from portal.pictures import keeping
from portal.pictures.keeping import Shown
from portal.pictures.tables import Kind
from portal.tenants.model import Tenant
from portal.vacancies.version import Version
from portal.web.access import public
from portal.web.page_cache import PageCache
from portal.web.tenant import for_tenant

log = logging.getLogger(__name__)

_DIGEST = re.compile(r"[0-9a-f]{32}")
_NOTHING = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
"""For somebody who opens a drawing by itself: it may have styles of its own, and nothing else."""
_FOR_EVER = Version("", None)


def blueprint(parts: Parts) -> Blueprint:
    """GET /{slug}/pictures/{digest}"""
    pages = Blueprint("pictures", __name__)
    kept = PageCache(parts.clock, lambda _slug, _now: _FOR_EVER, max_bytes=32 * 1024 * 1024)

    @pages.get("/<slug>/pictures/<digest>")
    @public
    @for_tenant(parts.tenants)
    def picture(tenant: Tenant, digest: str) -> Response:
        if not _DIGEST.fullmatch(digest):
            abort(404)
        return kept.answer(tenant, digest, lambda: _picture(parts, tenant, digest))

    return pages


def shown(parts: Parts, tenant: Tenant | None) -> dict[Kind, Shown]:
    """What the page being made can show. A page that is made while the database is away does without."""
    if tenant is None:
        return {}
    if "pictures" not in g:
        try:
            g.pictures = keeping.shown(parts.database, tenant)
        except PortalError as error:
            log.warning("a page is made without pictures: %s", error)
            g.pictures = {}
    found: dict[Kind, Shown] = g.pictures
    return found


def _picture(parts: Parts, tenant: Tenant, digest: str) -> Response:
    found = keeping.served(parts.database, tenant.slug, digest)
    if found is None:
        abort(404)
    media_type, body = found
    response = Response(body, mimetype=media_type)
    response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    response.headers["Content-Security-Policy"] = _NOTHING
    return response
