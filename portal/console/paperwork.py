"""/requests: what people are owed. /refused: files that were not taken. /log: who did what by hand."""

import re
from datetime import timedelta

from flask import Blueprint, abort, redirect, render_template, request
from flask.typing import ResponseReturnValue

from portal.acts import audit, doing
from portal.acts.doing import ActRefused
from portal.console import pressing
from portal.parts import Parts
from portal.requests import owed
from portal.requests.owed import OwedRequest
from portal.uploads import refusals
from portal.web.access import private

_PAGE = 50
_DAYS = 30
_REFERENCE = re.compile(r"[0-9A-Z]{1,32}")
_DONE = "It is done: the person is told, and their address forgotten."


def blueprint(parts: Parts) -> Blueprint:
    """Pages about what is written down."""
    pages = Blueprint("paperwork", __name__)

    def page(*, refused: str = "") -> str:
        newest = audit.lines(parts.database, limit=1)
        is_done = request.args.get("said") == "done" and audit.was_just_done("done", newest, parts.clock.now())
        said = _DONE if is_done else ""
        return render_template("console/requests.html", found=owed.owed(parts.database), said=said, refused=refused)

    def found(reference: str) -> OwedRequest:
        every = owed.owed(parts.database) if _REFERENCE.fullmatch(reference) else []
        return next((one for one in every if one.reference == reference), None) or abort(404)

    @pages.get("/requests")
    @private
    def requests() -> str:
        return page()

    @pages.get("/requests/<reference>/done")
    @private
    def ask(reference: str) -> str:
        one = found(reference)
        return render_template("console/done.html", one=one, token=pressing.token(parts, "done", reference))

    @pages.post("/requests/<reference>/done")
    @private
    def done(reference: str) -> ResponseReturnValue:
        if not _REFERENCE.fullmatch(reference):
            abort(404)
        pressing.require(parts, "done", reference)
        try:
            doing.done(parts, pressing.operator(), reference)
        except ActRefused as why:
            return page(refused=str(why)), 409
        return redirect("/requests?said=done", 303)

    @pages.get("/refused")
    @private
    def refused() -> str:
        since = parts.clock.now() - timedelta(days=_DAYS)
        return render_template("console/refused.html", found=refusals.since(parts.database, since), days=_DAYS)

    @pages.get("/log")
    @private
    def log() -> str:
        before = request.args.get("before", "")
        number = int(before) if re.fullmatch(r"[0-9]{1,9}", before) else None
        lines = audit.lines(parts.database, before=number, limit=_PAGE + 1)
        older = lines[_PAGE - 1].number if len(lines) > _PAGE else None
        return render_template("console/log.html", lines=lines[:_PAGE], older=older, kept=audit.KEPT.days)

    return pages
