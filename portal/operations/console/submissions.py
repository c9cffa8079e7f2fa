"""/submissions: accepted applications and profile changes, the page of each, and the actions on them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from types import MappingProxyType
from urllib.parse import urlencode

from flask import Blueprint, abort, redirect, render_template, request
from flask.typing import ResponseReturnValue

from portal.background.mails.queue import LANE as MAIL
from portal.background.mails.queue import EmailStatus, emails_about
from portal.background.mails.queue import lane as mail_lane
from portal.background.outbox import health
from portal.background.outbox.health import Lane
from portal.background.outbox.states import CLAIMABLE, OutboxState
from portal.contract.bounds import SLUG
from portal.delivery.envelopes import submissions as operate
from portal.delivery.envelopes.kinds import lane
from portal.delivery.envelopes.receipt import Overview
from portal.delivery.kinds import KINDS
from portal.delivery.privacy_requests import requests
from portal.jobs.mirror.state import jobs_named, titles
from portal.operations.actions import audit
from portal.operations.actions.actions import ActRefused
from portal.operations.actions.audit import Actor
from portal.operations.console import identity
from portal.operations.console.identity import ConsoleServices
from portal.operations.console.messages import HELD_FOR, Cause, cause, how_long
from portal.platform.database.db import Database
from portal.site.routing.access import private

_PAGE = 50
_JOBS = 20
_TITLE = 100
_DAY = re.compile(r"2[0-9]{3}-[0-9]{2}-[0-9]{2}")
_REFERENCE = re.compile(r"[0-9A-Z]{1,32}")
_HINDERED = {OutboxState.RETRY, OutboxState.AMBIGUOUS, OutboxState.DEAD}
_DONE: Mapping[str, str] = MappingProxyType(
    {
        "retry": "It is queued: a worker will send it next.",
        "release": "It is released and continues.",
        "discard": "It is discarded; its content and CV have been erased.",
    }
)


@dataclass(frozen=True, slots=True)
class SubmissionFilter:
    """The search criteria; invalid ones are dropped."""

    state: OutboxState | None
    tenant: str | None
    kind: str | None
    after: str | None
    job: str
    """A part of a title, or an id."""
    begin: date | None
    end: date | None
    """The last day."""

    def behind(self, reference: str) -> str:
        """Return the URL of the next page; empty reference: of the first."""
        parameters = {"state": self.state, "tenant": self.tenant, "kind": self.kind, "job": self.job}
        parameters |= {"from": f"{self.begin or ''}", "to": f"{self.end or ''}", "after": reference}
        return "/submissions?" + urlencode({name: value for name, value in parameters.items() if value})

    @property
    def is_narrow(self) -> bool:
        """Whether anything is left out."""
        return bool(self.state or self.tenant or self.kind or self.job or self.begin or self.end)


def blueprint(services: ConsoleServices) -> Blueprint:
    """Return the blueprint of the pages about submissions."""
    pages = Blueprint("handling", __name__)
    actions = services.actions
    acts: dict[str, Callable[[Actor, str], str]] = {
        "retry": actions.retry,
        "release": actions.release,
        "discard": actions.discard,
    }

    @pages.get("/submissions")
    @private
    def submissions() -> ResponseReturnValue:
        typed = request.args.get("reference", "").strip()
        if typed and (there := _place_of(services.database, typed)):
            return redirect(there, 303)
        wanted = _filter()
        slugs = {tenant.slug for tenant in services.tenants.all()} | ({wanted.tenant} if wanted.tenant else set())
        jobs = _jobs(services.database, wanted, sorted(slugs)) if wanted.job else None
        chosen = operate.overview(
            services.database,
            KINDS,
            state=wanted.state,
            tenant=wanted.tenant,
            kind=wanted.kind,
            jobs=jobs,
            begin=_start(wanted.begin),
            end=_start(wanted.end + timedelta(days=1)) if wanted.end else None,
            newest_first=True,
            after=wanted.after,
            limit=_PAGE + 1,
        )
        found = list(chosen)
        more = wanted.behind(found[_PAGE - 1].reference) if len(found) > _PAGE else ""
        page = render_template(
            "console/submissions.html",
            found=found[:_PAGE],
            titles=titles_of(services.database, found),
            too_many=jobs is not None and len(jobs) >= _JOBS,
            more=more,
            wanted=wanted,
            typed=typed,
            kinds=KINDS.values(),
            slugs=sorted(slugs),
        )
        return page, 404 if typed else 200

    @pages.get("/submissions/<reference>")
    @private
    def submission(reference: str) -> str:
        return _page(services, _found(services.database, reference), act=request.args.get("said", ""))

    @pages.get("/submissions/<reference>/discard")
    @private
    def ask(reference: str) -> ResponseReturnValue:
        one = _found(services.database, reference)
        if not _may(one)["discard"]:
            return _page(services, one, refused=actions.why_not_discarded(one.reference)), 409
        token = identity.token(services, "discard", one.reference)
        return render_template("console/discard.html", one=one, token=token)

    @pages.post(f"/submissions/<reference>/<any({','.join(acts)}):act>")
    @private
    def do(reference: str, act: str) -> ResponseReturnValue:
        one = _found(services.database, reference)
        identity.require(services, act, one.reference)
        try:
            acts[act](identity.operator(), one.reference)
        except ActRefused as why:
            return _page(services, _found(services.database, reference), refused=str(why)), 409
        return redirect(f"/submissions/{one.reference}?said={act}", 303)

    return pages


def _filter() -> SubmissionFilter:
    query = request.args
    state, tenant, after = query.get("state", ""), query.get("tenant", ""), query.get("after", "")
    return SubmissionFilter(
        OutboxState(state) if state in set(OutboxState) else None,
        tenant if SLUG.fullmatch(tenant) else None,
        query["kind"] if query.get("kind", "") in KINDS else None,
        after if _REFERENCE.fullmatch(after) else None,
        " ".join(query.get("job", "")[:_TITLE].replace("\0", "").split()),
        _day(query.get("from", "")),
        _day(query.get("to", "")),
    )


def _day(text: str) -> date | None:
    """Return the day of a date field; None for anything else, and for years without submissions."""
    try:
        return date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        return None


def _start(day: date | None) -> datetime | None:
    return datetime.combine(day, time(), UTC) if day else None


def _jobs(db: Database, wanted: SubmissionFilter, slugs: Sequence[str]) -> list[operate.Job]:
    """Return the jobs that are searched for, at most _JOBS: by the mirror, or else an id that the mirror lacks."""
    found = jobs_named(db, wanted.job, tenant=wanted.tenant, limit=_JOBS)
    of = [wanted.tenant] if wanted.tenant else slugs
    return found or [(slug, wanted.job) for slug in of[:_JOBS]]


def titles_of(db: Database, found: Sequence[Overview]) -> dict[str, str]:
    """Return reference → the title of its job: the mirror's, or else its title when the candidate applied."""
    known = titles(db, {(one.tenant, one.posting_id) for one in found if one.posting_id})
    named = {one.reference: known.get((one.tenant, one.posting_id or ""), one.title) for one in found}
    return {reference: title for reference, title in named.items() if title}


def _place_of(db: Database, typed: str) -> str | None:
    """Return the page of a submission or a privacy request by its reference, as typed; None if there is none."""
    reference = re.sub(r"[\s-]", "", typed).upper()
    if not _REFERENCE.fullmatch(reference):
        return None
    if operate.find(db, KINDS, reference):
        return f"/submissions/{reference}"
    asked = any(one.reference == reference for one in requests.all_open(db, unanswered=False))
    return f"/requests#{reference}" if asked else None


def _found(db: Database, reference: str) -> Overview:
    """Return the submission; 404 if there is none with this reference."""
    one = operate.find(db, KINDS, reference.upper()) if _REFERENCE.fullmatch(reference.upper()) else None
    return one or abort(404)


def _page(services: ConsoleServices, one: Overview, *, act: str = "", refused: str = "") -> str:
    """Render the page of a submission. act: the action that led here."""
    db = services.database
    log = audit.entries(db, reference=one.reference)
    name = next(kind.name for kind in KINDS.values() if kind.label == one.kind)
    hand = health.row_of(db, name, one.duplicate_of or one.reference)
    possible = _may(one)
    lanes, now = health.all_lanes(db), services.clock.now()
    mail = [lanes[name] for name in (MAIL, mail_lane(one.tenant)) if name in lanes]
    return render_template(
        "console/submission.html",
        one=one,
        title=titles_of(db, [one]).get(one.reference),
        hand=hand,
        way=lanes.get(lane(one.tenant)),
        why=_why(one),
        letters=[(letter, _email_problem(letter, mail, now)) for letter in emails_about(db, one.reference)],
        again=operate.sent_again_as(db, one),
        log=log,
        possible=possible,
        tokens={act: identity.token(services, act, one.reference) for act, may in possible.items() if may},
        confirmation=_DONE.get(act, "") if audit.was_just_done(act, log, now) else "",
        refused=refused,
    )


def _may(one: Overview) -> dict[str, bool]:
    """Return which actions its current state allows."""
    return {
        "retry": one.state in {OutboxState.DEAD, *CLAIMABLE} and one.duplicate_of is None,
        "release": one.state is OutboxState.HELD and one.held_for in {"operator", "person"},
        "discard": one.state in {OutboxState.DEAD, OutboxState.HELD, *CLAIMABLE} and one.duplicate_of is None,
    }


def _email_problem(letter: EmailStatus, ways: Sequence[Lane], now: datetime) -> str:
    """Return what went wrong with an email and why it waits; empty if neither applies. ways: mail server lanes."""
    sentences = [f"{cause(letter.outcome).says}."] if letter.outcome else []
    if letter.state in CLAIMABLE and letter.due_at:
        troubled = next((way for way in ways if way.in_trouble or (way.rests_until and way.rests_until > now)), None)
        if troubled:
            until = troubled.rests_until
            sentences.append(f"No email is being sent now: {cause(troubled.reason).says.lower()}.")
            sentences += [f"The next attempt is {how_long(now, until)}."] if until and until > now else []
        elif letter.due_at > now:
            sentences.append(f"It will be sent {how_long(now, letter.due_at)}.")
    return " ".join(dict.fromkeys(sentences))


def _why(one: Overview) -> Cause | None:
    """Return what keeps a submission in its state, if anything does."""
    if one.held_for:
        return HELD_FOR.get(one.held_for)
    return cause(one.last_failure) if one.last_failure and one.state in _HINDERED else None
