"""Routes of the portal inside a tenant's own website: the loader script, the page for a refused frame, jobs as data.

Frames show the pages of the other features.
"""

import json
import re
from dataclasses import replace
from functools import partial
from pathlib import Path

from flask import Blueprint, Response, current_app, make_response, render_template, request
from flask_babel import force_locale, gettext
from werkzeug.exceptions import Gone, NotFound

from portal.contract.openapi import ApiOperation, ApiParameter
from portal.gateway.compression import coded_once
from portal.gateway.response_cache import FOR_EVER, CachedResponse
from portal.jobs.mirror import version
from portal.jobs.posting import Closed, Query
from portal.jobs.search import search
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.site.assembly import links_of
from portal.site.embed import jobs, shapes
from portal.site.embed.shapes import Jobs, Shape, WholeJob
from portal.site.page_cache import CachedPage, OneOffPage, PageCache, cacheable
from portal.site.routing.access import for_programs, framable_anywhere, public
from portal.site.routing.framing import origin_of
from portal.site.routing.tenant import for_tenant
from portal.site.words.locale import is_unknown, language
from portal.site.words.query import is_for_many, parse, without_spellings
from portal.tenants.addresses import Addresses, addresses
from portal.tenants.folder import Tenants
from portal.tenants.languages import COMPLETE
from portal.tenants.model import Tenant

_LANG = ApiParameter("lang", "Language of the names, one of the company's; else its first.")
_MANY = {"type": "array", "items": {"type": "string"}}
_LIST = ApiOperation(
    name="listJobs",
    summary="Open jobs, searched and narrowed",
    description="The query is the list's; what is wrong in it is ignored, and `notices` says so."
    " Filters that the company names are parameters too: `facets` has their names, which begin with facet-.",
    answer=Jobs,
    example=shapes.JOBS,
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
    example=shapes.JOB,
    parameters=(_LANG,),
    refusals=(410, 503),
)
PATH = "/embed.js"

_SENTENCE = re.compile(r'\b_\("([^"]+)"\)')
_UNNEEDED = re.compile(r"^\s*//.*\n|^\s+|\s+// [^\n\"'`]*$|\n", re.MULTILINE)
"""Comments and line breaks: every statement of the script ends with a semicolon."""


def blueprint(database: Database, tenants: Tenants, clock: Clock, *, base_url: str, max_cv_bytes: int) -> Blueprint:
    """Return the blueprint of GET /{slug}/jobs.json, /{slug}/jobs/{postingId}.json, and what _frame_pages adds."""
    pages = Blueprint("embed", __name__)
    pages.register_blueprint(_frame_pages(tenants, base_url=base_url))
    cache = PageCache(clock, partial(version.current, database))

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
            found = _data(jobs.listed(tenant, site_of(tenant), query, results, of_its_own))
            return OneOffPage(found.get_data(), mimetype=found.mimetype) if results.ignored else found

        if of_its_own or not is_for_many(query):
            return make()
        key = ("jobs", without_spellings(query), language(tenant), is_unknown(tenant))
        return cache.answer(tenant, key, make, readers=tenant.embed_origins, is_search=query != Query())

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
            return _data(jobs.job_in_full(tenant, site_of(tenant), found, max_cv_bytes=max_cv_bytes))

        return cache.answer(tenant, ("job", posting_id, language(tenant)), make, readers=tenant.embed_origins)

    return pages


def _data(shape: Shape) -> Response:
    return Response(shape.model_dump_json(by_alias=True), mimetype="application/json")


def language_of(asked: str | None) -> str:
    """Return the language of COMPLETE that `asked` names (`?lang=de-AT`); the first, English, for anything else."""
    language_code = (asked or "").partition("-")[0]
    return language_code if language_code in COMPLETE else COMPLETE[0]


def in_language(source: str, tag: str) -> str:
    """Return the script with its sentences in a language of COMPLETE."""
    with force_locale(tag):
        spoken = _SENTENCE.sub(lambda found: json.dumps(gettext(found[1]), ensure_ascii=False), source)
    return _UNNEEDED.sub("", spoken.replace("LANG = _()", f"LANG = {json.dumps(tag)}"))


_FOR_AN_HOUR = "public, max-age=3600, stale-while-revalidate=86400"
"""The script is cached for an hour only, because its address in other sites' pages cannot change with its content."""


def _frame_pages(tenants: Tenants, *, base_url: str) -> Blueprint:
    """Return the blueprint of GET /embed.js, /{slug}/embed/refused, which replaces a frame (routing/framing.py)."""
    pages = Blueprint("frame", __name__)
    loaders: dict[str, CachedResponse] = {}

    @pages.get(PATH)
    @public
    def loader() -> Response:
        tag = language_of(request.args.get("lang"))
        if tag not in loaders:
            loaders[tag] = _loader(tag)
        return CachedPage(loaders[tag])

    @pages.get("/<slug>/embed/refused")
    @public
    @framable_anywhere
    def refused(slug: str) -> Response:
        tenant = tenants.get(slug)
        site = addresses(tenant, base_url=base_url).outside() if tenant else None
        page = render_template(
            "embed/refused.html",
            slug=slug,
            company=tenant.name if tenant else None,
            jobs=site.jobs() if site else None,
            framing_site=origin_of(request.headers.get("Referer", "")),
        )
        response = make_response(page, 403 if tenant else 404)
        response.headers["Cache-Control"] = "no-store"
        return response

    return pages


def _loader(tag: str) -> CachedResponse:
    source = (Path(current_app.static_folder or "") / "js" / "embed.js").read_text(encoding="utf-8")
    response = Response(in_language(source, tag), mimetype="text/javascript")
    response.headers["Cache-Control"] = _FOR_AN_HOUR
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return cacheable(response, FOR_EVER, code=coded_once)
