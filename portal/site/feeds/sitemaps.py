"""Sitemaps: the pages to crawl, and when each last changed (https://www.sitemaps.org/protocol.html).

A tenant's sitemap has its list and every open job, each in every language of the site. It is split where it would
exceed the format's limit, so a response is bounded however many jobs there are; a part is read from narrow rows, a few
at a time.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import chain
from math import ceil
from xml.sax.saxutils import escape

from portal.jobs.open_jobs import Dated, count_open, open_dates
from portal.platform.database.db import Database
from portal.tenants.addresses import Addresses
from portal.tenants.model import Tenant

MOST = 50_000
"""Addresses that one file may have."""
_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def of_tenants(sites: Iterable[Addresses]) -> str:
    """Return an index of the sitemaps of several tenants."""
    return _index((site.absolute(site.sitemap()), None) for site in sites)


def of_tenant(db: Database, tenant: Tenant, site: Addresses, now: datetime, *, most: int = MOST) -> str:
    """Return a tenant's whole sitemap, or the index of its parts."""
    each = _jobs_a_part(tenant, most)
    jobs = count_open(db, tenant, now)
    if jobs <= each:
        return _part(open_dates(db, tenant, now), tenant, site, first=True)
    parts = range(1, ceil(jobs / each) + 1)
    return _index((site.absolute(site.sitemap(part)), _latest(db, tenant, now, part, each)) for part in parts)


def part_of_tenant(
    db: Database, tenant: Tenant, site: Addresses, now: datetime, part: int, *, most: int = MOST
) -> str | None:
    """Return one part, counted from 1; None if there is none of that number."""
    each = _jobs_a_part(tenant, most)
    if part > ceil(count_open(db, tenant, now) / each):
        return None
    return _part(_in_part(db, tenant, now, part, each), tenant, site, first=part == 1)


def _jobs_a_part(tenant: Tenant, most: int) -> int:
    """Return the jobs in a part: each has an entry for every language, and the list is in the first part too."""
    return most // len(tenant.site.locales) - 1


def _in_part(db: Database, tenant: Tenant, now: datetime, part: int, each: int) -> Iterator[Dated]:
    return open_dates(db, tenant, now, skip=(part - 1) * each, most=each)


def _latest(db: Database, tenant: Tenant, now: datetime, part: int, each: int) -> datetime | None:
    return max((job.changed_at for job in _in_part(db, tenant, now, part, each)), default=None)


def _part(jobs: Iterator[Dated], tenant: Tenant, site: Addresses, *, first: bool) -> str:
    languages = [site.in_language(tag) for tag in tenant.site.locales]
    # A list also changes when a job closes, which leaves no date behind; no date is better than a wrong one.
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
