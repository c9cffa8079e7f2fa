"""Pages of the console beside the start page and submissions.

/manual, /manual/NAME: the operators' manual. /tenants/SLUG: one tenant; POST …/check: run `portal check SLUG` in the
background; POST …/wake: retry now. /requests: candidates' open requests. /refused: files that were rejected. /log: the
audit log.
"""

import posixpath
import re
from datetime import timedelta
from functools import cache

from flask import Blueprint, abort, redirect, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response

from portal.contract.bounds import SLUG
from portal.delivery.envelopes import submissions
from portal.delivery.kinds import KINDS
from portal.delivery.privacy_requests import requests as privacy_requests
from portal.delivery.privacy_requests.requests import OpenRequest
from portal.delivery.uploads import refusal_counts
from portal.operations.actions import audit
from portal.operations.actions.actions import ActRefused
from portal.operations.actions.audit import Action, ActionOutcome
from portal.operations.console import identity
from portal.operations.console.identity import ConsoleServices
from portal.operations.console.preflight_run import Checks
from portal.operations.console.status import TenantStatus, companies
from portal.operations.console.submissions import titles_of
from portal.operations.health.part import MANUAL
from portal.platform.config.private_files import folder
from portal.site.design.markup import MarkdownPage, markdown_page
from portal.site.routing.access import private

_SHOWN = 10
_PAGE = 50
_DAYS = 30
_REFERENCE = re.compile(r"[0-9A-Z]{1,32}")
_DONE = "It is done: the candidate is notified, and their address is erased."


def tenant_pages(services: ConsoleServices, checks: Checks) -> Blueprint:
    """Return the blueprint of the pages about one tenant."""
    pages = Blueprint("company", __name__)

    def found(slug: str) -> TenantStatus:
        """Return the tenant's status; 404 for a malformed slug, before any query, and for an unknown one."""
        if not SLUG.fullmatch(slug):
            abort(404)
        known = companies(services.database, services.tenants, services.clock.now())
        return next((one for one in known if one.slug == slug), None) or abort(404)

    def page(slug: str, *, refused: str = "") -> str:
        known, outcome = found(slug), request.args.get("said", "")
        newest = list(submissions.overview(services.database, KINDS, tenant=slug, newest_first=True, limit=_SHOWN))
        return render_template(
            "console/tenant.html",
            company=known,
            run=checks.of(slug),
            newest=newest,
            titles=titles_of(services.database, newest),
            wake=identity.token(services, "wake", slug),
            check=identity.token(services, "check", slug),
            refused=refused,
            action=outcome
            if audit.was_just_done(outcome, audit.entries(services.database, limit=1), services.clock.now())
            else "",
        )

    @pages.get("/tenants/<slug>")
    @private
    def tenant(slug: str) -> str:
        return page(slug)

    @pages.post("/tenants/<slug>/check")
    @private
    def check(slug: str) -> Response:
        known = found(slug)
        identity.require(services, "check", slug)
        begun = checks.start(known.slug)
        with services.database.write() as connection:
            outcome = ActionOutcome.DONE if begun else ActionOutcome.REFUSED
            audit.write(connection, identity.operator(), Action.CHECK, outcome, services.clock.now(), tenant=slug)
        return Response(status=303, headers={"Location": f"/tenants/{slug}#check"})

    @pages.post("/tenants/<slug>/wake")
    @private
    def wake(slug: str) -> ResponseReturnValue:
        found(slug)
        identity.require(services, "wake", slug)
        try:
            services.actions.wake(identity.operator(), slug)
        except ActRefused as why:
            return page(slug, refused=str(why)), 409
        return redirect(f"/tenants/{slug}?said=wake", 303)

    return pages


def record_pages(services: ConsoleServices) -> Blueprint:
    """Return the blueprint of requests, rejected files and the audit log."""
    pages = Blueprint("paperwork", __name__)

    def page(*, refused: str = "") -> str:
        newest = audit.entries(services.database, limit=1)
        is_done = request.args.get("said") == "done" and audit.was_just_done("done", newest, services.clock.now())
        notice = _DONE if is_done else ""
        return render_template(
            "console/requests.html",
            found=privacy_requests.all_open(services.database),
            confirmation=notice,
            refused=refused,
        )

    def found(reference: str) -> OpenRequest:
        every = privacy_requests.all_open(services.database) if _REFERENCE.fullmatch(reference) else []
        return next((one for one in every if one.reference == reference), None) or abort(404)

    @pages.get("/requests")
    @private
    def requests() -> str:
        return page()

    @pages.get("/requests/<reference>/done")
    @private
    def ask(reference: str) -> str:
        one = found(reference)
        return render_template("console/done.html", one=one, token=identity.token(services, "done", reference))

    @pages.post("/requests/<reference>/done")
    @private
    def done(reference: str) -> ResponseReturnValue:
        if not _REFERENCE.fullmatch(reference):
            abort(404)
        identity.require(services, "done", reference)
        try:
            services.actions.done(identity.operator(), reference)
        except ActRefused as why:
            return page(refused=str(why)), 409
        return redirect("/requests?said=done", 303)

    @pages.get("/refused")
    @private
    def refused() -> str:
        since = services.clock.now() - timedelta(days=_DAYS)
        return render_template("console/refused.html", found=refusal_counts.since(services.database, since), days=_DAYS)

    @pages.get("/log")
    @private
    def log() -> str:
        before = request.args.get("before", "")
        number = int(before) if re.fullmatch(r"[0-9]{1,9}", before) else None
        lines = audit.entries(services.database, before=number, limit=_PAGE + 1)
        older = lines[_PAGE - 1].number if len(lines) > _PAGE else None
        return render_template("console/log.html", lines=lines[:_PAGE], older=older, days=audit.KEPT.days)

    return pages


_ROOT = folder("docs").parent
_NOT_FOR_OPERATORS = "## Commands\n"
"""The text before this heading of README.md is about the product and its development."""


@cache
def manual_page(name: str) -> MarkdownPage:
    """Return a page of the manual, rendered once. Raises KeyError for an unknown name."""
    file = MANUAL[name]
    text = (_ROOT / file).read_text(encoding="utf-8")
    if file == "README.md":
        text = "# Commands and settings\n\n" + _NOT_FOR_OPERATORS + text.partition(_NOT_FOR_OPERATORS)[2]
    return markdown_page(text, lambda target: _manual_address(file, target))


def _manual_address(file: str, target: str) -> str | None:
    """Return where a link in a file of the manual leads in the console; None if its target is not in the wheel."""
    if re.match(r"https?://|#", target):
        return target
    path, mark, anchor = target.partition("#")
    wanted = posixpath.normpath(posixpath.join(posixpath.dirname(file), path))
    name = next((name for name, there in MANUAL.items() if there == wanted), None)
    return name and f"/manual/{name}{mark}{anchor}"


def manual_pages() -> Blueprint:
    """Return the blueprint of the operators' manual; it needs no database."""
    pages = Blueprint("manual", __name__)

    @pages.get("/manual")
    @private
    def contents() -> Response:
        return redirect("/manual/operating", 303)

    @pages.get("/manual/<name>")
    @private
    def page(name: str) -> str:
        if name not in MANUAL:
            abort(404)
        titles = {one: manual_page(one).title for one in MANUAL}
        return render_template("console/manual.html", name=name, page=manual_page(name), titles=titles)

    return pages
