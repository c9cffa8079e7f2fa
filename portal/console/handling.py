"""/submissions: what was accepted, applications and changes of records alike; one of them; and what is done to it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from urllib.parse import urlencode

from flask import Blueprint, abort, redirect, render_template, request
from flask.typing import ResponseReturnValue

from portal.acts import audit, doing
from portal.acts.audit import By
from portal.acts.doing import ActRefused
from portal.console import pressing
from portal.console.words import HELD_FOR, Cause, cause, how_long
from portal.deliveries import operate
from portal.deliveries.accept import lane
from portal.deliveries.overview import Overview
from portal.kinds import KINDS
from portal.letters import about
from portal.letters.about import Letter
from portal.letters.queue import LANE as MAIL
from portal.letters.queue import lane as mail_lane
from portal.outbox import glance
from portal.outbox.glance import Lane
from portal.outbox.states import CLAIMABLE, State
from portal.parts import Parts
from portal.requests import owed
from portal.tenants.values import SLUG
from portal.web.access import private

_PAGE = 50
_REFERENCE = re.compile(r"[0-9A-Z]{1,32}")
_HINDERED = {State.RETRY, State.AMBIGUOUS, State.DEAD}
_DONE: Mapping[str, str] = MappingProxyType(
    {
        "retry": "It is due now: a worker sends it next.",
        "release": "It is released, and goes on.",
        "discard": "It is discarded; what it said and its CV are erased.",
    }
)


@dataclass(frozen=True, slots=True)
class Filter:
    """What is looked for; what means nothing is left out."""

    state: State | None
    tenant: str | None
    kind: str | None
    after: str | None

    def behind(self, reference: str) -> str:
        """The address of the next page."""
        said = {"state": self.state, "tenant": self.tenant, "kind": self.kind, "after": reference}
        return "/submissions?" + urlencode({name: value for name, value in said.items() if value})


def blueprint(parts: Parts) -> Blueprint:
    """Pages about submissions."""
    pages = Blueprint("handling", __name__)
    acts: dict[str, Callable[[Parts, By, str], str]] = {
        "retry": doing.retry,
        "release": doing.release,
        "discard": doing.discard,
    }

    @pages.get("/submissions")
    @private
    def submissions() -> ResponseReturnValue:
        typed = request.args.get("reference", "").strip()
        if typed and (there := _place_of(parts, typed)):
            return redirect(there, 303)
        wanted = _filter()
        chosen = operate.overview(
            parts.database,
            KINDS,
            state=wanted.state,
            tenant=wanted.tenant,
            kind=wanted.kind,
            newest_first=True,
            after=wanted.after,
            limit=_PAGE + 1,
        )
        found = list(chosen)
        more = wanted.behind(found[_PAGE - 1].reference) if len(found) > _PAGE else ""
        page = render_template(
            "console/submissions.html",
            found=found[:_PAGE],
            more=more,
            wanted=wanted,
            typed=typed,
            kinds=KINDS.values(),
            slugs=sorted(
                {tenant.slug for tenant in parts.tenants.all()} | ({wanted.tenant} if wanted.tenant else set())
            ),
        )
        return page, 404 if typed else 200

    @pages.get("/submissions/<reference>")
    @private
    def submission(reference: str) -> str:
        return _page(parts, _found(parts, reference), act=request.args.get("said", ""))

    @pages.get("/submissions/<reference>/discard")
    @private
    def ask(reference: str) -> ResponseReturnValue:
        one = _found(parts, reference)
        if not _may(one)["discard"]:
            return _page(parts, one, refused=doing.why_not_discarded(parts, one.reference)), 409
        token = pressing.token(parts, "discard", one.reference)
        return render_template("console/discard.html", one=one, token=token)

    @pages.post(f"/submissions/<reference>/<any({','.join(acts)}):act>")
    @private
    def do(reference: str, act: str) -> ResponseReturnValue:
        one = _found(parts, reference)
        pressing.require(parts, act, one.reference)
        try:
            acts[act](parts, pressing.operator(), one.reference)
        except ActRefused as why:
            return _page(parts, _found(parts, reference), refused=str(why)), 409
        return redirect(f"/submissions/{one.reference}?said={act}", 303)

    return pages


def _filter() -> Filter:
    said = request.args
    state, tenant, after = said.get("state", ""), said.get("tenant", ""), said.get("after", "")
    return Filter(
        State(state) if state in set(State) else None,
        tenant if SLUG.fullmatch(tenant) else None,
        said["kind"] if said.get("kind", "") in KINDS else None,
        after if _REFERENCE.fullmatch(after) else None,
    )


def _place_of(parts: Parts, typed: str) -> str | None:
    """The page of a submission, or of an owed request, by its reference as somebody types it."""
    reference = re.sub(r"[\s-]", "", typed).upper()
    if not _REFERENCE.fullmatch(reference):
        return None
    if operate.one(parts.database, KINDS, reference):
        return f"/submissions/{reference}"
    asked = any(one.reference == reference for one in owed.owed(parts.database, unanswered=False))
    return f"/requests#{reference}" if asked else None


def _found(parts: Parts, reference: str) -> Overview:
    """404 for what is no reference of a submission."""
    one = operate.one(parts.database, KINDS, reference.upper()) if _REFERENCE.fullmatch(reference.upper()) else None
    return one or abort(404)


def _page(parts: Parts, one: Overview, *, act: str = "", refused: str = "") -> str:
    """act: what led here."""
    db = parts.database
    log = audit.lines(db, reference=one.reference)
    name = next(kind.name for kind in KINDS.values() if kind.label == one.kind)
    hand = glance.in_hand(db, name, one.duplicate_of or one.reference)
    possible = _may(one)
    lanes, now = glance.all_lanes(db), parts.clock.now()
    mail = [lanes[name] for name in (MAIL, mail_lane(one.tenant)) if name in lanes]
    return render_template(
        "console/submission.html",
        one=one,
        hand=hand,
        way=lanes.get(lane(one.tenant)),
        why=_why(one),
        letters=[(letter, _of_letter(letter, mail, now)) for letter in about.about(db, one.reference)],
        again=operate.sent_again_as(db, one),
        log=log,
        possible=possible,
        tokens={act: pressing.token(parts, act, one.reference) for act, may in possible.items() if may},
        said=_DONE.get(act, "") if audit.was_just_done(act, log, now) else "",
        refused=refused,
    )


def _may(one: Overview) -> dict[str, bool]:
    """Which acts there are for it as it stands."""
    return {
        "retry": one.state in {State.DEAD, *CLAIMABLE} and one.duplicate_of is None,
        "release": one.state is State.HELD and one.held_for in {"operator", "person"},
        "discard": one.state in {State.DEAD, State.HELD, *CLAIMABLE} and one.duplicate_of is None,
    }


def _of_letter(letter: Letter, ways: Sequence[Lane], now: datetime) -> str:
    """What went wrong with it, and why it waits; empty where neither is so. ways: to the mail server."""
    said = [f"{cause(letter.outcome).says}."] if letter.outcome else []
    if letter.state in CLAIMABLE and letter.due_at:
        troubled = next((way for way in ways if way.in_trouble or (way.rests_until and way.rests_until > now)), None)
        if troubled:
            until = troubled.rests_until
            said.append(f"No letter goes out now: {cause(troubled.reason).says.lower()}.")
            said += [f"The next try is {how_long(now, until)}."] if until and until > now else []
        elif letter.due_at > now:
            said.append(f"It is sent {how_long(now, letter.due_at)}.")
    return " ".join(dict.fromkeys(said))


def _why(one: Overview) -> Cause | None:
    """What keeps it where it is, where something does."""
    if one.held_for:
        return HELD_FOR.get(one.held_for)
    return cause(one.last_failure) if one.last_failure and one.state in _HINDERED else None
