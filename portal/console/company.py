"""GET /tenants/SLUG: one tenant. POST …/check and …/wake: `portal check SLUG` beside the pages, and a try at once."""

from flask import Blueprint, Response, abort, redirect, render_template, request
from flask.typing import ResponseReturnValue

from portal.acts import audit, doing
from portal.acts.audit import Outcome, What
from portal.acts.doing import ActRefused
from portal.console import pressing
from portal.console.checking import Checks
from portal.console.standing import Company, companies
from portal.deliveries import operate
from portal.kinds import KINDS
from portal.parts import Parts
from portal.tenants.values import SLUG
from portal.web.access import private

_SHOWN = 10


def blueprint(parts: Parts, checks: Checks) -> Blueprint:
    """Pages about one tenant."""
    pages = Blueprint("company", __name__)

    def found(slug: str) -> Company:
        """404 for what is no tenant's, before anything is looked up."""
        if not SLUG.fullmatch(slug):
            abort(404)
        return next((one for one in companies(parts) if one.slug == slug), None) or abort(404)

    def page(slug: str, *, refused: str = "") -> str:
        known, said = found(slug), request.args.get("said", "")
        return render_template(
            "console/tenant.html",
            company=known,
            run=checks.of(slug),
            newest=list(operate.overview(parts.database, KINDS, tenant=slug, newest_first=True, limit=_SHOWN)),
            wake=pressing.token(parts, "wake", slug),
            check=pressing.token(parts, "check", slug),
            refused=refused,
            said=said if audit.was_just_done(said, audit.lines(parts.database, limit=1), parts.clock.now()) else "",
        )

    @pages.get("/tenants/<slug>")
    @private
    def tenant(slug: str) -> str:
        return page(slug)

    @pages.post("/tenants/<slug>/check")
    @private
    def check(slug: str) -> Response:
        known = found(slug)
        pressing.require(parts, "check", slug)
        begun = checks.start(known.slug)
        with parts.database.write() as connection:
            outcome = Outcome.DONE if begun else Outcome.REFUSED
            audit.write(connection, pressing.operator(), What.CHECK, outcome, parts.clock.now(), tenant=slug)
        return Response(status=303, headers={"Location": f"/tenants/{slug}#check"})

    @pages.post("/tenants/<slug>/wake")
    @private
    def wake(slug: str) -> ResponseReturnValue:
        found(slug)
        pressing.require(parts, "wake", slug)
        try:
            doing.wake(parts, pressing.operator(), slug)
        except ActRefused as why:
            return page(slug, refused=str(why)), 409
        return redirect(f"/tenants/{slug}?said=wake", 303)

    return pages
