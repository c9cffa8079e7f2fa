"""What lets crawlers and link previews find the jobs: JSON-LD and share pictures on pages, sitemaps, robots.txt."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from math import ceil
from xml.sax.saxutils import escape

from flask import Blueprint, Response, abort, g, request
from flask_babel import get_locale, gettext

from portal.jobs.mirror import version
from portal.jobs.open_jobs import Dated, count_open, open_dates
from portal.jobs.posting import Posting
from portal.jobs.search import search
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.site.assembly import links_of
from portal.site.design import pictures
from portal.site.feeds import linked_data
from portal.site.feeds.share_picture import Card, Read, png
from portal.site.page_cache import PageCache
from portal.site.routing.access import public
from portal.site.routing.hosts import OWN_HOST
from portal.site.routing.tenant import for_tenant
from portal.site.words.locale import direction, language, place_line
from portal.tenants.addresses import Addresses, addresses
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant
from portal.tenants.pictures import stored_pictures
from portal.tenants.pictures.stored_pictures import ShownPicture

MAX_ADDRESSES = 50_000
"""Addresses that one file may have."""
_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def sitemap_index(sites: Iterable[Addresses]) -> str:
    """Return an index of the sitemaps of several tenants."""
    return _index((site.absolute(site.sitemap()), None) for site in sites)


def sitemap(db: Database, tenant: Tenant, site: Addresses, now: datetime, *, most: int = MAX_ADDRESSES) -> str:
    """Return a tenant's whole sitemap, or the index of its parts."""
    each = _jobs_per_part(tenant, most)
    jobs = count_open(db, tenant, now)
    if jobs <= each:
        return _part(open_dates(db, tenant, now), tenant, site, first=True)
    parts = range(1, ceil(jobs / each) + 1)
    return _index((site.absolute(site.sitemap(part)), _latest(db, tenant, now, part, each)) for part in parts)


def sitemap_part(
    db: Database, tenant: Tenant, site: Addresses, now: datetime, part: int, *, most: int = MAX_ADDRESSES
) -> str | None:
    """Return one part, counted from 1; None if there is none of that number."""
    each = _jobs_per_part(tenant, most)
    if part > ceil(count_open(db, tenant, now) / each):
        return None
    return _part(_in_part(db, tenant, now, part, each), tenant, site, first=part == 1)


def _jobs_per_part(tenant: Tenant, most: int) -> int:
    """Return the jobs in a part: each has an entry for every language, and the list is in the first part too."""
    return most // len(tenant.site.locales) - 1


def _in_part(db: Database, tenant: Tenant, now: datetime, part: int, each: int) -> Iterator[Dated]:
    return open_dates(db, tenant, now, skip=(part - 1) * each, most=each)


def _latest(db: Database, tenant: Tenant, now: datetime, part: int, each: int) -> datetime | None:
    return max((job.changed_at for job in _in_part(db, tenant, now, part, each)), default=None)


def _part(jobs: Iterator[Dated], tenant: Tenant, site: Addresses, *, first: bool) -> str:
    languages = [site.in_language(tag) for tag in tenant.site.locales]
    # A list also changes when a job closes, which is not dated; no date is better than a wrong one.
    lists = ((one.absolute(one.jobs()), None) for one in languages) if first else ()
    pages = ((one.absolute(one.job(job.posting_id)), job.changed_at) for job in jobs for one in languages)
    lines = "".join(_entry("url", *page) for page in chain(lists, pages))
    return f'{_HEAD}<urlset xmlns="{_NAMESPACE}">\n{lines}</urlset>\n'


def _index(sitemaps: Iterable[tuple[str, datetime | None]]) -> str:
    lines = "".join(_entry("sitemap", *one) for one in sitemaps)
    return f'{_HEAD}<sitemapindex xmlns="{_NAMESPACE}">\n{lines}</sitemapindex>\n'


def _entry(kind: str, address: str, changed_at: datetime | None) -> str:
    date = f"<lastmod>{changed_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}</lastmod>" if changed_at else ""
    return f"<{kind}><loc>{escape(address)}</loc>{date}</{kind}>\n"


_CACHE_BYTES = 32 * 1024 * 1024
"""Bytes of sitemaps and pictures in the cache of a process."""


def blueprint(database: Database, tenants: Tenants, clock: Clock, *, base_url: str) -> Blueprint:
    """Return the blueprint: template functions of list and job; GET /robots.txt, /sitemap.xml and what they name."""
    pages = Blueprint("found", __name__)

    cache = PageCache(clock, partial(version.current, database), max_bytes=_CACHE_BYTES)
    _add_data(pages, database, base_url)
    _add_pictures(pages, database, tenants, clock, cache, base_url)
    _add_sitemaps(pages, database, tenants, clock, cache, base_url)
    return pages


def _add_data(pages: Blueprint, database: Database, base_url: str) -> None:
    @pages.app_template_global()
    def job_data(posting: Posting) -> list[str]:
        return linked_data.of_job(posting, g.tenant, links_of(g.tenant, base_url=base_url), get_locale())

    @pages.app_template_global()
    def site_data() -> list[str]:
        return linked_data.of_list(g.tenant, links_of(g.tenant, base_url=base_url), language(g.tenant))

    @pages.app_template_global()
    def share_picture(posting: Posting | None = None) -> str:
        """Return the absolute address of the share picture of a job, or of the company if there is no job."""
        site = links_of(g.tenant, base_url=base_url)
        version_of = _card(g.tenant, posting, pictures.shown(database, g.tenant)).version
        return site.absolute(site.share_picture(version_of, posting.id if posting else None))


def _add_pictures(
    pages: Blueprint, database: Database, tenants: Tenants, clock: Clock, cache: PageCache, base_url: str
) -> None:
    read = partial(stored_pictures.pixels, database)

    def picture(tenant: Tenant, posting: Posting | None = None) -> Response:
        card = _card(tenant, posting, pictures.shown(database, tenant))
        site = links_of(tenant, base_url=base_url)
        return _picture(card, site.share_picture(card.version, posting.id if posting else None), read)

    @pages.get("/<slug>/share.png")
    @public
    @for_tenant(tenants)
    def of_company(tenant: Tenant) -> Response:
        return cache.answer(tenant, _picture_key(tenant), lambda: picture(tenant))

    @pages.get("/<slug>/jobs/<posting_id>/share.png")
    @public
    @for_tenant(tenants)
    def of_job(tenant: Tenant, posting_id: str) -> Response:
        def make() -> Response:
            found = search.posting(database, tenant, posting_id, clock.now())
            return picture(tenant, found) if isinstance(found, Posting) else abort(410 if found else 404)

        return cache.answer(tenant, _picture_key(tenant, posting_id), make)


def _add_sitemaps(
    pages: Blueprint, database: Database, tenants: Tenants, clock: Clock, cache: PageCache, base_url: str
) -> None:
    @pages.get("/robots.txt")
    @public
    def robots_txt() -> Response:
        host = request.environ.get(OWN_HOST)
        owner = tenants.by_host(host) if host else None
        origin = addresses(owner, base_url=base_url).origin if owner else base_url
        return Response(robots(origin, slugs=owner is None), mimetype="text/plain")

    @pages.get("/<slug>/<key>.txt")
    @public
    @for_tenant(tenants)
    def push_key(tenant: Tenant, key: str) -> Response:
        if key != tenant.push.index_now:
            abort(404)
        return _for_programs(Response(key, mimetype="text/plain"))

    @pages.get("/sitemap.xml")
    @public
    def of_all() -> Response:
        """Answer on the portal's host only: on a tenant's own host the slug is added to every path, so of_one
        answers.
        """
        here_too = [tenant for tenant in tenants.all() if not tenant.site.hosts]
        return _xml(sitemap_index(addresses(tenant, base_url=base_url) for tenant in here_too))

    @pages.get("/<slug>/sitemap.xml")
    @public
    @for_tenant(tenants)
    def of_one(tenant: Tenant) -> Response:
        def make() -> Response:
            site = addresses(tenant, base_url=base_url)
            return _xml(sitemap(database, tenant, site, clock.now()))

        return cache.answer(tenant, "sitemap", make)

    @pages.get("/<slug>/sitemap-<number>.xml")
    @public
    @for_tenant(tenants)
    def part_of_one(tenant: Tenant, number: str) -> Response:
        if not (number.isascii() and number.isdigit()) or number.startswith("0") or len(number) > 6:
            abort(404)

        def make() -> Response:
            site, now = addresses(tenant, base_url=base_url), clock.now()
            found = sitemap_part(database, tenant, site, now, int(number))
            return _xml(found) if found is not None else abort(404)

        return cache.answer(tenant, ("sitemap", number), make)


def _card(tenant: Tenant, posting: Posting | None, shown: dict[str, ShownPicture]) -> Card:
    """Return the content of the share picture, in the page's language. A client's name replaces the tenant's logo."""
    card = Card(
        company=tenant.name,
        title=gettext("Jobs at %(company)s", company=tenant.name),
        place="",
        accent=tenant.site.accent,
        from_right=direction(language(tenant)) == "rtl",
        logo=shown.get("logo"),
        cover=shown.get("cover"),
        slug=tenant.slug,
    )
    if posting is None:
        return card
    return replace(
        card,
        company=posting.client or tenant.name,
        title=posting.title,
        place=place_line(posting.place, get_locale()),
        from_right=direction(posting.language) == "rtl",
        logo=None if posting.client else card.logo,
    )


def _picture_key(tenant: Tenant, posting_id: str = "") -> tuple[object, ...]:
    """Return the cache key, with the requested version: only the picture of that version is cached under it."""
    return ("picture", posting_id, language(tenant), request.args.get("v"))


def _picture(card: Card, address: str, read: Read) -> Response:
    """Return the picture, immutable at the address of its version; redirect from other versions to it.

    Without a version it is cached for as long as a page.
    """
    asked = request.args.get("v")
    if asked is not None and asked != card.version:
        return Response(status=302, headers={"Location": address, "Cache-Control": "no-cache"}, mimetype="text/plain")
    response = Response(png(card, read), mimetype="image/png")
    # Other sites may embed the picture.
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    if asked is not None:  # a change of the picture changes its address; a closed job has no picture
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return response


def _xml(text: str) -> Response:
    return _for_programs(Response(text, mimetype="application/xml"))


def _for_programs(response: Response) -> Response:
    """Tell search engines not to list this response: it is for crawlers."""
    response.headers["X-Robots-Tag"] = "noindex"
    return response


_DISALLOWED = ("/jobs/*/apply", "/applications/", "/profile")
"""Forms, receipts and self-service, which are useless in search results and cost more than a cached page."""


def robots(origin: str, *, slugs: bool) -> str:
    """Return the robots.txt of one host. slugs: whether its paths begin with a tenant's slug."""
    before = "/*" if slugs else ""
    disallowed = "".join(f"Disallow: {before}{path}\n" for path in _DISALLOWED)
    return f"User-agent: *\n{disallowed}\nSitemap: {origin}/sitemap.xml\n"
