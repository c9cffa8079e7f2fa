"""Routes of the portal inside a tenant's own website."""

from dataclasses import replace
from functools import partial

from flask import Blueprint, Response, request
from werkzeug.exceptions import Gone, NotFound

from portal.contract.openapi import ApiOperation, ApiParameter
from portal.jobs.mirror import version
from portal.jobs.posting import Closed, Query
from portal.jobs.search import search
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.site.assembly import links_of
from portal.site.embed import frame, jobs
from portal.site.embed.shapes import Jobs, Shape, WholeJob
from portal.site.page_cache import PageCache
from portal.site.routing.access import for_programs, public
from portal.site.routing.tenant import for_tenant
from portal.site.words.locale import is_unknown, language
from portal.site.words.query import is_for_many, parse
from portal.tenants.addresses import Addresses
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant

_LANG = ApiParameter("lang", "Language of the names, one of the company's; else its first.")
_MANY = {"type": "array", "items": {"type": "string"}}
_LIST = ApiOperation(
    name="listJobs",
    summary="Open jobs, searched and narrowed",
    description="The query is the list's; what is wrong in it is ignored, and `notices` says so."
    " Filters that the company names are parameters too: `facets` has their names, which begin with facet-.",
    answer=Jobs,
    parameters=(
        ApiParameter("q", "Words to search for."),
        ApiParameter("city", "Several narrow it to any of them, as with the three that follow.", _MANY),
        ApiParameter("country", "ISO 3166-1 alpha-2.", _MANY),
        ApiParameter("employmentType", "fullTime, partTime, temporary or internship.", _MANY),
        ApiParameter("locationType", "remote, hybrid or onsite.", _MANY),
        ApiParameter("team", "What the company's filter by department, or its first, is to have.", _MANY),
        ApiParameter("near", "A place, region, country or postal code. Remote jobs of the country come too."),
        ApiParameter("within", "Kilometres around a place: 5, 10, 25, 50 or 100; else 50."),
        ApiParameter("sort", "relevance, distance or date; distance only with near."),
        ApiParameter("limit", f"Jobs on a page, 1 to {jobs.MOST}; else {Query().size}."),
        ApiParameter("after", "Where the page begins; out of `next` of the page before."),
        _LANG,
    ),
    refusals=(503,),
)
_JOB = ApiOperation(
    name="getJob",
    summary="One job with its text, and how to apply for it",
    description="410 once it is closed.",
    answer=WholeJob,
    parameters=(_LANG,),
    refusals=(410, 503),
)


def blueprint(database: Database, tenants: Tenants, clock: Clock, *, base_url: str, max_cv_bytes: int) -> Blueprint:
    """Return the blueprint of GET /{slug}/jobs.json, /{slug}/jobs/{postingId}.json, and that of frame."""
    pages = Blueprint("embed", __name__)
    pages.register_blueprint(frame.blueprint(tenants, base_url=base_url))
    kept = PageCache(clock, partial(version.current, database))

    def site_of(tenant: Tenant) -> Addresses:
        return links_of(tenant, base_url=base_url).outside()

    @pages.get("/<slug>/jobs.json")
    @public
    @for_programs(_LIST)
    @for_tenant(tenants)
    def listed(tenant: Tenant) -> Response:
        query = parse(request.args) if request.query_string else Query()
        size, of_its_own = jobs.size(request.args), jobs.left_out(request.args, query)
        query = replace(query, size=size)

        def make() -> Response:
            results = search.find(database, tenant, query, clock.now())
            return _data(jobs.listed(tenant, site_of(tenant), query, results, of_its_own))

        if of_its_own or not is_for_many(query):
            return make()
        return kept.answer(
            tenant, ("jobs", query, language(tenant), is_unknown(tenant)), make, readers=tenant.embed_origins
        )

    @pages.get("/<slug>/jobs/<posting_id>.json")
    @public
    @for_programs(_JOB)
    @for_tenant(tenants)
    def job(tenant: Tenant, posting_id: str) -> Response:
        def make() -> Response:
            found = search.posting(database, tenant, posting_id, clock.now())
            if found is None:
                raise NotFound
            if isinstance(found, Closed):
                raise Gone
            return _data(jobs.whole(tenant, site_of(tenant), found, max_cv_bytes=max_cv_bytes))

        return kept.answer(tenant, ("job", posting_id, language(tenant)), make, readers=tenant.embed_origins)

    return pages


def _data(shape: Shape) -> Response:
    return Response(shape.model_dump_json(by_alias=True), mimetype="application/json")
