"""Routes of the job list and the job page."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from flask import Blueprint, Response, make_response, render_template, request
from flask_babel import get_locale, ngettext
from werkzeug.exceptions import NotFound
from werkzeug.utils import redirect
from werkzeug.wrappers import Response as AnyResponse

from portal.contract.bodies import LocationType
from portal.contract.bounds import PUBLIC_ID
from portal.jobs.mirror import version
from portal.jobs.posting import Closed, Query, Results
from portal.jobs.search import search
from portal.jobs.search.database_query import NEAR_KM
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.platform.rate_limits import Throttle
from portal.site.assembly import links_of
from portal.site.browse import filters as place_notice
from portal.site.browse.filters import chosen, filters, orders
from portal.site.design import snippet
from portal.site.forms.application_form import sources_of
from portal.site.page_cache import OneOffPage, PageCache
from portal.site.routing.access import framable, public
from portal.site.routing.framing import framed
from portal.site.routing.hosts import on_main_host
from portal.site.routing.tenant import for_tenant
from portal.site.words import search_summary
from portal.site.words.locale import is_unknown, language
from portal.site.words.query import DISTANCES, in_effect, is_for_many, parameters, parse, without_spellings
from portal.tenants.addresses import Addresses, addresses
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant
from portal.tenants.words import words_of

_FAR_KM = 100


@dataclass(frozen=True, slots=True)
class Alternative:
    """An alternative search: its link text, with the number of its jobs, and its query."""

    link_text: str
    query: Query


def alternatives(query: Query, count: Callable[[Query], int]) -> tuple[Alternative, ...]:
    """Return alternatives that find something, nearest first, all jobs last.

    query: the query in effect (words/query.py). count: returns the number of jobs of a query.
    """
    first = replace(query, after=None, sort=None)
    # Words that no job contains find nothing in any search, and searching for corrections of them takes most of the
    # time.
    has_words = bool(first.text) and count(Query(text=first.text)) > 0
    found: list[Alternative] = []
    for other, say in _nearer(first):
        if other == first or (other.text and not has_words) or any(other == way.query for way in found):
            continue
        if (total := count(other)) > 0:
            found.append(Alternative(say(total), other))
    return tuple(found)


def _nearer(query: Query) -> Iterator[tuple[Query, Callable[[int], str]]]:
    town = query.near or (query.cities[0] if query.cities else None)
    everywhere = replace(query, near=None, within_km=None, cities=())
    if town:
        yield replace(everywhere, near=town, within_km=_FAR_KM), partial(_within, town)
        yield everywhere, lambda n: ngettext("%(num)s job in all locations", "%(num)s jobs in all locations", n)
    remote = replace(everywhere, location_types=(LocationType.REMOTE.value,))
    yield remote, lambda n: ngettext("%(num)s remote job", "%(num)s remote jobs", n)
    plain = replace(query, employment_types=(), location_types=(), countries=(), attributes=())
    yield plain, lambda n: ngettext("%(num)s job with fewer filters", "%(num)s jobs with fewer filters", n)
    if query.text:
        yield replace(query, text=""), partial(_without, query.text)
    yield Query(), lambda n: ngettext("See %(num)s open job", "See all %(num)s open jobs", n)


def _within(town: str, n: int) -> str:
    link_text = ngettext(
        "%(num)s job within %(km)s km of %(place)s",
        "%(num)s jobs within %(km)s km of %(place)s",
        n,
        km=_FAR_KM,
        place=town,
    )
    return str(link_text)


def _without(words: str, n: int) -> str:
    link_text = ngettext(
        "%(num)s job if you remove “%(words)s”",
        "%(num)s jobs if you remove “%(words)s”",
        n,
        words=words,
    )
    return str(link_text)


def blueprint(
    database: Database, tenants: Tenants, clock: Clock, throttle: Throttle, *, base_url: str, list_companies: bool
) -> Blueprint:
    """Return the blueprint: GET /, /{slug}/, /{slug}/jobs/{postingId}, and that of place_notice.

    list_companies: whether `/` lists every tenant to any visitor.
    """
    pages = Blueprint("browse", __name__)
    pages.register_blueprint(place_notice.blueprint(database, tenants, clock, throttle))
    cache = PageCache(clock, partial(version.current, database))

    @pages.get("/")
    @public
    def companies() -> AnyResponse:
        known = tenants.all()
        if list_companies:
            found = [(tenant, addresses(tenant, base_url=base_url).jobs()) for tenant in known]
            return make_response(render_template("browse/companies.html", companies=found))
        if len(known) == 1 and not tenants.problems():
            return redirect(addresses(known[0], base_url=base_url).outside().jobs(), 302)
        # Which other companies have a site here is not public.
        return make_response(render_template("browse/nobody.html"))

    @pages.get("/<slug>")
    @public
    @for_tenant(tenants)
    @on_main_host(base_url=base_url)
    def without_slash(tenant: Tenant) -> AnyResponse:
        asked = [*parameters(parse(request.args)), *sources_of(request.args).items()]
        return redirect(links_of(tenant, base_url=base_url).jobs(asked), 308)

    @pages.get("/<slug>/")
    @public
    @framable
    @for_tenant(tenants)
    @on_main_host(base_url=base_url)
    def jobs(tenant: Tenant) -> Response:
        if framed() and PUBLIC_ID.fullmatch(posting_id := request.args.get("job", "")):
            return job_page(tenant, posting_id)
        query = parse(request.args) if request.query_string else Query()
        site = links_of(tenant, base_url=base_url)
        make = partial(_list, database, tenant, site, query, clock.now())
        if not is_for_many(query):
            return make()
        key = ("jobs", without_spellings(query), site, is_unknown(tenant))
        return cache.answer(tenant, key, make, is_search=query != Query())

    @pages.get("/<slug>/jobs/<posting_id>")
    @public
    @framable
    @for_tenant(tenants)
    @on_main_host(base_url=base_url)
    def job(tenant: Tenant, posting_id: str) -> Response:
        return job_page(tenant, posting_id)

    def job_page(tenant: Tenant, posting_id: str) -> Response:
        site = links_of(tenant, base_url=base_url)
        make = partial(_job, database, tenant, site, posting_id, clock.now())
        return cache.answer(tenant, ("job", posting_id, site, is_unknown(tenant)), make)

    return pages


def _is_indexed(query: Query, results: Results) -> bool:
    """Return whether search engines may index this list.

    Every job is in the sitemap, so they need few lists: all jobs, and those left by one or two filters, by which people
    search ("jobs in Berlin"). Free text and locations are unlimited in number and chosen by visitors, pages after the
    first change with every new job, and an empty list is useless.
    """
    return is_for_many(query) and (results.total > 0 or query == Query())


def _list(
    database: Database, tenant: Tenant, site: Addresses, asked: Query, now: datetime, *, status: int = 200
) -> Response:
    results = search.find(database, tenant, asked, now)
    query = in_effect(asked, results)
    first = replace(query, after=None)
    narrowed = chosen(query, results, tenant, site, get_locale())
    labels = [one.label for one in narrowed]
    is_search = bool(parameters(replace(first, sort=None)))
    others = alternatives(query, partial(_count, database, tenant, now)) if is_search and not results.total else ()
    page = render_template(
        "browse/list.html",
        query=query,
        results=results,
        filters=filters(results, tenant, get_locale()),
        chosen=narrowed,
        said_title=snippet.list_title(query.text, labels, tenant.name),
        said_of_it=snippet.list_description(words_of(tenant, language(tenant)).tagline, labels, tenant.name),
        is_indexed=_is_indexed(query, results),
        canonical=site.jobs(parameters(replace(first, sort=None))),
        first_page=site.jobs(parameters(first)) if query.after else None,
        next_page=site.jobs(parameters(replace(query, after=results.next))) if results.next else None,
        orders=orders(first, results, site),
        alert_search=parameters(replace(first, sort=None)),
        is_search=is_search,
        notices=search_summary.notices(query, results, get_locale()),
        sought=search_summary.in_words(query, labels),
        ways_out=[(way.link_text, site.jobs(parameters(way.query))) for way in others],
        in_language=lambda tag: site.in_language(tag).jobs(parameters(first)),
        place=place_notice.place_notice(results, query, site, get_locale()),
        distances=DISTANCES,
        usual_distance=NEAR_KM,
        missed=status != 200,
    )
    return OneOffPage(page, status) if results.ignored else make_response(page, status)


def _count(database: Database, tenant: Tenant, now: datetime, query: Query) -> int:
    return search.find(database, tenant, replace(query, size=1), now).total


def _job(database: Database, tenant: Tenant, site: Addresses, posting_id: str, now: datetime) -> Response:
    found = search.posting(database, tenant, posting_id, now)
    if framed() and (found is None or isinstance(found, Closed)):
        return _list(database, tenant, site, Query(), now, status=404 if found is None else 410)
    if found is None:
        raise NotFound
    if isinstance(found, Closed):
        return make_response(render_template("browse/closed.html", closed=found), 410)
    similar = search.similar_to(database, tenant, posting_id, now)
    return make_response(render_template("browse/job.html", posting=found, similar_jobs=similar))
