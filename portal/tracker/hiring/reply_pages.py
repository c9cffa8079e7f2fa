"""Routes of replies: write, preview and send one, undo what went to several, and the company's own words."""

from flask import Blueprint, abort, make_response, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext

from portal.contract.bounds import PUBLIC_ID
from portal.site.routing.access import private
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

    @pages.post("/<slug>/hiring/replies/<batch>/undo")
    @private
    @guard.signed_in(services, Role.RECRUITER)
    def undo(visit: HiringVisit, batch: str) -> ResponseReturnValue:
        by, now = visit.colleague.email, services.clock.now()
        count = replies.undo(services.database, visit.tenant, batch, by=by, now=now)
        return redirect(f"/{visit.tenant.slug}/hiring/jobs?said={'undone' if count else 'late'}", 303)

    return pages


def _add_reply(pages: Blueprint, services: HiringServices) -> None:
    @pages.get("/<slug>/hiring/reply")
    @private
    @guard.signed_in(services, Role.RECRUITER)
    def write(visit: HiringVisit) -> ResponseReturnValue:
        """Show the form. to: ids of applications, repeated; kind, locale: which words it begins with."""
        return _begin(services, visit, *_chosen(services, visit, request.args.getlist("to")))

    @pages.post("/<slug>/hiring/reply")
    @private
    @guard.signed_in(services, Role.RECRUITER)
    def send(visit: HiringVisit) -> ResponseReturnValue:
        to, kind, locale = _chosen(services, visit, request.form.getlist("to"))
        if request.form.get("then") == "begin":  # for more applicants than an address can name
            return _begin(services, visit, to, kind, locale)
        text, wrong = _typed()
        if wrong or request.form.get("then") == "edit":
            return _form(services, visit, to, kind, locale, text, wrong=wrong, status=422 if wrong else 200)
        if request.form.get("then") != "send":
            return _preview(services, visit, to, kind, locale, text)
        by, now = visit.colleague.email, services.clock.now()
        batch = replies.send(
            services.database, services.seal, visit.tenant, text, kind, to, locale=locale, by=by, now=now
        )
        if batch is None:
            return redirect(f"/{visit.tenant.slug}/hiring/applications/{to[0].application_id}?said=sent", 303)
        return redirect(f"/{visit.tenant.slug}/hiring/replies/{batch}", 303)

    @pages.get("/<slug>/hiring/replies/<batch>")
    @private
    @guard.signed_in(services, Role.RECRUITER)
    def queued(visit: HiringVisit, batch: str) -> str:
        token = guard.form_token(services, visit.tenant, visit.session)
        return render_template("hiring/replies_queued.html", batch=batch, token=token)


def _chosen(services: HiringServices, visit: HiringVisit, ids: list[str]) -> tuple[list[Applicant], ReplyKind, str]:
    """Return to whom, what for, and in which language; 404 for applications that are not there."""
    wanted = [one for one in dict.fromkeys(ids[: replies.MOST]) if PUBLIC_ID.fullmatch(one)]
    to = replies.applicants(services.database, visit.tenant.id, wanted) if wanted else []
    kind, locale = request.values.get("kind", ""), request.values.get("locale", "")
    if not to or len(to) != len(wanted):
        abort(404)
    return (
        to,
        ReplyKind(kind) if kind in list(ReplyKind) else ReplyKind.RECEIVED,
        locale if locale in COMPLETE else guard.page_language(),
    )


def _begin(
    services: HiringServices, visit: HiringVisit, to: list[Applicant], kind: ReplyKind, locale: str
) -> ResponseReturnValue:
    text = replies.words(services.database, visit.tenant.id, kind, locale)
    if len(to) == 1:
        text = text.filled(to[0], visit.tenant.name, visit.colleague.email)
    return _form(services, visit, to, kind, locale, text)


def _typed() -> tuple[ReplyText, dict[str, str]]:
    """Return the text of the form, and what is wrong with it by field."""
    text = ReplyText(
        " ".join(request.form.get("subject", "").split()), request.form.get("body", "").replace("\r\n", "\n").strip()
    )
    wrong = {}
    for name, value, most in (
        ("subject", text.subject, replies.SUBJECT_LONGEST),
        ("body", text.body, replies.BODY_LONGEST),
    ):
        if not value:
            wrong[name] = str(gettext("Enter a text."))
        elif len(value) > most:
            wrong[name] = str(gettext("Shorten this to %(most)s characters.", most=most))
    return text, wrong


def _form(
    services: HiringServices,
    visit: HiringVisit,
    to: list[Applicant],
    kind: ReplyKind,
    locale: str,
    text: ReplyText,
    *,
    wrong: dict[str, str] | None = None,
    status: int = 200,
) -> ResponseReturnValue:
    page = render_template(
        "hiring/reply.html",
        to=to,
        kind=kind,
        kinds=list(ReplyKind),
        languages=COMPLETE,
        locale=locale,
        text=text,
        wrong=wrong or {},
        token=guard.form_token(services, visit.tenant, visit.session),
    )
    return make_response(page, status)


def _preview(
    services: HiringServices, visit: HiringVisit, to: list[Applicant], kind: ReplyKind, locale: str, text: ReplyText
) -> str:
    return render_template(
        "hiring/reply_preview.html",
        to=to,
        without=[one for one in to if one.email is None],
        kind=kind,
        locale=locale,
        text=text,
        shown=text.filled(to[0], visit.tenant.name, visit.colleague.email),
        token=guard.form_token(services, visit.tenant, visit.session),
    )


def _add_words(pages: Blueprint, services: HiringServices) -> None:
    def page(
        visit: HiringVisit, kind: str, text: ReplyText | None, wrong: dict[str, str], status: int
    ) -> ResponseReturnValue:
        if kind not in list(ReplyKind):
            abort(404)
        locale = request.values.get("locale", "")
        locale = locale if locale in COMPLETE else guard.page_language()
        shown = text or replies.words(services.database, visit.tenant.id, ReplyKind(kind), locale)
        token = guard.form_token(services, visit.tenant, visit.session)
        said = gettext("Saved.") if request.args.get("said") == "saved" else ""
        rendered = render_template(
            "hiring/reply_words.html",
            kind=ReplyKind(kind),
            kinds=list(ReplyKind),
            languages=COMPLETE,
            locale=locale,
            text=shown,
            wrong=wrong,
            token=token,
            said=said,
        )
        return make_response(rendered, status)

    @pages.get("/<slug>/hiring/words/<kind>")
    @private
    @guard.signed_in(services)
    def words(visit: HiringVisit, kind: str) -> ResponseReturnValue:
        return page(visit, kind, None, {}, 200)

    @pages.post("/<slug>/hiring/words/<kind>")
    @private
    @guard.signed_in(services, Role.RECRUITER)
    def save(visit: HiringVisit, kind: str) -> ResponseReturnValue:
        text, wrong = _typed()
        locale = request.form.get("locale", "")
        if wrong or kind not in list(ReplyKind) or locale not in COMPLETE:
            return page(visit, kind, text, wrong, 422)
        by, now = visit.colleague.email, services.clock.now()
        replies.save_words(services.database, visit.tenant, ReplyKind(kind), locale, text, by=by, now=now)
        return redirect(f"/{visit.tenant.slug}/hiring/words/{kind}?locale={locale}&said=saved", 303)
