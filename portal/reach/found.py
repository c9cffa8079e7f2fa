"""What lets others find the jobs: JSON-LD on pages, sitemaps, robots.txt."""

from functools import partial

from flask import Blueprint, Response, abort, g, request
from flask_babel import get_locale

from portal.parts import Parts
from portal.reach import linked_data, robots, sitemaps
from portal.tenants.addresses import addresses
from portal.tenants.model import Tenant
from portal.vacancies import version
from portal.vacancies.posting import Posting
from portal.web.access import public
from portal.web.assembly import here
from portal.web.hosts import OWN_HOST
from portal.web.locale import language
from portal.web.page_cache import PageCache
from portal.web.tenant import for_tenant

_KEPT_MOST = 16 * 1024 * 1024
"""Bytes of sitemaps in a process."""


def blueprint(parts: Parts) -> Blueprint:
    """Functions for the templates of list and job, and GET /robots.txt, /sitemap.xml and what they name."""
    pages = Blueprint("found", __name__)

    @pages.app_template_global()
    def job_data(posting: Posting) -> list[str]:
        return linked_data.of_job(posting, g.tenant, here(parts, g.tenant), get_locale())

    @pages.app_template_global()
    def site_data() -> list[str]:
        return linked_data.of_list(g.tenant, here(parts, g.tenant), language(g.tenant))

    kept = PageCache(parts.clock, partial(version.current, parts.database), max_bytes=_KEPT_MOST)
    base_url = parts.settings.base_url

    @pages.get("/robots.txt")
    @public
    def robots_txt() -> Response:
        host = request.environ.get(OWN_HOST)
        owner = parts.tenants.by_host(host) if host else None
        origin = addresses(owner, base_url=base_url).origin if owner else base_url
        return Response(robots.text(origin, slugs=owner is None), mimetype="text/plain")

    @pages.get("/sitemap.xml")
    @public
    def of_all() -> Response:
        """On a company's own host its own stands at this address, because its slug is put before every path."""
        here_too = [tenant for tenant in parts.tenants.all() if not tenant.site.hosts]
        return _xml(sitemaps.of_tenants(addresses(tenant, base_url=base_url) for tenant in here_too))

    @pages.get("/<slug>/sitemap.xml")
    @public
    @for_tenant(parts.tenants)
    def of_one(tenant: Tenant) -> Response:
        def make() -> Response:
            site = addresses(tenant, base_url=base_url)
            return _xml(sitemaps.of_tenant(parts.database, tenant, site, parts.clock.now()))

        return kept.answer(tenant, "sitemap", make)

    @pages.get("/<slug>/sitemap-<number>.xml")
    @public
    @for_tenant(parts.tenants)
    def part_of_one(tenant: Tenant, number: str) -> Response:
        if not (number.isascii() and number.isdigit()) or number.startswith("0") or len(number) > 6:
            abort(404)

        def make() -> Response:
            site, now = addresses(tenant, base_url=base_url), parts.clock.now()
            found = sitemaps.part_of_tenant(parts.database, tenant, site, now, int(number))
            return _xml(found) if found is not None else abort(404)

        return kept.answer(tenant, ("sitemap", number), make)

    return pages


def _xml(text: str) -> Response:
    response = Response(text, mimetype="application/xml")
    # For crawlers to read and for nobody to find.
    response.headers["X-Robots-Tag"] = "noindex"
    return response
