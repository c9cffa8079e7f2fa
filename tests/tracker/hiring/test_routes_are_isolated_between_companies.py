"""Requests with ids of another company, or without permission, show and change nothing on any route.

Acme has data of every kind. Colleagues of Globex, removed colleagues and visitors request it, at
the addresses of both. A new route has to be added to ROUTES.
"""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import product
from pathlib import Path

import pytest
import sqlalchemy as sa
from werkzeug.routing import Rule

from portal.delivery.privacy_requests.tables import owed_requests
from portal.platform.crypto.sealing import Seal, address_hash
from portal.tracker.hiring.app import create_hiring
from portal.tracker.hiring.colleagues import Role
from tests.schemas import PORTAL, TRACKER, sqlite_copy
from tests.told_clock import ToldClock
from tests.tracker.hiring.applicants import apply
from tests.tracker.hiring.job_writing import draft, hidden
from tests.tracker.hiring.site import OWNER, READER, RECRUITER, HiringBrowser, HiringSite, opened_hiring

PORTAL_SECRET = "a-secret-of-the-portal-here"
REFERENCE = "QK7M4XT2W9PRA5H8NVB3"
CV = b"%PDF-1.4 the CV of Philippa"
SECRETS = ("Philippa", "Quill", "Falconer", "Zeppelin", "Confidential", "quill@people.example", CV.decode())
"""What Acme's data says; no request has one of these words."""
VERSION = {"version": "{version}"}


@dataclass(frozen=True)
class Asked:
    """A route. least: the required role, None for the sign-in pages. answers: statuses for that role in its company."""

    least: Role | None
    answers: frozenset[int]
    fields: dict[str, str]


def asked(least: Role | None, *answers: int, **fields: str) -> Asked:
    return Asked(least, frozenset(answers), fields)


_JOB, _LIST, _ONE = "/<job_id>", "/jobs/<vacancy_id>", "/applications/<application_id>"
ROUTES = {
    "GET ": asked(None, 200, 303),
    "POST ": asked(None, 303, email=OWNER),
    "GET /code": asked(None, 200),
    "POST /code": asked(None, 422, 303, code="12345678"),
    "GET /account": asked(Role.READER, 200),
    "POST /account": asked(Role.READER, 303, locale="en", notify="none"),
    "POST /account/sessions": asked(Role.READER, 303),
    f"GET {_ONE}": asked(Role.READER, 404),
    f"GET {_ONE}/cv": asked(Role.READER, 404),
    f"GET {_ONE}/erase": asked(Role.RECRUITER, 404),
    f"POST {_ONE}/erase": asked(Role.RECRUITER, 404),
    f"POST {_ONE}/notes": asked(Role.RECRUITER, 404, note="Written by somebody else."),
    f"POST {_ONE}/notes/delete": asked(Role.RECRUITER, 404, note="1"),
    f"POST {_ONE}/rating": asked(Role.RECRUITER, 404, rating="5"),
    f"POST {_ONE}/stage": asked(Role.RECRUITER, 404, stage="offer", seen="new"),
    "GET /colleagues": asked(Role.OWNER, 200),
    "POST /colleagues": asked(Role.OWNER, 303, 422, email=READER, role="reader"),
    "POST /colleagues/<any(role, remove):change>": asked(Role.OWNER, 409, email=OWNER, role="reader"),
    "GET /jobs": asked(Role.READER, 200),
    "GET /jobs/new": asked(Role.RECRUITER, 200),
    f"GET /jobs{_JOB}": asked(Role.READER, 303, 404),  # a reader is redirected to the preview, which does not exist
    f"GET /jobs{_JOB}/preview": asked(Role.READER, 404),
    f"POST /jobs{_JOB}": asked(Role.RECRUITER, 404, 409, title="Mine", **VERSION),
    f"POST /jobs{_JOB}/<any(publish, pause, close, duplicate, discard):name>": asked(Role.RECRUITER, 404, **VERSION),
    f"GET {_LIST}/applications": asked(Role.READER, 404),
    f"POST {_LIST}/applications": asked(Role.READER, 404, name="a"),
    f"POST {_LIST}/applications/seen": asked(Role.RECRUITER, 303, 404, until="1900000000000000"),
    f"POST {_LIST}/applications/stage": asked(
        Role.RECRUITER, 404, 409, to="{application_id}", seen="{application_id}:new", stage="offer"
    ),
    f"POST {_LIST}/export.<any(csv, json):form>": asked(Role.RECRUITER, 404),
    "GET /log": asked(Role.OWNER, 200),
    "GET /places": asked(Role.RECRUITER, 200),
    f"POST {_LIST}/replies/<batch>/undo": asked(Role.RECRUITER, 303, 404),
    "GET /reply": asked(Role.RECRUITER, 404, to="{application_id}"),
    "POST /reply": asked(Role.RECRUITER, 404, to="{application_id}", subject="x", body="y", then="send"),
    "GET /requests": asked(Role.RECRUITER, 200),
    "POST /requests/<reference>": asked(Role.RECRUITER, 303, 404),
    "GET /settings": asked(Role.OWNER, 200),
    "POST /settings": asked(Role.OWNER, 303, sender="", retention_days="100"),
    "GET /words/<any(received, invitation, rejection):kind>": asked(Role.READER, 200, locale="en"),
    "POST /words/<any(received, invitation, rejection):kind>": asked(
        Role.RECRUITER, 303, locale="en", subject="x", body="y"
    ),
    "POST /sign-out": asked(Role.READER, 303),  # the last, because it ends the session
}
BY_EVERYBODY = {"code_requests", "mailbox_events", "outbox"}
"""Tables that the sign-in pages fill, whoever asks for a code."""


@dataclass
class Stranger:
    """Who sends a request, at which company's URLs. role: None without a valid session there."""

    name: str
    browser: HiringBrowser
    role: Role | None
    token: str
    is_there: bool = False
    """Whether it is one of Acme's own colleagues at Acme, to whom most is shown."""


@dataclass
class Companies:
    site: HiringSite
    ids: dict[str, list[str]]
    strangers: list[Stranger]

    @property
    def acme(self) -> int:
        return self.site.company.id

    def stored(self, *, of_acme: bool = False) -> dict[str, list[object]]:
        """Return the rows of every table; of_acme: those of Acme's alone."""
        portal = self.site.services.portal
        assert portal
        with portal.database.read() as connection:
            found: dict[str, list[object]] = {"requests": list(connection.execute(sa.select(owed_requests)))}
        with self.site.office.database.read() as connection:
            for name in sorted(set(sa.inspect(connection).get_table_names()) - BY_EVERYBODY):
                rows = connection.execute(sa.text(f'SELECT * FROM "{name}"')).mappings()  # noqa: S608  a table name
                found[name] = [dict(one) for one in rows if not of_acme or self._is_acmes(dict(one))]
        return found

    def _is_acmes(self, row: dict[str, object]) -> bool:
        return row.get("tenant_id") == self.acme or "acme" in (row.get("tenant"), row.get("slug"))


def fill_acme(site: HiringSite) -> dict[str, list[str]]:
    """Create one of everything for Acme; return the ids by the names of route parameters."""
    recruiter = site.signed_in(RECRUITER)
    job = site.office.add_vacancy(name="Falconer")
    who = {"lastName": "Quill", "firstName": "Philippa"}
    ids = [apply(site, job, cv=CV, key=f"cv-{one}", email=f"{one}quill@people.example", **who) for one in ("", "m")]
    recruiter.get(f"/applications/{ids[0]}")
    recruiter.post(f"/applications/{ids[0]}/notes", note="Confidential")
    recruiter.post(f"/applications/{ids[0]}/rating", rating="4")
    recruiter.get("/words/rejection")
    seen = hidden(recruiter.page, "seen")
    recruiter.post("/words/rejection", locale="en", subject="Confidential", body="Confidential", seen=seen)
    fields = {"kind": "rejection", "locale": "en", "subject": "Confidential", "body": "Confidential", "then": "send"}
    recruiter.client.post("/acme/hiring/reply", data={"token": recruiter.token, "to": ids} | fields)
    recruiter.get(f"/jobs/{job}/applications")
    batch = re.findall(r"/replies/([0-9a-f]+)/undo", recruiter.page)
    written = draft(recruiter, title="Zeppelin").removeprefix("/jobs/")
    assert site.services.portal
    seal, now = Seal(PORTAL_SECRET), site.office.clock.now()
    row = {"reference": REFERENCE, "tenant": "acme", "kind": "erase", "locale": "en", "asked_at": now}
    row |= {"address": address_hash(seal, "acme", "x"), "sealed_address": seal.seal("quill@people.example")}
    with site.services.portal.database.write() as connection:
        connection.execute(owed_requests.insert().values(row | {"due_at": now + timedelta(30)}))
    return {
        "job_id": [job, written],
        "vacancy_id": [job],
        "application_id": ids[:1],
        "batch": batch,
        "reference": [REFERENCE],
        "version": [hidden(recruiter.page, "version")],
    }


def everybody_else(site: HiringSite) -> Iterator[Stranger]:
    """Sign in everyone with a session, and remove those who are to be removed."""
    site.office.neighbour()
    for slug, role in product(("globex", "acme"), Role):
        email = f"{role.value}@{slug}.example"
        if slug == "globex":
            site.add(email, role, slug)
        browser = site.signed_in(email, slug)
        browser.get("/account")
        if slug == "globex" or role is not Role.OWNER:
            yield Stranger(f"{slug}'s {role.value}", browser, role, browser.token, is_there=slug == "acme")
    impostor = site.signed_in("owner@globex.example", "globex")
    impostor.get("/account")
    impostor.client.cookies.set("hiring-acme", impostor.client.cookies["hiring-globex"])
    impostor.slug = "acme"
    yield Stranger("Globex's owner at Acme", impostor, None, impostor.token)
    for slug in ("acme", "globex"):
        site.add(f"late@{slug}.example", Role.OWNER, slug)
        late, owner = site.signed_in(f"late@{slug}.example", slug), site.signed_in(f"owner@{slug}.example", slug)
        token = late.get("/account") and late.token
        owner.get("/colleagues")
        owner.post("/colleagues/remove", email=f"late@{slug}.example")
        yield Stranger(f"who was removed from {slug}", late, None, token)
        nobody = site.browser(slug)
        nobody.get()
        yield Stranger(f"nobody at {slug}", nobody, None, nobody.token)


@pytest.fixture
def companies(tmp_path: Path, clock: ToldClock) -> Iterator[Companies]:
    of_portal = {"portal_database": sqlite_copy(tmp_path / "portal.db", PORTAL), "portal_secret": PORTAL_SECRET}
    with opened_hiring(sqlite_copy(tmp_path / "tracker.db", TRACKER), clock, tmp_path, **of_portal) as site:
        assert site.services.store
        site.services.store.put("globex/cv", io.BytesIO(b"x"), size=1, media_type="a/b", filename="x")
        yield Companies(site, fill_acme(site), list(everybody_else(site)))


def rules(site: HiringSite) -> dict[str, Rule]:
    """Return the routes of the application that is served, as ROUTES names them."""
    found = {}
    for rule in create_hiring(site.services).url_map.iter_rules():
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            found[f"{method} {rule.rule.removeprefix('/<slug>/hiring')}"] = rule
    return found


def requests_of(name: str, ids: dict[str, list[str]]) -> Iterator[tuple[str, dict[str, str]]]:
    """Return a route's addresses after /hiring with Acme's ids, and what is posted there."""
    path = name.partition(" ")[2]
    places = re.findall(r"<(?:any\((.*?)\):)?(\w+)>", path)
    for values in product(*(among.split(", ") if among else ids[one] for among, one in places)):
        address = path
        for value in values:
            address = re.sub(r"<[^>]+>", value, address, count=1)
        first = {one: known[0] for one, known in ids.items()}
        fields = {key: value.format(**first) for key, value in ROUTES[name].fields.items()}
        yield address, fields


def is_allowed(stranger: Stranger, route: Asked) -> bool:
    return route.least is None or (stranger.role is not None and stranger.role.includes(route.least))


def expected(stranger: Stranger, route: Asked) -> frozenset[int]:
    if is_allowed(stranger, route):
        return route.answers
    texts = [route.fields.get(name, "") for name in ("subject", "body", "note")]
    has_text = any(text and not text.isdecimal() for text in texts)  # which is shown to the person who entered it
    return frozenset({403 if stranger.role or has_text else 303})


def ask(companies: Companies, stranger: Stranger, name: str) -> Iterator[str]:
    """Send a route's requests; count them by the problem of each: "" if there is none."""
    method, browser, route = name.partition(" ")[0], stranger.browser, ROUTES[name]
    start = f"/{browser.slug}/hiring"
    if route.least is None:
        browser.get("/code")  # contains the token of the sign-in pages
    token = {"token": browser.token if route.least is None else stranger.token}
    for address, fields in requests_of(name, companies.ids):
        if name in ("POST /settings", "POST /words/<any(received, invitation, rejection):kind>"):
            browser.get(f"{address}?locale=en")  # contains hidden fields that are posted with it
            fields |= {one: hidden(browser.page, one) for one in ("version", "seen") if f'name="{one}"' in browser.page}
        form = {"data": fields | token} if method == "POST" else {"params": fields}
        answer = browser.client.request(method, start + address, **form)  # type: ignore[arg-type]  types of httpx
        said = f"{answer.text} {answer.headers}"
        wrong = [f"shows {one}" for one in SECRETS if one in said]
        if answer.status_code not in expected(stranger, route):
            wrong.append(f"is answered with {answer.status_code}")
        if not is_allowed(stranger, route) and answer.headers.get("Location", start) != start:
            wrong.append(f"leads to {answer.headers['Location']}")
        yield "".join(f"{stranger.name}: {method} {start}{address} {one}\n" for one in wrong)


def test_every_route_is_listed(hiring: HiringSite):
    assert set(rules(hiring)) - {"GET /static/<path:filename>"} == set(ROUTES)


def test_the_owning_company_gets_its_pages(companies: Companies):
    owner, said = companies.site.signed_in(), ""
    for name in (one for one in ROUTES if one.startswith("GET")):
        for address, fields in requests_of(name, companies.ids):
            answer = owner.client.get(f"/acme/hiring{address}", params=fields)
            assert answer.status_code == (303 if name == "GET " else 200), name
            said += answer.text
    assert [one for one in SECRETS if one not in said] == []


def test_nobody_reads_or_changes_data_of_another_company(companies: Companies):
    sent, wrong = 0, []
    for stranger in companies.strangers:
        refused = [name for name, route in ROUTES.items() if not is_allowed(stranger, route)]
        before = companies.stored()
        answers = [each for name in refused for each in ask(companies, stranger, name)]
        if companies.stored() != before:
            wrong.append(f"{stranger.name} changed something with what was refused\n")
        if not stranger.is_there:
            acmes = companies.stored(of_acme=True)
            answers += [each for name in ROUTES if name not in refused for each in ask(companies, stranger, name)]
            if companies.stored(of_acme=True) != acmes:
                wrong.append(f"{stranger.name} changed something of Acme's\n")
        sent += len(answers)
        wrong += answers
    assert "".join(wrong) == ""
    assert sent > 350


def test_routes_accept_no_other_methods(hiring: HiringSite):
    owner, answers = hiring.signed_in().client, set()
    for rule in rules(hiring).values():
        path = rule.rule.replace("<slug>", "acme")
        address = re.sub(r"<(?:any\((\w+).*?)?[^>]*>", lambda found: found[1] or "x", path)
        answers |= {owner.request(method, address).status_code for method in ("PUT", "PATCH", "DELETE")}
    assert answers == {405}
