"""The list of jobs, and a job."""

from dataclasses import replace
from functools import partial

from flask import Blueprint, Response, make_response, render_template, request
from flask_babel import get_locale
from werkzeug.exceptions import NotFound
from werkzeug.utils import redirect
from werkzeug.wrappers import Response as AnyResponse

from portal.browse import words
from portal.browse.filters import chosen, filters
from portal.browse.query import DISTANCES, in_effect, parameters, parse
from portal.parts import Parts
from portal.tenants.addresses import addresses
from portal.tenants.model import Tenant
from portal.vacancies import search, version
from portal.vacancies.posting import Closed, Query, Sort
from portal.web.access import framable, public
from portal.web.assembly import here
from portal.web.locale import language
from portal.web.page_cache import PageCache
from portal.web.tenant import by_own_host, for_tenant


def blueprint(parts: Parts) -> Blueprint:
    """GET /, /{slug}/ and /{slug}/jobs/{postingId}"""
    pages = Blueprint("browse", __name__)
    kept = PageCache(parts.clock, partial(version.current, parts.database))

    @pages.get("/")
    @public
    def companies() -> str:
        base = parts.settings.base_url
        found = [(tenant, addresses(tenant, base_url=base).jobs()) for tenant in parts.tenants.all()]
        return render_template("browse/companies.html", companies=found)

    @pages.get("/<slug>")
    @public
    @for_tenant(parts.tenants)
    def without_slash(tenant: Tenant) -> AnyResponse:
        return redirect(here(parts, tenant).jobs(parameters(parse(request.args))), 308)

    @pages.get("/<slug>/")
    @public
    @for_tenant(parts.tenants)
    def jobs(tenant: Tenant) -> Response:
        query = parse(request.args) if request.query_string else Query()
        make = partial(_list, parts, tenant, query)
        if not _is_for_many(query):
            return make()
        return kept.answer(tenant, ("jobs", query, language(tenant), by_own_host()), make)

    @pages.get("/<slug>/jobs/<posting_id>")
    @public
    @framable
    @for_tenant(parts.tenants)
    def job(tenant: Tenant, posting_id: str) -> Response:
        make = partial(_job, parts, tenant, posting_id)
        return kept.answer(tenant, ("job", posting_id, language(tenant), by_own_host()), make)

    return pages


def _is_for_many(query: Query) -> bool:
    """Free words and long combinations are endless in number: kept, they would push out what many people open."""
    narrowed = (*query.cities, *query.countries, *query.employment_types, *query.location_types)
    return not (query.text or query.near or query.after) and len(narrowed) <= 2


def _list(parts: Parts, tenant: Tenant, asked: Query) -> Response:
    results = search.find(parts.database, tenant, asked, parts.clock.now())
    query = in_effect(asked, results)
    site = here(parts, tenant)
    first = replace(query, after=None)
    page = render_template(
        "browse/list.html",
        query=query,
        results=results,
        filters=filters(results, get_locale()),
        chosen=chosen(query, site, get_locale()),
        first_page=site.jobs(parameters(first)) if query.after else None,
        next_page=site.jobs(parameters(replace(query, after=results.next))) if results.next else None,
        newest=site.jobs(parameters(replace(first, sort=Sort.DATE))),
        best=site.jobs(parameters(replace(first, sort=None))),
        is_search=bool(parameters(replace(first, sort=None))),
        in_language=lambda tag: site.in_language(tag).jobs(parameters(first)),
        distances=DISTANCES,
        employment=words.EMPLOYMENT,
        location=words.LOCATION,
    )
    return make_response(page)


def _job(parts: Parts, tenant: Tenant, posting_id: str) -> Response:
    found = search.posting(parts.database, tenant, posting_id, parts.clock.now())
    if found is None:
        raise NotFound
    if isinstance(found, Closed):
        page = render_template("browse/closed.html", closed=found, employment=words.EMPLOYMENT, location=words.LOCATION)
        return make_response(page, 410)
    page = render_template("browse/job.html", posting=found, employment=words.EMPLOYMENT, location=words.LOCATION)
    return make_response(page)
