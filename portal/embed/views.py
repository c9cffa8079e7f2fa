"""Addresses of the portal inside a tenant's own site."""

from dataclasses import replace
from functools import partial

from flask import Blueprint, Response, request
from werkzeug.exceptions import Gone, NotFound

from portal.embed import asked, frame, jobs
from portal.embed.shapes import Jobs, Shape, WholeJob
from portal.parts import Parts
from portal.tenants.model import Tenant
from portal.vacancies import search, version
from portal.vacancies.posting import Closed, Query
from portal.web.access import for_programs, public
from portal.web.locale import is_unknown, language
from portal.web.operation import Operation, Parameter
from portal.web.page_cache import PageCache
from portal.web.query import is_for_many, parse
from portal.web.tenant import for_tenant

_LANG = Parameter("lang", "Language of the names, one of the company's; else its first.")
_MANY = {"type": "array", "items": {"type": "string"}}
_LIST = Operation(
    name="listJobs",
    summary="Open jobs, searched and narrowed",
    description="The query is the list's; what is wrong in it is ignored, and `notices` says so."
    " Filters that the company names are parameters too: `facets` has their names, which begin with facet-.",
    answer=Jobs,
    parameters=(
        Parameter("q", "Words to search for."),
        Parameter("city", "Several narrow it to any of them, as with the three that follow.", _MANY),
        Parameter("country", "ISO 3166-1 alpha-2.", _MANY),
        Parameter("employmentType", "fullTime, partTime, temporary or internship.", _MANY),
        Parameter("locationType", "remote, hybrid or onsite.", _MANY),
        Parameter("team", "What the company's filter by department, or its first, is to have.", _MANY),
        Parameter("near", "A place, region, country or postal code. Remote jobs of the country come too."),
        Parameter("within", "Kilometres around a place: 5, 10, 25, 50 or 100; else 50."),
        Parameter("sort", "relevance or date."),
        Parameter("limit", f"Jobs on a page, 1 to {asked.MOST}; else {Query().size}."),
        Parameter("after", "Where the page begins; out of `next` of the page before."),
        _LANG,
    ),
    refusals=(503,),
)
_JOB = Operation(
    name="getJob",
    summary="One job with its text, and how to apply for it",
    description="410 once it is closed.",
    answer=WholeJob,
    parameters=(_LANG,),
    refusals=(410, 503),
)


def blueprint(parts: Parts) -> Blueprint:
    """GET /{slug}/jobs.json, /{slug}/jobs/{postingId}.json, and what frame says."""
    pages = Blueprint("embed", __name__)
    pages.register_blueprint(frame.blueprint(parts))
    kept = PageCache(parts.clock, partial(version.current, parts.database))

    @pages.get("/<slug>/jobs.json")
    @public
    @for_programs(_LIST)
    @for_tenant(parts.tenants)
    def listed(tenant: Tenant) -> Response:
        query = parse(request.args) if request.query_string else Query()
        size, of_its_own = asked.size(request.args), asked.left_out(request.args, query)
        query = replace(query, size=size)

        def make() -> Response:
            return _data(jobs.listed(parts, tenant, query, of_its_own))

        if of_its_own or not is_for_many(query):
            return make()
        return kept.answer(
            tenant, ("jobs", query, language(tenant), is_unknown(tenant)), make, readers=tenant.embed_origins
        )

    @pages.get("/<slug>/jobs/<posting_id>.json")
    @public
    @for_programs(_JOB)
    @for_tenant(parts.tenants)
    def job(tenant: Tenant, posting_id: str) -> Response:
        def make() -> Response:
            found = search.posting(parts.database, tenant, posting_id, parts.clock.now())
            if found is None:
                raise NotFound
            if isinstance(found, Closed):
                raise Gone
            return _data(jobs.whole(parts, tenant, found))

        return kept.answer(tenant, ("job", posting_id, language(tenant)), make, readers=tenant.embed_origins)

    return pages


def _data(shape: Shape) -> Response:
    return Response(shape.model_dump_json(by_alias=True), mimetype="application/json")
