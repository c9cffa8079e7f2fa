"""Routes for colleagues: signing in; their list, invitations and the log (owners); own sessions and language.

As in self-service, no page, status or response time tells whether an address is a colleague's: the code is generated
and sent by the thread of mail_worker, which looks the address up.
"""

import re
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from flask import Response, abort, make_response, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext

from portal.people.signin import codes, sessions
from portal.platform.database.db import Database
from portal.site.forms.code_sign_in import CodeSignIn, SignInRefused, wrong_code
from portal.site.forms.fields import email_address, refusal
from portal.site.forms.fields.refusal import Refused
from portal.tenants.languages import COMPLETE
from portal.tracker.hiring import colleagues, guard
from portal.tracker.hiring.application_list import full_name, json_text, names
from portal.tracker.hiring.colleagues import Activity, ColleagueRefused, HiringTenant, Notify, RefusedChange, Role
from portal.tracker.hiring.guard import HiringServices, HiringVisit
from portal.tracker.hiring.tables import hiring_log, job_drafts
from portal.tracker.shapes import Json
from portal.tracker.tables import applications, candidates, vacancies

_LINES = 50
pages = guard.HiringPages()


def issue_code(services: HiringServices, tenant: HiringTenant, email: str, *, ttl: float) -> str | None:
    """Return a code for one browser without a code request, to be entered at /{slug}/hiring/code; ttl: in seconds."""
    holder, now = codes.holder_of(services.seal, ""), services.clock.now()
    return codes.issue(
        services.database, services.seal, tenant=tenant.slug, holder=holder, email=email, now=now, ttl=ttl
    )


def _by_code(services: HiringServices, tenant: HiringTenant) -> CodeSignIn:
    cookie = guard.cookie(services, tenant, guard.CODE_REQUEST_COOKIE)
    common = services.database, services.seal, services.clock, services.throttle
    return CodeSignIn(*common, tenant.slug, cookie, guard.CODE_TTL)


def _sign_in_page(name: str, why: SignInRefused | None = None) -> Response:
    """Return the page `sign_in` or `code`, with what was typed and why it was refused."""
    messages = {"error": why.error, "notice": why.notice} if why else {"error": "", "notice": ""}
    typed, minutes = request.form.get("email", ""), guard.CODE_TTL // 60
    rendered = render_template(f"hiring/{name}.html", typed=typed, minutes=minutes, **messages)
    response = make_response(rendered, why.status if why else 200)
    return why.on(response) if why else response


@pages.at("GET ", None)
def _ask(services: HiringServices, tenant: HiringTenant) -> ResponseReturnValue:
    visit = guard.visit_of(services, tenant)
    return redirect(guard.address(visit, "jobs"), 303) if visit else _sign_in_page("sign_in")


@pages.at("POST ", None)
def _send_code(services: HiringServices, tenant: HiringTenant) -> ResponseReturnValue:
    asked = _by_code(services, tenant)
    try:
        email = asked.address(lambda: guard.form_id(services, tenant, None) is not None)
    except SignInRefused as why:
        return _sign_in_page("sign_in", why)
    token = asked.queue(email, guard.page_language())
    response = make_response(redirect(f"/{tenant.slug}/hiring/code", 303))
    asked.cookie.set(response, token, seconds=guard.CODE_TTL * 2)
    return response


@pages.at("GET /code", None)
def _code(_services: HiringServices, _tenant: HiringTenant) -> Response:
    return _sign_in_page("code")


@pages.at("POST /code", None)
def _enter(services: HiringServices, tenant: HiringTenant) -> ResponseReturnValue:
    asked, response = _by_code(services, tenant), make_response(redirect(f"/{tenant.slug}/hiring/jobs", 303))
    cookie = guard.cookie(services, tenant, guard.SESSION_COOKIE)
    try:
        token = asked.session(
            lambda: guard.form_id(services, tenant, None) is not None, before=cookie, is_candidate=False
        )
        if token is None:
            if guard.visit_of(services, tenant):  # a double click posts the code twice
                return response
            raise wrong_code()
    except SignInRefused as why:
        return _sign_in_page("code", why)
    if session := guard.session_of(services, tenant, token):
        colleagues.came(services.database, tenant, session.email, now=services.clock.now())
    cookie.set(response, token, seconds=None)
    asked.cookie.delete(response)
    return response


@pages.at("POST /sign-out")
def _sign_out(services: HiringServices, visit: HiringVisit) -> ResponseReturnValue:
    cookie = guard.cookie(services, visit.tenant, guard.SESSION_COOKIE)
    if token := cookie.read(request):
        sessions.close(services.database, services.seal, tenant=visit.tenant.slug, token=token)
    response = make_response(redirect(guard.address(visit), 303))
    cookie.delete(response)
    return response


@pages.at("GET /log", Role.OWNER)
def _log(services: HiringServices, visit: HiringVisit) -> str:
    before = request.args.get("before", "")
    number = int(before) if re.fullmatch(r"[0-9]{1,9}", before) else None
    lines = _log_lines(services.database, visit.tenant.id, before=number, limit=_LINES + 1)
    older = lines[_LINES - 1]["id"] if len(lines) > _LINES else None
    return render_template("hiring/log.html", lines=lines[:_LINES], older=older)


def _log_lines(db: Database, tenant_id: int, *, before: int | None, limit: int) -> list[Json]:
    """Return the newest lines of the log; before: only lines older than the one with this number.

    page: of the job or application, below /{slug}/hiring; None if it is not there any more. named: the job's title or
    the applicant's name.
    """
    c, v, d, a, p = hiring_log.c, vacancies.c, job_drafts.c, applications.c, candidates.c
    with db.read() as connection:
        title = sa.func.coalesce(
            json_text(connection, d.fields, "title"), json_text(connection, v.record, "name", "name")
        )
        query: sa.Select[Any] = (
            sa.select(c.id, c.at, c.by, c.what, c.about, title.label("title"), *names(connection))
            .add_columns(sa.func.coalesce(v.id, d.id).label("job"), a.id.label("application"))
            .outerjoin(vacancies, sa.and_(v.tenant_id == tenant_id, v.id == c.about))
            .outerjoin(job_drafts, sa.and_(d.tenant_id == tenant_id, d.id == c.about))
            .outerjoin(applications, sa.and_(a.tenant_id == tenant_id, a.id == c.about))
            .outerjoin(candidates, sa.and_(p.tenant_id == tenant_id, p.id == a.candidate_id))
            .where(c.tenant_id == tenant_id, c.id < before if before is not None else sa.true())
        )
        rows = connection.execute(query.order_by(c.id.desc()).limit(limit)).all()
    lines = []
    for row in rows:
        kind, is_there, named = "applications", row.application, full_name(row)
        if row.what.startswith("job-"):
            kind, is_there, named = "jobs", row.job, row.title
        page = f"/{kind}/{quote(row.about or '', safe='')}" if is_there else None
        lines.append(row._asdict() | {"page": page, "named": named})
    return lines


@pages.at("GET /colleagues", Role.OWNER)
def _everybody(services: HiringServices, visit: HiringVisit) -> ResponseReturnValue:
    return _list_page(services, visit)


def _list_page(services: HiringServices, visit: HiringVisit, status: int = 200, **extra: str) -> ResponseReturnValue:
    """Return the list. extra: what was typed as the address to invite; the error beside it; a notice above it."""
    found = colleagues.all_of(services.database, visit.tenant.id)
    extra = {"typed": "", "error": "", "notice": ""} | extra
    return render_template("hiring/colleagues.html", colleagues=found, roles=list(Role), **extra), status


@pages.at("POST /colleagues", Role.OWNER)
def _invite(services: HiringServices, visit: HiringVisit) -> ResponseReturnValue:
    db, seal, typed = services.database, services.seal, request.form.get("email", "")
    by, locale, now = visit.colleague.email, guard.page_language(), services.clock.now()
    try:
        email = email_address.parse(typed)
        if colleagues.add(db, seal, visit.tenant, email, _role(), by=by, locale=locale, now=now):
            return guard.done(visit, "colleagues", outcome="invited")
        error = gettext("This person is a colleague already.")
    except Refused as why:
        error = refusal.refused(why, missing=gettext("Enter your email address."))
    except ColleagueRefused as why:
        return _list_page(services, visit, 409, typed=typed, notice=_why(why))
    return _list_page(services, visit, 422, typed=typed, error=error)


@pages.at("POST /colleagues/<any(role, remove):change>", Role.OWNER)
def _change(services: HiringServices, visit: HiringVisit, change: str) -> ResponseReturnValue:
    email, by, now = request.form.get("email", ""), visit.colleague.email, services.clock.now()
    try:
        if change == "role":
            colleagues.change_role(services.database, visit.tenant, email, _role(), by=by, now=now)
        else:
            colleagues.remove(services.database, services.seal, visit.tenant, email, by=by, now=now)
    except ColleagueRefused as why:
        return _list_page(services, visit, 409, notice=_why(why))
    return guard.done(visit, "colleagues")


def _role() -> Role:
    typed = request.form.get("role", "")
    return Role(typed) if typed in list(Role) else abort(400)


def _why(refused: ColleagueRefused) -> str:
    messages = {
        RefusedChange.LAST_OWNER: gettext("This person is the only owner. Make somebody else an owner first."),
        RefusedChange.TOO_MANY: gettext("There are too many colleagues. Remove one first."),
        RefusedChange.UNKNOWN: gettext("This person is no colleague any more."),
    }
    return str(messages[refused.why])


@pages.at("GET /account")
def _own(services: HiringServices, visit: HiringVisit) -> str:
    return _own_page(services, visit)


def _own_page(services: HiringServices, visit: HiringVisit, notice: str = "") -> str:
    found = sessions.open_of(services.database, services.seal, tenant=visit.tenant.slug, email=visit.colleague.email)
    return render_template("hiring/own.html", sessions=found, notify=list(Notify), languages=COMPLETE, notice=notice)


@pages.at("POST /account")
def _choose(services: HiringServices, visit: HiringVisit) -> ResponseReturnValue:
    locale, notify = request.form.get("locale", ""), request.form.get("notify", "")
    if locale not in COMPLETE or notify not in list(Notify):
        abort(400)
    colleagues.choose(services.database, visit.tenant, visit.colleague.email, notify=Notify(notify), locale=locale)
    return guard.done(visit, "account")


@pages.at("POST /account/sessions")
def _end(services: HiringServices, visit: HiringVisit) -> ResponseReturnValue:
    """End the colleague's other sessions, if their code is fresh: a stolen session must not lock its owner out."""
    with services.database.read() as connection:
        is_fresh = sessions.is_fresh(connection, services.seal, visit.session, services.clock.now())
    if not is_fresh:
        notice = gettext("For this, sign out and sign in again: your code may be at most five minutes old.")
        return _own_page(services, visit, notice), 409
    sessions.end_others(services.database, services.seal, visit.session)
    with services.database.write() as connection:
        visit.log(connection, Activity.SESSIONS_ENDED, None, services.clock.now())
    return guard.done(visit, "account")
