"""The list of jobs, and a job."""

from dataclasses import replace
from datetime import datetime
from functools import partial

from flask import Blueprint, Response, make_response, render_template, request
from flask_babel import get_locale
from werkzeug.exceptions import NotFound
from werkzeug.utils import redirect
from werkzeug.wrappers import Response as AnyResponse

from portal.browse import places
from portal.browse.filters import chosen, filters
from portal.browse.ways_out import ways_out
from portal.parts import Parts
from portal.tenants.addresses import addresses
from portal.tenants.model import Tenant
from portal.tenants.values import PUBLIC_ID
from portal.tenants.words import words_of
from portal.vacancies import search, version
from portal.vacancies.posting import Closed, Query, Results, Sort
from portal.vacancies.question import NEAR_KM
from portal.web import searched, snippet, words
from portal.web.access import framable, public
from portal.web.assembly import here
from portal.web.framing import framed
from portal.web.locale import is_unknown, language
from portal.web.page_cache import PageCache
from portal.web.query import DISTANCES, in_effect, is_for_many, parameters, parse
from portal.web.sources import sources_of
from portal.web.tenant import for_tenant


def blueprint(parts: Parts, *, names_companies: bool) -> Blueprint:
    """GET /, /{slug}/, /{slug}/jobs/{postingId}, and what places says. names_companies: at `/`, to whoever comes."""
    pages = Blueprint("browse", __name__)
    pages.register_blueprint(places.blueprint(parts))
    kept = PageCache(parts.clock, partial(version.current, parts.database))

    @pages.get("/")
    @public
    def companies() -> AnyResponse:
        base, tenants = parts.settings.base_url, parts.tenants.all()
        if names_companies:
            found = [(tenant, addresses(tenant, base_url=base).jobs()) for tenant in tenants]
            return make_response(render_template("browse/companies.html", companies=found))
        if len(tenants) == 1 and not parts.tenants.problems():
            return redirect(addresses(tenants[0], base_url=base).outside().jobs(), 302)
        # Who else has a site here is nobody's business.
        return make_response(render_template("browse/nobody.html"))

    @pages.get("/<slug>")
    @public
    @for_tenant(parts.tenants)
    def without_slash(tenant: Tenant) -> AnyResponse:
        asked = [*parameters(parse(request.args)), *sources_of(request.args).items()]
        return redirect(here(parts, tenant).jobs(asked), 308)

    @pages.get("/<slug>/")
    @public
    @framable
    @for_tenant(parts.tenants)
    def jobs(tenant: Tenant) -> Response:
        if framed() and PUBLIC_ID.fullmatch(posting_id := request.args.get("job", "")):
            return job_page(tenant, posting_id)
        query = parse(request.args) if request.query_string else Query()
        make = partial(_list, parts, tenant, query)
        if not is_for_many(query):
            return make()
        return kept.answer(tenant, ("jobs", query, here(parts, tenant), is_unknown(tenant)), make)

    @pages.get("/<slug>/jobs/<posting_id>")
    @public
    @framable
    @for_tenant(parts.tenants)
    def job(tenant: Tenant, posting_id: str) -> Response:
        return job_page(tenant, posting_id)

    def job_page(tenant: Tenant, posting_id: str) -> Response:
        make = partial(_job, parts, tenant, posting_id)
        return kept.answer(tenant, ("job", posting_id, here(parts, tenant), is_unknown(tenant)), make)

    return pages


def _is_indexed(query: Query, results: Results) -> bool:
    """Whether search engines may list this list.

    Every job is in the sitemap by itself, so they need few lists: all jobs, and what one or two filters leave, by which
    people look ("jobs in Berlin"). Free words and places are endless in number and anybody's to choose, pages after the
    first move with every new job, and an empty list helps nobody.
    """
    return is_for_many(query) and (results.total > 0 or query == Query())


def _list(parts: Parts, tenant: Tenant, asked: Query, *, status: int = 200) -> Response:
    now = parts.clock.now()
    results = search.find(parts.database, tenant, asked, now)
    query = in_effect(asked, results)
    site = here(parts, tenant)
    first = replace(query, after=None)
    narrowed = chosen(query, results, tenant, site, get_locale())
    labels = [one.label for one in narrowed]
    is_search = bool(parameters(replace(first, sort=None)))
    others = ways_out(query, partial(_count, parts, tenant, now)) if is_search and not results.total else ()
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
        newest=site.jobs(parameters(replace(first, sort=Sort.DATE))),
        best=site.jobs(parameters(replace(first, sort=None))),
        alert_search=parameters(replace(first, sort=None)),
        is_search=is_search,
        notices=searched.notices(query, results, get_locale()),
        sought=searched.in_words(query, labels),
        ways_out=[(way.said, site.jobs(parameters(way.query))) for way in others],
        in_language=lambda tag: site.in_language(tag).jobs(parameters(first)),
        place=places.place_of(results, query, site, get_locale()),
        distances=DISTANCES,
        usual_distance=NEAR_KM,
        employment=words.EMPLOYMENT,
        location=words.LOCATION,
        missed=status != 200,
    )
    return make_response(page, status)


def _count(parts: Parts, tenant: Tenant, now: datetime, query: Query) -> int:
    return search.find(parts.database, tenant, replace(query, size=1), now).total


def _job(parts: Parts, tenant: Tenant, posting_id: str) -> Response:
    found = search.posting(parts.database, tenant, posting_id, parts.clock.now())
    if framed() and (found is None or isinstance(found, Closed)):
        return _list(parts, tenant, Query(), status=404 if found is None else 410)
    if found is None:
        raise NotFound
    if isinstance(found, Closed):
        page = render_template("browse/closed.html", closed=found, employment=words.EMPLOYMENT, location=words.LOCATION)
        return make_response(page, 410)
    page = render_template("browse/job.html", posting=found, employment=words.EMPLOYMENT, location=words.LOCATION)
    return make_response(page)
