"""Routes for colleagues: their list, invitations, roles, the log (owners); own sessions and language (everybody)."""

import re

from flask import Blueprint, abort, make_response, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext

from portal.people.signin import sessions
from portal.site.forms.fields import email_address, refusal
from portal.site.forms.fields.refusal import Refused
from portal.site.routing.access import private
from portal.tenants.languages import COMPLETE
from portal.tracker.hiring import activity_log, colleagues, guard
from portal.tracker.hiring.colleagues import ColleagueRefused, Notify, RefusedChange, Role
from portal.tracker.hiring.guard import HiringServices, HiringVisit
from portal.tracker.hiring.language import page_language

_LINES = 50


def blueprint(services: HiringServices) -> Blueprint:
    """Return the blueprint of these pages."""
    pages = Blueprint("colleagues", __name__)
    _add_list(pages, services)
    _add_changes(pages, services)
    _add_own(pages, services)

    @pages.get("/<slug>/hiring/log")
    @private
    @guard.signed_in(services, Role.OWNER)
    def log(visit: HiringVisit) -> str:
        before = request.args.get("before", "")
        number = int(before) if re.fullmatch(r"[0-9]{1,9}", before) else None
        lines = activity_log.entries(services.database, visit.tenant.id, before=number, limit=_LINES + 1)
        older = lines[_LINES - 1].number if len(lines) > _LINES else None
        return render_template("hiring/log.html", lines=lines[:_LINES], older=older)

    return pages


def _list_page(services: HiringServices, visit: HiringVisit, *, status: int = 200, **words: str) -> ResponseReturnValue:
    page = render_template(
        "hiring/colleagues.html",
        colleagues=colleagues.all_of(services.database, visit.tenant.id),
        roles=list(Role),
        token=guard.form_token(services, visit.tenant, visit.session),
        **{"typed": "", "error": "", "notice": "", "said": ""} | words,
    )
    return make_response(page, status)


def _add_list(pages: Blueprint, services: HiringServices) -> None:
    @pages.get("/<slug>/hiring/colleagues")
    @private
    @guard.signed_in(services, Role.OWNER)
    def everybody(visit: HiringVisit) -> ResponseReturnValue:
        said = gettext("Saved.") if request.args.get("said") == "saved" else ""
        return _list_page(services, visit, said=said)

    @pages.post("/<slug>/hiring/colleagues")
    @private
    @guard.signed_in(services, Role.OWNER)
    def invite(visit: HiringVisit) -> ResponseReturnValue:
        typed = request.form.get("email", "")
        try:
            email = email_address.parse(typed)
        except Refused as why:
            error = refusal.refused(why, missing=gettext("Enter your email address."))
            return _list_page(services, visit, status=422, typed=typed, error=error)
        try:
            is_new = colleagues.add(
                services.database,
                services.seal,
                visit.tenant,
                email,
                _role(),
                by=visit.colleague.email,
                locale=page_language(),
                now=services.clock.now(),
            )
        except ColleagueRefused as why:
            return _list_page(services, visit, status=409, typed=typed, notice=_why(why))
        if not is_new:
            known = gettext("This person is a colleague already.")
            return _list_page(services, visit, status=422, typed=typed, error=known)
        return redirect(f"/{visit.tenant.slug}/hiring/colleagues?said=saved", 303)


def _add_changes(pages: Blueprint, services: HiringServices) -> None:
    @pages.post("/<slug>/hiring/colleagues/role")
    @private
    @guard.signed_in(services, Role.OWNER)
    def change_role(visit: HiringVisit) -> ResponseReturnValue:
        by, now = visit.colleague.email, services.clock.now()
        try:
            colleagues.change_role(
                services.database, visit.tenant, request.form.get("email", ""), _role(), by=by, now=now
            )
        except ColleagueRefused as why:
            return _list_page(services, visit, status=409, notice=_why(why))
        return redirect(f"/{visit.tenant.slug}/hiring/colleagues?said=saved", 303)

    @pages.post("/<slug>/hiring/colleagues/remove")
    @private
    @guard.signed_in(services, Role.OWNER)
    def remove(visit: HiringVisit) -> ResponseReturnValue:
        email, by = request.form.get("email", ""), visit.colleague.email
        try:
            colleagues.remove(services.database, services.seal, visit.tenant, email, by=by, now=services.clock.now())
        except ColleagueRefused as why:
            return _list_page(services, visit, status=409, notice=_why(why))
        return redirect(f"/{visit.tenant.slug}/hiring/colleagues?said=saved", 303)


def _add_own(pages: Blueprint, services: HiringServices) -> None:
    def page(visit: HiringVisit, *, said: str = "") -> str:
        return render_template(
            "hiring/own.html",
            sessions=sessions.open_of(
                services.database, services.seal, tenant=visit.tenant.slug, email=visit.colleague.email
            ),
            notify=list(Notify),
            languages=COMPLETE,
            token=guard.form_token(services, visit.tenant, visit.session),
            said=said,
        )

    @pages.get("/<slug>/hiring/account")
    @private
    @guard.signed_in(services)
    def own(visit: HiringVisit) -> str:
        return page(visit, said=gettext("Saved.") if request.args.get("said") == "saved" else "")

    @pages.post("/<slug>/hiring/account")
    @private
    @guard.signed_in(services)
    def choose(visit: HiringVisit) -> ResponseReturnValue:
        locale, notify = request.form.get("locale", ""), request.form.get("notify", "")
        if locale not in COMPLETE or notify not in list(Notify):
            abort(400)
        colleagues.choose(services.database, visit.tenant, visit.colleague.email, notify=Notify(notify), locale=locale)
        return redirect(f"/{visit.tenant.slug}/hiring/account?said=saved", 303)

    @pages.post("/<slug>/hiring/account/sessions")
    @private
    @guard.signed_in(services)
    def end(visit: HiringVisit) -> ResponseReturnValue:
        """End the colleague's other sessions."""
        sessions.end_others(services.database, services.seal, visit.session)
        return redirect(f"/{visit.tenant.slug}/hiring/account?said=saved", 303)


def _role() -> Role:
    typed = request.form.get("role", "")
    return Role(typed) if typed in list(Role) else abort(400)


def _why(refused: ColleagueRefused) -> str:
    said = {
        RefusedChange.LAST_OWNER: gettext("This person is the only owner. Make somebody else an owner first."),
        RefusedChange.TOO_MANY: gettext("There are too many colleagues. Remove one first."),
        RefusedChange.UNKNOWN: gettext("This person is no colleague any more."),
    }
    return str(said[refused.why])
