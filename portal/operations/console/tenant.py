"""GET /tenants/SLUG: one tenant. POST …/check: run `portal check SLUG` in the background. POST …/wake: retry now."""

from flask import Blueprint, Response, abort, redirect, render_template, request
from flask.typing import ResponseReturnValue

from portal.contract.bounds import SLUG
from portal.delivery.envelopes import submissions
from portal.delivery.kinds import KINDS
from portal.operations.actions import audit
from portal.operations.actions.actions import ActRefused
from portal.operations.actions.audit import Action, ActionOutcome
from portal.operations.console import identity
from portal.operations.console.identity import ConsoleServices
from portal.operations.console.preflight_run import Checks
from portal.operations.console.status import TenantStatus, companies
from portal.site.routing.access import private

_SHOWN = 10


def blueprint(services: ConsoleServices, checks: Checks) -> Blueprint:
    """Return the blueprint of the pages about one tenant."""
    pages = Blueprint("company", __name__)

    def found(slug: str) -> TenantStatus:
        """Return the tenant's status; 404 for a malformed slug, before any query, and for an unknown one."""
        if not SLUG.fullmatch(slug):
            abort(404)
        known = companies(services.database, services.tenants, services.clock.now())
        return next((one for one in known if one.slug == slug), None) or abort(404)

    def page(slug: str, *, refused: str = "") -> str:
        known, said = found(slug), request.args.get("said", "")
        return render_template(
            "console/tenant.html",
            company=known,
            run=checks.of(slug),
            newest=list(submissions.overview(services.database, KINDS, tenant=slug, newest_first=True, limit=_SHOWN)),
            wake=identity.token(services, "wake", slug),
            check=identity.token(services, "check", slug),
            refused=refused,
            said=said
            if audit.was_just_done(said, audit.lines(services.database, limit=1), services.clock.now())
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
