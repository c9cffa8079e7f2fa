"""The four applications with data in them, and signed-in users."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from flask import Flask

from portal.app import create_console
from portal.delivery.envelopes.accept import CONFIRMATION
from portal.jobs.alerts import subscribing
from portal.jobs.alerts.tables import alerts
from portal.people.signin.tables import sessions
from portal.platform.database.db import Database
from portal.tracker.hiring.app import create_hiring
from tests import builders
from tests.builders import SECRET, Portal
from tests.hostile.bodies import CV
from tests.hostile.corpus import NOBODY, SOMEBODY, Case, body_of, path_of
from tests.hostile.judging import Answer, Asked, ask
from tests.hostile.routes import DESK, HIRING, PORTAL, SERVICE, Form, Route, routes_of
from tests.site.account.candidate import Visitor, candidate
from tests.site.account.conftest import FILE
from tests.site.apply.applicant import Applicant
from tests.site.apply.conftest import vacancy
from tests.told_clock import ToldClock
from tests.tracker.hiring.site import SECRET as SECRET_OF_HIRING
from tests.tracker.hiring.site import HiringBrowser, HiringSite, opened_hiring
from tests.tracker.hiring.test_routes_are_isolated_between_companies import PORTAL_SECRET, fill_acme

PORTS = {PORTAL: 8000, DESK: 8002, SERVICE: 8001, HIRING: 8001}
_HIDDEN = re.compile(r'<input[^>]*type="hidden"[^>]*>')
CONTACT = "mailto:security@careers.example"
LAST = ("sessions", "discard", "remove", "undo", "withdraw", "/end", "erase", "sign-out")
"""In the addresses that take away what other cases need: they are asked last, in this order."""


@dataclass
class Premises:
    """ids: application → parameter → a value that exists; of_rules: the same for single routes.

    sign_in: application → Cookie of a new session. upload: a CV for the JSON that a company's own form sends.
    """

    portal: Portal
    site: HiringSite
    flasks: dict[str, Flask]
    pages: Flask
    ids: dict[str, dict[str, str]]
    of_rules: dict[str, dict[str, str]]
    upload: str
    sign_in: dict[str, Callable[[], dict[str, str]]]
    people: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    sessions: dict[str, Sequence[sa.Row[Any]]] = field(default_factory=dict)
    """Of the portal and of the hiring pages, as they were before a case ended one."""
    hidden: dict[tuple[str, str, str], dict[str, str]] = field(default_factory=dict)
    asked: int = 0

    @property
    def secrets(self) -> list[bytes]:
        """Values that no response may contain."""
        told = (SECRET, SECRET_OF_HIRING, PORTAL_SECRET, self.site.office.key, *self.portal.keys.values())
        return [one.encode() for one in told]

    @property
    def _databases(self) -> dict[str, Database]:
        return {PORTAL: self.portal.parts.database, HIRING: self.site.office.database}

    def routes(self) -> list[Route]:
        """Return every route of the four applications; those that delete data come last."""
        maps = self.flasks | {HIRING: self.pages}
        return sorted((route for name, app in maps.items() for route in routes_of(name, app)), key=_place_of)

    def headers_of(self, app: str, who: str, path: str = "") -> dict[str, str]:
        """Return the headers of a user; a visitor at a page for a code has requested one."""
        if who == NOBODY and not path.endswith("/code"):
            return {}
        if (app, who) not in self.people:
            self.people[app, who] = self.sign_in[f"{app} code" if who == NOBODY else app]()
            if app in self._databases:
                with self._databases[app].read() as connection:
                    self.sessions[app] = connection.execute(sa.select(sessions)).all()
        return self.people[app, who]

    def ask(self, case: Case) -> tuple[Asked, Answer]:
        """Send a case from a separate network."""
        asked = self.request_of(case)
        answer = ask(asked, with_children=case.place == "file")
        if answer.status < 400 or "Max-Age=0" in answer.header("Set-Cookie"):
            self._forget(case)
        return asked, answer

    def request_of(self, case: Case) -> Asked:
        """Return a case as a request, with existing values in place of names."""
        app, path = case.route.app, self.filled(case.route, case.path)
        headers = self.headers_of(app, case.who, path) | dict(case.headers)
        body = case.body(self.fields(case)).replace(b"{upload}", self.upload.encode()) if case.body else None
        return Asked(
            self.flasks[SERVICE if app == HIRING else app].wsgi_app,
            PORTS[app],
            case.method,
            path,
            self.filled(case.route, case.query),
            tuple(headers.items()),
            body,
            self._peer(case),
        )

    def fields(self, case: Case) -> dict[str, bytes]:
        """Return the valid fields of a route's form, with the hidden ones of its page."""
        form = body_of(case.route)
        if not isinstance(form, Form):
            return {}
        typed = {name: self.filled(case.route, value) for name, value in form.fields.items()}
        fields = self._hidden(case, form) | typed if form.page else typed
        return {name: value.encode() for name, value in fields.items()}

    def filled(self, route: Route, text: str) -> str:
        for name, value in (self.ids[route.app] | self.of_rules.get(route.rule, {})).items():
            text = text.replace(f"{{{name}}}", value)
        return text

    def _hidden(self, case: Case, form: Form) -> dict[str, str]:
        app, target = case.route.app, self.filled(case.route, path_of(case.route))
        key = (app, case.route.rule, case.who)
        if key not in self.hidden:
            page, _, query = self.filled(case.route, form.page).partition("?")
            headers = tuple(self.headers_of(app, case.who, page).items())
            flask = self.flasks[SERVICE if app == HIRING else app]
            text = ask(Asked(flask.wsgi_app, PORTS[app], "GET", page, query, headers, peer=self._peer(case))).text
            tags = (f'method="post" action="{target}"', f'action="{target}" method="post"')
            ours = [one for one in text.split("<form")[1:] if any(tag in one.partition(">")[0] for tag in tags)]
            found = _HIDDEN.findall(ours[0].partition("</form>")[0] if ours else text)
            self.hidden[key] = {_attribute(one, "name"): _attribute(one, "value") for one in found}
        return self.hidden[key]

    def _peer(self, case: Case) -> str:
        self.asked += 1
        is_operator = case.route.app == DESK and case.who != NOBODY
        return "127.0.0.1" if is_operator else f"10.{self.asked >> 8 & 255}.{self.asked & 255}.1"

    def _forget(self, case: Case) -> None:
        """Reload pages after a successful post, and renew a session that may have ended."""
        app = case.route.app
        self.hidden = {key: one for key, one in self.hidden.items() if key[0] != app}
        if app in self.sessions and any(word in case.route.rule for word in LAST):
            with self._databases[app].write() as connection:
                here = {one.token for one in connection.execute(sa.select(sessions.c.token))}
                for row in self.sessions[app]:
                    if row.token not in here:
                        connection.execute(sessions.insert().values(row._asdict()))


def _place_of(route: Route) -> int:
    taking = [place for place, word in enumerate(LAST) if word in route.rule and route.method == "POST"]
    return max(taking, default=-1)


def _attribute(tag: str, name: str) -> str:
    found = re.search(rf' {name}="([^"]*)"', tag)
    return unescape(found[1]) if found else ""


def _cookies(browser: object) -> dict[str, str]:
    cookies = browser.cookies.jar  # type: ignore[attr-defined]  an httpx.Client
    return {"Cookie": "; ".join(f"{one.name}={one.value}" for one in cookies)}


@contextmanager
def opened(folder: Path, clock: ToldClock, *, portal_url: str, tracker_url: str) -> Iterator[Premises]:
    """Open the four applications on these databases, and fill them."""
    made = builders.portal(
        folder / "portal",
        clock=clock,
        database_url=portal_url,
        secret_key=PORTAL_SECRET,
        security_contact=CONTACT,
        max_cv_bytes=300_000,
    )
    made.add_tenant("acme", "Acme", FILE)
    made.service.load("acme", [vacancy("job-1", "Welder"), candidate()])
    made.work.mirror_what_is_due()
    made.work.index_what_is_due()
    of_portal = {"portal_database": made.parts.settings.database_url, "portal_secret": PORTAL_SECRET}
    with opened_hiring(tracker_url, clock, folder, security_contact=CONTACT, **of_portal) as site:
        ids = {name: found[0] for name, found in fill_acme(site).items()}
        ada = _candidate(made)
        changed, alert = _changed(ada), _alert(made)
        reference = _applied(made)  # after everything was delivered, so that an operator can still discard it
        candidate_id = site.office.candidates()[0]["id"]
        of_rules = {"/<slug>/profile/changes/<reference>": {"reference": changed}}
        of_rules["/requests/<reference>/done"] = {"reference": ids["reference"]}
        known = {
            PORTAL: {
                "slug": "acme",
                "posting_id": "job-1",
                "reference": reference,
                "alert": alert,
                "confirm_key": made.parts.seal.hash(CONFIRMATION, "acme", reference),
                "alert_key": subscribing.key_of(made.parts.seal, "acme", alert),
                "key": "a-key",
                "digest": "0" * 64,
                "number": "1",
                "filename": "css/site.css",
            },
            DESK: {
                "slug": "acme",
                "reference": reference,
                "act": "retry",
                "name": "operating",
                "filename": "css/site.css",
            },
            SERVICE: {
                "slug": "acme",
                "posting_id": ids["vacancy_id"],
                "vacancy_id": ids["vacancy_id"],
                "application_id": ids["application_id"],
                "candidate_id": candidate_id,
                "company": site.office.company,
            },
            HIRING: ids
            | {
                "slug": "acme",
                "name": "publish",
                "form": "csv",
                "kind": "rejection",
                "change": "role",
                "filename": "css/site.css",
            },
        }
        flasks = {PORTAL: made.app, DESK: create_console(made.parts), SERVICE: site.office.app}
        assert site.services.portal
        pages, signing_in = create_hiring(site.services), _signing_in(made, site, ada)
        premises = Premises(made, site, flasks, pages, known, of_rules, _upload(made), signing_in)
        for app, cookie in ((PORTAL, "session-acme="), (HIRING, "hiring-acme=")):
            assert cookie in premises.headers_of(app, SOMEBODY)["Cookie"]
            premises.headers_of(app, NOBODY, "/code")
        yield premises
        site.services.portal.database.close()
    made.parts.close()
    made.service.database.close()


def _candidate(made: Portal) -> Visitor:
    ada = Visitor(made)
    ada.sign_in()
    return ada


def _changed(ada: Visitor) -> str:
    """Change something in a record; return the change's reference."""
    sent = ada.post("/profile/edit", ada.form().press(firstName="Augusta").page)
    ada.portal.work.deliver_what_is_due()
    return sent.headers["location"].rpartition("/")[2]


def _upload(made: Portal) -> str:
    """Store a CV as a company's own form does; return its handle."""
    with made.browser() as browser:
        sent = browser.post("/acme/uploads", content=CV[1], headers={"Content-Type": "application/octet-stream"})
    return str(sent.json()["cvAttachmentId"])


def _signing_in(made: Portal, site: HiringSite, ada: Visitor) -> dict[str, Callable[[], dict[str, str]]]:
    def candidate_asked() -> dict[str, str]:
        eve = Visitor(made)
        eve.post("/profile", email="eve@people.example")
        return _cookies(eve.client)

    def colleague_asked() -> dict[str, str]:
        browser: HiringBrowser = site.browser()
        browser.get()
        browser.post(email="owner@acme.example")
        return _cookies(browser.client)

    return {
        PORTAL: lambda: _cookies(ada.client),
        f"{PORTAL} code": candidate_asked,
        HIRING: lambda: _cookies(site.signed_in().client),
        f"{HIRING} code": colleague_asked,
        SERVICE: lambda: {"x-api-key": site.office.key},
        DESK: dict,
    }


def _applied(made: Portal) -> str:
    with made.browser() as browser:
        receipt = Applicant(browser).receipt(email="ada@people.example")
    return receipt.rpartition("/")[2].partition("?")[0]


def _alert(made: Portal) -> str:
    tenant, now = made.parts.tenants.require("acme"), made.parts.clock.now()
    subscribing.request_alert(
        made.parts.database,
        made.parts.seal,
        tenant=tenant,
        email="eve@people.example",
        search=subscribing.AlertSearch("q=welder", "welder"),
        every=subscribing.AlertFrequency.WEEK,
        locale="en",
        network="10.0.0.0/24",
        now=now,
    )
    with made.parts.database.read() as connection:
        return str(connection.execute(sa.select(alerts.c.id)).scalar_one())
