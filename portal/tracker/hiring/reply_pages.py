"""Routes of replies: write, preview and send one, undo what went to several, and the company's own words."""

from urllib.parse import quote

from flask import Blueprint, abort, make_response, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext

from portal.contract.bounds import PUBLIC_ID
from portal.site.forms.fields import refusal, text
from portal.site.forms.fields.refusal import Refused
from portal.tenants.languages import COMPLETE
from portal.tracker.hiring import guard, replies
from portal.tracker.hiring.colleagues import Role
from portal.tracker.hiring.guard import HiringServices, HiringVisit
from portal.tracker.hiring.replies import Applicant, ReplyKind, ReplyText


def blueprint(services: HiringServices) -> Blueprint:
    """Return the blueprint of these pages."""
    pages = Blueprint("replies", __name__)
    _add_reply(pages, services)
    _add_words(pages, services)
    return pages


def _add_reply(pages: Blueprint, services: HiringServices) -> None:
    db, clock = services.database, services.clock

    @pages.get("/<slug>/hiring/reply")
    @guard.signed_in(services, Role.RECRUITER)
    def write(visit: HiringVisit) -> ResponseReturnValue:
        """Show the form. to: ids of applications, repeated; kind, locale: which words it begins with."""
        return _begin(services, visit, *_chosen(services, visit, request.args.getlist("to")))

    @pages.post("/<slug>/hiring/reply")
    @guard.signed_in(services, Role.RECRUITER)
    def send(visit: HiringVisit) -> ResponseReturnValue:
        to, kind, locale = _chosen(services, visit, request.form.getlist("to"))
        then = request.form.get("then")
        if then == "begin":  # for more applicants than an address can name
            return _begin(services, visit, to, kind, locale)
        said, wrong = _typed()
        if wrong or then == "edit":
            return _page("reply", kind, locale, said, 422 if wrong else 200, to=to, wrong=wrong)
        without = [one for one in to if one.email is None]
        if then != "send" or len(without) == len(to):
            shown = said.filled(to[0], visit.tenant.name, visit.colleague.email)
            return _page("reply_preview", kind, locale, said, to=to, without=without, shown=shown)
        replies.send(
            db,
            services.seal,
            visit,
            said,
            kind,
            to,
            locale=locale,
            form=guard.form_id(services, visit),
            now=clock.now(),
        )
        first = to[0]
        if len(to) > 1 and first.vacancy_id:  # where it says what waits, and offers to undo it
            return redirect(guard.address(visit, f"/jobs/{quote(first.vacancy_id, safe='')}/applications"), 303)
        done = "rejected" if kind is ReplyKind.REJECTION else "sent"
        return redirect(guard.address(visit, f"/applications/{quote(first.application_id, safe='')}?said={done}"), 303)

    @pages.post("/<slug>/hiring/jobs/<vacancy_id>/replies/<batch>/undo")
    @guard.signed_in(services, Role.RECRUITER)
    def undo(visit: HiringVisit, vacancy_id: str, batch: str) -> ResponseReturnValue:
        said = replies.undo(db, visit, batch, clock.now())
        return redirect(guard.address(visit, f"/jobs/{quote(vacancy_id, safe='')}/applications?said={said}"), 303)


def _add_words(pages: Blueprint, services: HiringServices) -> None:
    @pages.get("/<slug>/hiring/words/<any(received, invitation, rejection):kind>")
    @guard.signed_in(services)
    def words(visit: HiringVisit, kind: str) -> ResponseReturnValue:
        locale = _locale()
        ours = replies.words(services.database, visit.tenant.id, ReplyKind(kind), locale)
        return _page("reply_words", ReplyKind(kind), locale, ours, seen=ours.version)

    @pages.post("/<slug>/hiring/words/<any(received, invitation, rejection):kind>")
    @guard.signed_in(services, Role.RECRUITER)
    def save(visit: HiringVisit, kind: str) -> ResponseReturnValue:
        (said, wrong), locale, seen = _typed(), _locale(), request.form.get("seen", "")
        if wrong:
            return _page("reply_words", ReplyKind(kind), locale, said, 422, wrong=wrong, seen=seen)
        db, now = services.database, services.clock.now()
        if not replies.save_words(db, visit, ReplyKind(kind), locale, said, seen=seen, now=now):
            theirs = replies.words(db, visit.tenant.id, ReplyKind(kind), locale)
            return _page("reply_words", ReplyKind(kind), locale, said, 409, seen=theirs.version, theirs=theirs)
        return redirect(guard.address(visit, f"/words/{kind}?locale={locale}&said=saved"), 303)


def _page(
    template: str, kind: ReplyKind, locale: str, said: ReplyText, status: int = 200, **more: object
) -> ResponseReturnValue:
    context = {"kinds": list(ReplyKind), "languages": COMPLETE, "wrong": {}, "theirs": None} | more
    page = render_template(f"hiring/{template}.html", kind=kind, locale=locale, text=said, **context)
    return make_response(page, status)


def _chosen(services: HiringServices, visit: HiringVisit, ids: list[str]) -> tuple[list[Applicant], ReplyKind, str]:
    """Return to whom, what for, and in which language; 404 for applications that are not there."""
    wanted = [one for one in dict.fromkeys(ids[: replies.MOST]) if PUBLIC_ID.fullmatch(one)]
    to = replies.applicants(services.database, visit.tenant.id, wanted) if wanted else []
    if not to or len(to) != len(wanted):
        abort(404)
    kind = request.values.get("kind", "")
    return to, ReplyKind(kind) if kind in list(ReplyKind) else ReplyKind.RECEIVED, _locale()


def _locale() -> str:
    locale = request.values.get("locale", "")
    return locale if locale in COMPLETE else guard.page_language()


def _begin(
    services: HiringServices, visit: HiringVisit, to: list[Applicant], kind: ReplyKind, locale: str
) -> ResponseReturnValue:
    ours = replies.words(services.database, visit.tenant.id, kind, locale)
    said = ours.filled(to[0], visit.tenant.name, visit.colleague.email) if len(to) == 1 else ours
    return _page("reply", kind, locale, said, to=to)


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
