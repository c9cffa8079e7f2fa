"""/requests: candidates' open requests. /refused: files that were rejected. /log: the audit log."""

import re
from datetime import timedelta

from flask import Blueprint, abort, redirect, render_template, request
from flask.typing import ResponseReturnValue

from portal.delivery.privacy_requests import requests as owed
from portal.delivery.privacy_requests.requests import OpenRequest
from portal.delivery.uploads import refusals
from portal.operations.actions import audit
from portal.operations.actions.actions import ActRefused
from portal.operations.console import identity
from portal.operations.console.identity import ConsoleServices
from portal.site.routing.access import private

_PAGE = 50
_DAYS = 30
_REFERENCE = re.compile(r"[0-9A-Z]{1,32}")
_DONE = "It is done: the candidate is notified, and their address is erased."


def blueprint(services: ConsoleServices) -> Blueprint:
    """Return the blueprint of these pages."""
    pages = Blueprint("paperwork", __name__)

    def page(*, refused: str = "") -> str:
        newest = audit.lines(services.database, limit=1)
        is_done = request.args.get("said") == "done" and audit.was_just_done("done", newest, services.clock.now())
        said = _DONE if is_done else ""
        return render_template("console/requests.html", found=owed.owed(services.database), said=said, refused=refused)

    def found(reference: str) -> OpenRequest:
        every = owed.owed(services.database) if _REFERENCE.fullmatch(reference) else []
        return next((one for one in every if one.reference == reference), None) or abort(404)

    @pages.get("/requests")
    @private
    def requests() -> str:
        return page()

    @pages.get("/requests/<reference>/done")
    @private
    def ask(reference: str) -> str:
        one = found(reference)
        return render_template("console/done.html", one=one, token=identity.token(services, "done", reference))

    @pages.post("/requests/<reference>/done")
    @private
    def done(reference: str) -> ResponseReturnValue:
        if not _REFERENCE.fullmatch(reference):
            abort(404)
        identity.require(services, "done", reference)
        try:
            services.actions.done(identity.operator(), reference)
        except ActRefused as why:
            return page(refused=str(why)), 409
        return redirect("/requests?said=done", 303)

    @pages.get("/refused")
    @private
    def refused() -> str:
        since = services.clock.now() - timedelta(days=_DAYS)
        return render_template("console/refused.html", found=refusals.since(services.database, since), days=_DAYS)

    @pages.get("/log")
    @private
    def log() -> str:
        before = request.args.get("before", "")
        number = int(before) if re.fullmatch(r"[0-9]{1,9}", before) else None
        lines = audit.lines(services.database, before=number, limit=_PAGE + 1)
        older = lines[_PAGE - 1].number if len(lines) > _PAGE else None
        return render_template("console/log.html", lines=lines[:_PAGE], older=older, kept=audit.KEPT.days)

    return pages
