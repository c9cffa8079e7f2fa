"""Routes of replies: write, preview and send one, undo one to several applicants, and the company's own texts."""

from flask import abort, make_response, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext

from portal.site.forms.fields import refusal, text
from portal.site.forms.fields.refusal import Refused
from portal.tenants.languages import COMPLETE
from portal.tracker.hiring import guard, replies
from portal.tracker.hiring.colleagues import Role
from portal.tracker.hiring.guard import HiringServices, HiringVisit
from portal.tracker.hiring.replies import Applicant, ReplyKind, ReplyText
from portal.tracker.request_reading import known_id

pages = guard.HiringPages()


@pages.at("GET /reply", Role.RECRUITER)
def _write(services: HiringServices, visit: HiringVisit) -> ResponseReturnValue:
    """Show the form. to: ids of applications, repeated; kind, locale: of the text that it begins with."""
    return _begin(services, visit, *_chosen(services, visit))


@pages.at("POST /reply", Role.RECRUITER)
def _send(services: HiringServices, visit: HiringVisit) -> ResponseReturnValue:
    to, kind, locale = _chosen(services, visit)
    then = request.form.get("then")
    if then == "begin":  # for more applicants than fit into a URL
        return _begin(services, visit, to, kind, locale)
    reply, wrong = _typed()
    if wrong or then == "edit":
        return _page("reply", kind, locale, reply, 422 if wrong else 200, to=to, wrong=wrong)
    without = [one for one in to if one.email is None]
    db, seal, now = services.database, services.seal, services.clock.now()
    form = guard.form_id(services, visit.tenant, visit.session) or ""
    again = replies.rejected_before(db, visit.tenant.id, to, form) if kind is ReplyKind.REJECTION else 0
    if then != "send" or len(without) == len(to) or request.form.get("again", "0") != str(again):
        shown = reply.filled(to[0], visit.tenant.name, visit.colleague.email)
        return _page("reply_preview", kind, locale, reply, to=to, without=without, shown=shown, again=again)
    replies.send(db, seal, visit, reply, kind, to, locale=locale, form=form, now=now)
    first = to[0]
    if len(to) > 1 and first.vacancy_id:  # the page lists queued replies, and offers to undo them
        return guard.done(visit, "jobs", first.vacancy_id, "applications", outcome="")
    done = "rejected" if kind is ReplyKind.REJECTION else "sent"
    return guard.done(visit, "applications", first.application_id, outcome=done)


@pages.at("POST /jobs/<vacancy_id>/replies/<batch>/undo", Role.RECRUITER)
def _undo(services: HiringServices, visit: HiringVisit, vacancy_id: str, batch: str) -> ResponseReturnValue:
    outcome = replies.undo(services.database, visit, batch, services.clock.now())
    return guard.done(visit, "jobs", vacancy_id, "applications", outcome=outcome)


@pages.at("GET /words/<any(received, invitation, rejection):kind>")
def _words(services: HiringServices, visit: HiringVisit, kind: str) -> ResponseReturnValue:
    locale = _locale()
    ours = replies.words(services.database, visit.tenant.id, ReplyKind(kind), locale)
    return _page("reply_words", ReplyKind(kind), locale, ours, seen=ours.version)


@pages.at("POST /words/<any(received, invitation, rejection):kind>", Role.RECRUITER)
def _save_words(services: HiringServices, visit: HiringVisit, kind: str) -> ResponseReturnValue:
    (reply, wrong), locale, seen = _typed(), _locale(), request.form.get("seen", "")
    if wrong:
        return _page("reply_words", ReplyKind(kind), locale, reply, 422, wrong=wrong, seen=seen)
    db, now = services.database, services.clock.now()
    theirs = replies.save_words(db, visit, ReplyKind(kind), locale, reply, seen=seen, now=now)
    if theirs:
        return _page("reply_words", ReplyKind(kind), locale, reply, 409, seen=theirs.version, theirs=theirs)
    return guard.done(visit, "words", kind, locale=locale)


def _page(
    template: str, kind: ReplyKind, locale: str, reply: ReplyText, status: int = 200, **more: object
) -> ResponseReturnValue:
    context = {"kinds": list(ReplyKind), "languages": COMPLETE, "wrong": {}, "theirs": None} | more
    page = render_template(f"hiring/{template}.html", kind=kind, locale=locale, text=reply, **context)
    return make_response(page, status)


def _chosen(services: HiringServices, visit: HiringVisit) -> tuple[list[Applicant], ReplyKind, str]:
    """Return recipients, purpose and language; 404 for applications that do not exist."""
    ids = guard.asked().getlist("to")
    wanted = list(filter(known_id, dict.fromkeys(ids[: replies.MOST])))
    to = replies.applicants(services.database, visit.tenant.id, wanted) if wanted else []
    if not to or len(to) != len(wanted):
        abort(404)
    kind = guard.asked().get("kind", "")
    return to, ReplyKind(kind) if kind in list(ReplyKind) else ReplyKind.INVITATION, _locale()


def _locale() -> str:
    locale = guard.asked().get("locale", "")
    return locale if locale in COMPLETE else guard.page_language()


def _begin(
    services: HiringServices, visit: HiringVisit, to: list[Applicant], kind: ReplyKind, locale: str
) -> ResponseReturnValue:
    ours = replies.words(services.database, visit.tenant.id, kind, locale)
    reply = ours.filled(to[0], visit.tenant.name, visit.colleague.email) if len(to) == 1 else ours
    return _page("reply", kind, locale, reply, to=to)


def _typed() -> tuple[ReplyText, dict[str, str]]:
    """Return the text of the form, and what is wrong with it by field."""
    found, wrong = {}, {}
    checks = (("subject", text.required, replies.SUBJECT_LONGEST), ("body", text.paragraphs, replies.BODY_LONGEST))
    for name, check, longest in checks:
        typed = request.form.get(name, "").replace("\r\n", "\n")
        try:
            found[name] = check(typed, longest=longest)
        except Refused as why:
            wrong[name] = refusal.refused(why, missing=gettext("Enter a text."))
            found[name] = text.displayable_lines(typed)
    return ReplyText(**found), wrong
