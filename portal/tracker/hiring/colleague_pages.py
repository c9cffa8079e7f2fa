"""Routes for colleagues: their list, invitations, roles, the log (owners); own sessions and language (everybody)."""

import re

from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext

from portal.people.signin import sessions
from portal.site.forms.fields import email_address, refusal
from portal.site.forms.fields.refusal import Refused
from portal.tenants.languages import COMPLETE
from portal.tracker.hiring import activity_log, colleagues, guard
from portal.tracker.hiring.colleagues import ColleagueRefused, Notify, RefusedChange, Role
from portal.tracker.hiring.guard import HiringServices, HiringVisit

_LINES = 50


def blueprint(services: HiringServices) -> Blueprint:
    """Return the blueprint of these pages."""
    pages = Blueprint("colleagues", __name__)
    _add_list(pages, services)
    _add_own(pages, services)

    @pages.get("/<slug>/hiring/log")
    @guard.signed_in(services, Role.OWNER)
    def log(visit: HiringVisit) -> str:
        before = request.args.get("before", "")
        number = int(before) if re.fullmatch(r"[0-9]{1,9}", before) else None
        lines = activity_log.entries(services.database, visit.tenant.id, before=number, limit=_LINES + 1)
        older = lines[_LINES - 1].number if len(lines) > _LINES else None
        return render_template("hiring/log.html", lines=lines[:_LINES], older=older)

    return pages


def _add_list(pages: Blueprint, services: HiringServices) -> None:
    db, seal = services.database, services.seal

    def shown(visit: HiringVisit, status: int = 200, *, error: str = "", notice: str = "") -> ResponseReturnValue:
        typed = request.form.get("email", "") if request.endpoint == "colleagues.invite" else ""
        found, roles = colleagues.all_of(db, visit.tenant.id), list(Role)
        said = {"typed": typed, "error": error, "notice": notice}
        return render_template("hiring/colleagues.html", colleagues=found, roles=roles, **said), status

    @pages.get("/<slug>/hiring/colleagues")
    @guard.signed_in(services, Role.OWNER)
    def everybody(visit: HiringVisit) -> ResponseReturnValue:
        return shown(visit)

    @pages.post("/<slug>/hiring/colleagues")
    @guard.signed_in(services, Role.OWNER)
    def invite(visit: HiringVisit) -> ResponseReturnValue:
        by, locale, now = visit.colleague.email, guard.page_language(), services.clock.now()
        try:
            email = email_address.parse(request.form.get("email", ""))
            if not colleagues.add(db, seal, visit.tenant, email, _role(), by=by, locale=locale, now=now):
                return shown(visit, 422, error=gettext("This person is a colleague already."))
        except Refused as why:
            return shown(visit, 422, error=refusal.refused(why, missing=gettext("Enter your email address.")))
        except ColleagueRefused as why:
            return shown(visit, 409, notice=_why(why))
        return guard.saved(visit, "/colleagues")

    @pages.post("/<slug>/hiring/colleagues/<any(role, remove):change>")
    @guard.signed_in(services, Role.OWNER)
    def change(visit: HiringVisit, change: str) -> ResponseReturnValue:
        email, by, now = request.form.get("email", ""), visit.colleague.email, services.clock.now()
        try:
            if change == "role":
                colleagues.change_role(db, visit.tenant, email, _role(), by=by, now=now)
            else:
                colleagues.remove(db, seal, visit.tenant, email, by=by, now=now)
        except ColleagueRefused as why:
            return shown(visit, 409, notice=_why(why))
        return guard.saved(visit, "/colleagues")


def _add_own(pages: Blueprint, services: HiringServices) -> None:
    @pages.get("/<slug>/hiring/account")
    @guard.signed_in(services)
    def own(visit: HiringVisit) -> str:
        found = sessions.open_of(
            services.database, services.seal, tenant=visit.tenant.slug, email=visit.colleague.email
        )
        return render_template("hiring/own.html", sessions=found, notify=list(Notify), languages=COMPLETE)

    @pages.post("/<slug>/hiring/account")
    @guard.signed_in(services)
    def choose(visit: HiringVisit) -> ResponseReturnValue:
        locale, notify = request.form.get("locale", ""), request.form.get("notify", "")
        if locale not in COMPLETE or notify not in list(Notify):
            abort(400)
        colleagues.choose(services.database, visit.tenant, visit.colleague.email, notify=Notify(notify), locale=locale)
        return guard.saved(visit, "/account")

    @pages.post("/<slug>/hiring/account/sessions")
    @guard.signed_in(services)
    def end(visit: HiringVisit) -> ResponseReturnValue:
        """End the colleague's other sessions."""
        sessions.end_others(services.database, services.seal, visit.session)
        return guard.saved(visit, "/account")


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
