"""No route shows any of the markers in unpublished fields of a company's vacancies."""

import json
import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import httpx
import pytest
from werkzeug.routing import Rule

from portal.demo.folder import store_pictures
from portal.tenants.pictures import stored_pictures
from portal.tenants.pictures.stored_pictures import ShownPicture
from tests import builders
from tests.jobs.canaries import CANARY, full_of_canaries
from tests.site.account.candidate import ADA, Visitor, candidate
from tests.site.apply.applicant import Applicant

SHOWS = """
[publish]
stages = ["Open"]
posting_id = "attribute:posting"
show_salary = true
show_client = true
[site]
locales = ["en", "de"]
[push]
index_now = "a-key-for-tests"
"""
HIDES = """
[publish]
stages = ["Open"]
[site]
locales = ["en", "de"]
logo = "https://www.globex.example/logo.svg"
[apply]
phone_region = "DE"
[profile]
show_status = true
"""
SALARY = {"currency": "EUR", "min": 771_234, "max": 881_234}
SEARCHES = [
    "",
    "?q=nurse",
    "?q=initech",
    "?q=nusre&sort=date",
    "?near=Berlin&within=25&employmentType=fullTime&locationType=onsite",
    "?lang=de",
]
ACCEPTED = ["text/html", "application/json"]
STATIC = "css/site.css"
CONFIRMED = "/<slug>/applications/<reference>/confirm"
"""Opens to who has the key of a letter alone, and says the job's title: see tests/apply."""
ALERTS = {"/<slug>/alerts/<alert>", "/<slug>/alerts/<alert>/end"}
"""Open to who has the key of an alert's letters alone, and say what they subscribed to: see tests/alerts."""
UNDO = "/<slug>/profile/undo"
"""Opens to who has the key of a letter alone: see tests/profile."""
PART = "/<slug>/sitemap-<number>.xml"
"""There are parts from 50,000 addresses on: see tests/reach."""
REFUSED = "/<slug>/embed/refused"
"""Says to a site that is not listed what to ask for, and is silent of jobs: see tests/embed."""
HOST = "/.well-known/portal-host"
"""Says nothing but whether a host is somebody's: see tests/web."""


@dataclass
class Companies:
    """Two companies at the real service, each with an open and a closed job; `ada` is signed in."""

    portal: builders.Portal
    ada: Visitor
    references: list[str] = field(default_factory=list)

    def values(self, name: str) -> list[str]:
        """Return values for parameters of routes."""
        known = {
            "slug": ["acme", "globex"],
            "posting_id": ["POST-1", "POST-2", "v1", "v2", "never-was"],
            "reference": self.references,
            "filename": [STATIC],
            "key": ["a-key-for-tests"],
            "number": ["1"],
            "alert": ["0" * 32],
            "digest": [found.digest for found in self.logos()],
        }
        if name not in known:
            pytest.fail(f"a route has <{name}>: say here what to put in its place", pytrace=False)
        return known[name]

    def logos(self) -> Iterable[ShownPicture]:
        """Return the URLs of the logos on their pages."""
        return stored_pictures.shown(self.portal.parts.database, self.portal.parts.tenants.require("globex")).values()

    def addresses(self, rule: Rule) -> Iterator[str]:
        """Return every address of a route."""
        names = sorted(rule.arguments)
        for chosen in product(*map(self.values, names)):
            path = rule.rule
            for name, value in zip(names, chosen, strict=True):
                path = re.sub(rf"<(\w+:)?{name}>", value, path)
            yield path


@pytest.fixture
def companies(tmp_path: Path) -> Iterator[Companies]:
    made = builders.portal(tmp_path / "portal", security_contact="mailto:security@careers.example")
    made.add_tenant("acme", "Acme", SHOWS)
    made.add_tenant("globex", "Globex", HIDES)
    secret = {"client": CANARY, "salary": SALARY}
    for slug, hidden in (("acme", {}), ("globex", secret)):
        records = [full_of_canaries(f"v{n}", f"POST-{n}", **hidden) for n in (1, 2)]
        made.service.load(slug, [json.dumps({"kind": "vacancy", "record": record}) for record in records])
    made.service.load("globex", [candidate()])
    made.work.mirror_what_is_due()
    made.work.index_what_is_due()
    store_pictures(made.parts.database, made.parts.tenants.all(), made.parts.clock)
    here = Companies(made, Visitor(made, "globex"))
    with made.browser() as browser:
        for job in ("v1", "v2"):
            receipt = Applicant(browser, f"/globex/jobs/{job}/apply").receipt(email=ADA)
            here.references.append(receipt.rpartition("/")[2])
    made.work.deliver_what_is_due()
    for slug in ("acme", "globex"):
        closed = full_of_canaries("v2", "POST-2", stage="Filled", **(secret if slug == "globex" else {}))
        made.service.load(slug, [json.dumps({"kind": "vacancy", "record": closed})])
    made.parts.clock.pass_time(120)
    made.work.mirror_what_is_due()
    here.ada.sign_in()
    changed = here.ada.post("/profile/edit", here.ada.form().press(firstName="Augusta").page)
    here.references.append(changed.headers["location"].rpartition("/")[2])
    yield here
    made.parts.database.close()


def has_no_marker(answer: httpx.Response) -> None:
    said = answer.text + repr(answer.headers)
    where = f"{answer.request.method} {answer.request.url}"
    assert CANARY not in said, where
    if "/globex" in answer.request.url.path:
        assert not re.search(r"[78]71.?234|[78]81.?234", said), where


def test_no_marker_is_on_any_page(companies: Companies, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    met: dict[str, set[int]] = {}
    for rule in companies.portal.app.url_map.iter_rules():
        for address, accepted in product(companies.addresses(rule), ACCEPTED):
            for method in sorted({"GET", "HEAD"} & (rule.methods or set())):
                for search in SEARCHES if method == "GET" else [""]:
                    answer = companies.ada.client.request(method, address + search, headers={"Accept": accepted})
                    met.setdefault(rule.rule, set()).add(answer.status_code)
                    has_no_marker(answer)
    # A page that only says "not found" contains no marker in any case.
    never = [
        rule
        for rule, statuses in met.items()
        if min(statuses) >= 400 and rule not in {CONFIRMED, UNDO, PART, REFUSED, HOST} | ALERTS
    ]
    assert not never
    assert met["/<slug>/jobs/<posting_id>"] == {200, 404, 410}

    for rule in companies.portal.app.url_map.iter_rules():
        if "POST" in (rule.methods or set()):
            for address in companies.addresses(rule):
                has_no_marker(companies.ada.client.post(address, files={"x": (None, "1")}))
    assert CANARY not in caplog.text
    for path in companies.portal.folder.glob("mail/*"):
        assert CANARY not in path.read_text(encoding="utf-8")


def test_published_data_is_shown(companies: Companies):
    """Otherwise the absence of markers would prove nothing."""
    with companies.portal.browser() as browser:
        shown, hidden = (browser.get(path).text for path in ("/acme/jobs/POST-1", "/globex/jobs/v1"))
        closed = browser.get("/acme/jobs/POST-2")
    assert "Night nurse" in shown
    assert "Initech" in shown
    assert "40,000" in shown
    assert "Night nurse" in hidden
    assert closed.status_code == 410
    assert "/acme/jobs/POST-1" in closed.text


def test_no_marker_can_be_searched_for(companies: Companies):
    with companies.portal.browser() as browser:
        for slug in ("acme", "globex"):
            assert 'class="cards"' in browser.get(f"/{slug}/?q=nurse").text
            assert 'class="cards"' not in browser.get(f"/{slug}/?q={CANARY}").text
