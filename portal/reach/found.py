"""What lets others find the jobs: JSON-LD and share pictures on pages, sitemaps, robots.txt."""

from functools import partial

from flask import Blueprint, Response, abort, g, request
from flask_babel import get_locale, gettext

from portal.parts import Parts
from portal.reach import linked_data, robots, sitemaps
from portal.reach.share_picture import Card, png
from portal.tenants.addresses import addresses
from portal.tenants.model import Tenant
from portal.vacancies import search, version
from portal.vacancies.posting import Posting
from portal.web.access import public
from portal.web.assembly import here
from portal.web.hosts import OWN_HOST
from portal.web.locale import direction, language, place_line
from portal.web.page_cache import PageCache
from portal.web.tenant import for_tenant

_KEPT_MOST = 32 * 1024 * 1024
"""Bytes of sitemaps and pictures in a process."""


def blueprint(parts: Parts) -> Blueprint:
    """Functions for the templates of list and job, and GET /robots.txt, /sitemap.xml and what they name."""
    pages = Blueprint("found", __name__)

    kept = PageCache(parts.clock, partial(version.current, parts.database), max_bytes=_KEPT_MOST)
    _add_data(pages, parts)
    _add_pictures(pages, parts, kept)
    _add_sitemaps(pages, parts, kept)
    return pages


def _add_data(pages: Blueprint, parts: Parts) -> None:
    @pages.app_template_global()
    def job_data(posting: Posting) -> list[str]:
        return linked_data.of_job(posting, g.tenant, here(parts, g.tenant), get_locale())

    @pages.app_template_global()
    def site_data() -> list[str]:
        return linked_data.of_list(g.tenant, here(parts, g.tenant), language(g.tenant))

    @pages.app_template_global()
    def share_picture(posting: Posting | None = None) -> str:
        """Absolute address of the picture of a job, or of all of a company's."""
        site = here(parts, g.tenant)
        version_of = _card(g.tenant, posting).version
        return site.absolute(site.share_picture(version_of, posting.id if posting else None))


def _add_pictures(pages: Blueprint, parts: Parts, kept: PageCache) -> None:
    @pages.get("/<slug>/share.png")
    @public
    @for_tenant(parts.tenants)
    def of_company(tenant: Tenant) -> Response:
        return kept.answer(tenant, _picture_key(tenant), lambda: _picture(parts, tenant, None))

    @pages.get("/<slug>/jobs/<posting_id>/share.png")
    @public
    @for_tenant(parts.tenants)
    def of_job(tenant: Tenant, posting_id: str) -> Response:
        def make() -> Response:
            found = search.posting(parts.database, tenant, posting_id, parts.clock.now())
            return _picture(parts, tenant, found) if isinstance(found, Posting) else abort(410 if found else 404)

        return kept.answer(tenant, _picture_key(tenant, posting_id), make)


def _add_sitemaps(pages: Blueprint, parts: Parts, kept: PageCache) -> None:
    base_url = parts.settings.base_url

    @pages.get("/robots.txt")
    @public
    def robots_txt() -> Response:
        host = request.environ.get(OWN_HOST)
        owner = parts.tenants.by_host(host) if host else None
        origin = addresses(owner, base_url=base_url).origin if owner else base_url
        return Response(robots.text(origin, slugs=owner is None), mimetype="text/plain")

    @pages.get("/<slug>/<key>.txt")
    @public
    @for_tenant(parts.tenants)
    def push_key(tenant: Tenant, key: str) -> Response:
        if key != tenant.push.index_now:
            abort(404)
        return _for_programs(Response(key, mimetype="text/plain"))

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


def _card(tenant: Tenant, posting: Posting | None) -> Card:
    """In the language of the page."""
    if posting is None:
        title = gettext("Jobs at %(company)s", company=tenant.name)
        return Card(tenant.name, title, "", tenant.site.accent, from_right=direction(language(tenant)) == "rtl")
    return Card(
        company=posting.client or tenant.name,
        title=posting.title,
        place=place_line(posting.place, get_locale()),
        accent=tenant.site.accent,
        from_right=direction(posting.language) == "rtl",
    )


def _picture_key(tenant: Tenant, posting_id: str = "") -> tuple[object, ...]:
    """With the version that is asked for: what is kept of any is the picture of the right one."""
    return ("picture", posting_id, language(tenant), request.args.get("v"))


def _picture(parts: Parts, tenant: Tenant, posting: Posting | None) -> Response:
    """For ever at the address of its version, which others lead to; for as long as a page without one."""
    card, asked = _card(tenant, posting), request.args.get("v")
    if asked is not None and asked != card.version:
        address = here(parts, tenant).share_picture(card.version, posting.id if posting else None)
        return Response(status=302, headers={"Location": address, "Cache-Control": "no-cache"}, mimetype="text/plain")
    response = Response(png(card), mimetype="image/png")
    # It is made to be shown elsewhere.
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    if asked is not None:  # what is drawn changes the address; a closed job has none
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return response


def _xml(text: str) -> Response:
    return _for_programs(Response(text, mimetype="application/xml"))


def _for_programs(response: Response) -> Response:
    """For crawlers to read and for nobody to find."""
    response.headers["X-Robots-Tag"] = "noindex"
    return response
