"""Routes of the feeds, and of the APIs that other programs know: /v1/boards/… (Greenhouse), /v0/postings/… (Lever).

The pages of any site may read those APIs.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from flask import Blueprint, Response, request
from werkzeug.exceptions import BadRequest, Forbidden

from portal.delivery.uploads.disk_space import FreeSpace
from portal.gateway.concurrency import ConcurrencyLimit
from portal.jobs import open_jobs
from portal.jobs.mirror import version
from portal.jobs.open_jobs import JobSelection
from portal.jobs.posting import Closed, Posting
from portal.jobs.search import search
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.site.feeds import facts, greenhouse, lever
from portal.site.feeds.feed import Feed
from portal.site.feeds.formats import FEEDS
from portal.site.feeds.streaming import FeedStreaming, for_everyone
from portal.site.page_cache import PageCache
from portal.site.routing.access import public
from portal.site.routing.tenant import for_tenant
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant

_NAME = re.compile(r"(?=.{1,100}\Z)[A-Za-z_$][A-Za-z0-9_$]*(?:\.[A-Za-z_$][A-Za-z0-9_$]*){0,4}")
MOST_WRAPPED = 8_000_000
"""Bytes that are wrapped in a callback; a longer response has to be fetched as JSON."""


def blueprint(
    database: Database,
    tenants: Tenants,
    clock: Clock,
    concurrency: ConcurrencyLimit,
    *,
    base_url: str,
    space: FreeSpace,
) -> Blueprint:
    """Return the blueprint of every feed, and of the APIs that other programs know."""
    pages = Blueprint("reach", __name__)
    cache = PageCache(clock, partial(version.current, database))
    sending = FeedStreaming(database, clock, concurrency, cache, base_url=base_url, space=space)
    _add_feeds(pages, tenants, sending)
    _add_boards(pages, tenants, database, clock, sending)
    return pages


def _add_feeds(pages: Blueprint, tenants: Tenants, sending: FeedStreaming) -> None:
    """Add GET /{slug}/feed.atom and those of the other feeds: /{slug}/NAME for each module in formats/."""

    def sent(tenant: Tenant, *, feed: Feed) -> Response:
        return sending.answer(tenant, feed)

    for feed in FEEDS:
        view = public(for_tenant(tenants)(partial(sent, feed=feed)))
        pages.add_url_rule(f"/<slug>/{feed.name}", feed.name.replace(".", "_"), view)


def requested_callback(tenant: Tenant) -> str | None:
    """Return the function's name, None if there is none. Raises BadRequest for an invalid name.

    Raises Forbidden unless the tenant allows JSONP: a script runs in any page that requests it, so that is the tenant's
    decision.
    """
    name = request.args.get("callback")
    if name is not None and not tenant.feeds.jsonp:
        raise Forbidden
    if name is not None and not _NAME.fullmatch(name):
        raise BadRequest
    return name


def wrapped(name: str, body: bytes) -> Response:
    """Return a script that calls the function. The comment keeps the name from being the first bytes, which could
    otherwise pass for a file of another kind.
    """
    # JSON allows two line separators in a string that scripts of some browsers do not.
    safe = body.replace("\u2028".encode(), b"\\u2028").replace("\u2029".encode(), b"\\u2029")
    return Response(
        b"/**/" + name.encode() + b"(" + safe.rstrip() + b");\n", content_type="text/javascript; charset=utf-8"
    )


MOST = 1_000
"""Postings in a response that is filtered, paged or grouped; without such a parameter it has all."""
_GROUPS = ("location", "commitment", "team", "department")


def _add_boards(pages: Blueprint, tenants: Tenants, database: Database, clock: Clock, sending: FeedStreaming) -> None:
    """Add GET /v1/boards/{slug}/… and /v0/postings/{slug}/…, each with and without a final slash."""
    shapes = _Shapes(database, clock, sending)

    def at(rule: str, view: Callable[..., Response]) -> None:
        answered = public(for_tenant(tenants)(view))
        for each in (rule, f"{rule}/"):
            pages.add_url_rule(each, view.__name__, answered)

    def boards_jobs(tenant: Tenant) -> Response:
        full = request.args.get("content") == "true"
        return shapes.whole(tenant, greenhouse.CONTENT if full else greenhouse.JOBS)

    def boards_departments(tenant: Tenant) -> Response:
        return shapes.whole(tenant, greenhouse.DEPARTMENTS)

    def boards_offices(tenant: Tenant) -> Response:
        return shapes.whole(tenant, greenhouse.OFFICES)

    at("/v1/boards/<slug>", shapes.board)
    at("/v1/boards/<slug>/jobs", boards_jobs)
    at("/v1/boards/<slug>/departments", boards_departments)
    at("/v1/boards/<slug>/offices", boards_offices)
    at("/v1/boards/<slug>/jobs/<posting_id>", shapes.boards_job)
    at("/v0/postings/<slug>", shapes.postings)
    at("/v0/postings/<slug>/<posting_id>", shapes.posting)


@dataclass(frozen=True, slots=True)
class _Shapes:
    database: Database
    clock: Clock
    sending: FeedStreaming

    def whole(self, tenant: Tenant, feed: Feed) -> Response:
        """Return a feed as a file, or as the argument of a callback (JSONP)."""
        name = requested_callback(tenant)
        if name is None:
            return self.sending.answer(tenant, feed)
        path = self.sending.edition(tenant, feed).path
        if path.stat().st_size > MOST_WRAPPED:
            return _said({"status": 400, "error": "Too long for a callback: fetch it as JSON"}, 400)
        return for_everyone(wrapped(name, path.read_bytes()))

    def board(self, tenant: Tenant) -> Response:
        """Return the description of the board."""
        return self._small(tenant, ("board",), lambda: greenhouse.board_of(self.sending.feed_context(tenant)))

    def boards_job(self, tenant: Tenant, posting_id: str) -> Response:
        """Return one job, by its number or by its posting id."""
        found = self._by_number(tenant, posting_id) or self._found(tenant, posting_id)
        if not isinstance(found, Posting):
            return _missing(tenant, found, {"status": 410 if found else 404, "error": "Job not found"})
        questions = request.args.get("questions") == "true"
        pay = request.args.get("pay_transparency") == "true"
        key = ("job", found.id, questions, pay)
        context = self.sending.feed_context(tenant)
        return self._small(tenant, key, lambda: greenhouse.job(context, found, questions=questions, pay=pay))

    def posting(self, tenant: Tenant, posting_id: str) -> Response:
        """Return one posting."""
        found = self._found(tenant, posting_id)
        if not isinstance(found, Posting):
            return _missing(tenant, found, {"ok": False, "error": "Document not found"})
        context = self.sending.feed_context(tenant)
        return self._small(tenant, ("posting", found.id), lambda: lever.posting_of(context, found))

    def postings(self, tenant: Tenant) -> Response:
        """Return all postings, or those selected by the query."""
        if request.args.get("mode", "json") != "json":
            return _said({"ok": False, "error": "This site has mode=json alone"}, 400)
        group = request.args.get("group")
        by = group if group in _GROUPS else None
        part = self._part(tenant)
        if part is None and by is None:
            return self.whole(tenant, lever.FEED)
        part = part or JobSelection(most=MOST)
        places = None if part.places is None else tuple(sorted(part.places))
        types = None if part.employment_types is None else tuple(sorted(part.employment_types))
        teams = None if part.teams is None else tuple(sorted(part.teams))

        def narrowed() -> object:
            context = self.sending.feed_context(tenant)
            found = open_jobs.open_postings(self.database, tenant, self.clock.now(), part)
            return lever.grouped(context, found, by) if by else [lever.posting_of(context, each) for each in found]

        key = ("postings", places, types, teams, part.skip, part.most, by)
        return self._small(tenant, key, narrowed, is_search=True)

    def _part(self, tenant: Tenant) -> JobSelection | None:
        """Return the selection that the query asks for, None if it selects nothing. Invalid numbers are ignored."""
        asked = request.args
        locations, commitments = asked.getlist("location"), asked.getlist("commitment")
        skip, limit = _number(asked.get("skip")), _number(asked.get("limit"))
        teams, nowhere = asked.getlist("team") + asked.getlist("department"), bool(asked.get("level"))
        if not (locations or commitments or teams or nowhere or skip or limit is not None):
            return None
        places = None
        if locations:
            named = {each.casefold() for each in locations}
            known = open_jobs.places(self.database, tenant)
            places = {each for each in known if facts.place(tenant, each[1], each[0]).casefold() in named}
        types = None
        if commitments:
            called = {each.casefold() for each in commitments}
            types = {value for value, name in facts.EMPLOYMENT.items() if name.casefold() in called}
        most = 0 if nowhere else min(MOST if limit is None else limit, MOST)
        return JobSelection(places, types, self._known_teams(tenant, teams) if teams else None, skip or 0, most)

    def _known_teams(self, tenant: Tenant, teams: list[str]) -> set[str]:
        named = {each.casefold() for each in teams}
        return {each for each in open_jobs.teams(self.database, tenant) if each.casefold() in named}

    def _found(self, tenant: Tenant, posting_id: str) -> Posting | Closed | None:
        return search.posting(self.database, tenant, posting_id, self.clock.now())

    def _by_number(self, tenant: Tenant, number: str) -> Posting | None:
        """Return the open posting whose hashed number (facts.numeric_id) is `number`, None if there is none."""
        if not number.isdecimal() or not 2**52 <= int(number[:20]) < 2**53:
            return None
        ids = open_jobs.open_ids(self.database, tenant, self.clock.now())
        its = next((each for each in ids if facts.numeric_id(tenant.slug, each) == int(number)), None)
        found = self._found(tenant, its) if its else None
        return found if isinstance(found, Posting) else None

    def _small(
        self, tenant: Tenant, key: tuple[object, ...], make: Callable[[], object], *, is_search: bool = False
    ) -> Response:
        name = requested_callback(tenant)
        if name is not None:
            return for_everyone(wrapped(name, facts.as_json(make()).encode()))
        return self.sending.cache.answer(tenant, key, lambda: _said(make()), is_search=is_search)


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and text.isascii() and len(text) <= 9 else None


def _said(value: object, status: int = 200) -> Response:
    body = facts.as_json(value) + "\n"
    return for_everyone(Response(body, status=status, content_type="application/json; charset=utf-8"))


def _missing(tenant: Tenant, found: Closed | None, error: dict[str, object]) -> Response:
    """Return 404, or 410 for a closed job."""
    if requested_callback(tenant) is not None:
        raise BadRequest
    return _said(error, 410 if found else 404)
