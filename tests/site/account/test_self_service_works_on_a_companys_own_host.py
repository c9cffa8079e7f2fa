"""On a company's own host all pages from list to record work without the slug, and no link contains it."""

import re
from pathlib import Path
from xml.etree.ElementTree import Element

import httpx
import pytest

from tests.builders import Portal
from tests.site.account.candidate import ADA, code_in, mailbox, open_acme
from tests.site.account.conftest import FILE
from tests.site.apply.applicant import Applicant, Page

OWN = "https://careers.acme.example"


@pytest.fixture
def acme(tmp_path: Path):
    file = f'[site]\nhosts = ["careers.acme.example"]\nlocales = ["en", "de"]\n{FILE}'
    made = open_acme(tmp_path / "portal", file=file, base_url="https://portal.example")
    yield made
    made.parts.database.close()


@pytest.fixture
def own(acme: Portal):
    with httpx.Client(transport=httpx.WSGITransport(acme.app), base_url=OWN) as client:
        yield client


def links(page: Page) -> list[str]:
    def of(element: Element) -> list[str]:
        return [element.attrib[name] for name in ("href", "src", "action") if element.get(name)]

    return [link for element in page.root.iter() for link in of(element)]


def looked_at(answer: httpx.Response) -> Page:
    page = Page(answer)
    for link in links(page):
        assert not re.search(r"/acme(/|$|\?)", link), link
        assert "portal.example" not in link
    for name in ("location", "link", "content-location", "refresh"):
        assert "/acme" not in answer.headers.get(name, "")
    return page


@pytest.mark.parametrize(
    "path", ["/", "/?q=welder", "/?lang=de", "/jobs/job-1", "/jobs/job-1/apply", "/profile", "/no"]
)
def test_no_link_contains_the_slug_and_each_leads_to_a_page(own: httpx.Client, path: str):
    page = looked_at(own.get(path))
    inside = {link for link in links(page) if link.startswith(("/", "?")) and not link.startswith("//")}
    assert inside
    for link in inside:
        assert own.get(link, follow_redirects=True).status_code in {200, 404 if path == "/no" else 200}, link


@pytest.mark.parametrize("path", ["/", "/jobs/job-1"])
def test_the_canonical_address_is_on_the_own_host(own: httpx.Client, path: str):
    assert f'<link rel="canonical" href="{OWN}{path}">' in own.get(path).text


def test_an_application_and_its_receipt_work(acme: Portal, own: httpx.Client):
    receipt = Applicant(own, "/jobs/job-1/apply").receipt(email=ADA)
    assert receipt.removeprefix(OWN).startswith("/applications/")
    looked_at(own.get(receipt))
    assert not own.cookies
    acme.work.deliver_what_is_due()
    (letter,) = [one for one in mailbox(acme) if one["To"] == ADA]
    assert f"{OWN}/applications/" in letter.as_string()


def test_sign_in_stays_on_the_host_and_so_do_its_cookies(acme: Portal, own: httpx.Client):
    page = looked_at(own.get("/profile"))
    asked = own.post("/profile", files={k: (None, v) for k, v in {**page.hidden, "email": ADA}.items()})
    assert asked.headers["location"].removeprefix(OWN).startswith("/profile/code")
    acme.work.deliver_what_is_due()
    code = code_in(next(one for one in reversed(mailbox(acme)) if one["To"] == ADA))
    form = looked_at(own.get(asked.headers["location"]))
    done = own.post("/profile/code", files={k: (None, v) for k, v in {**form.hidden, "code": code}.items()})
    assert done.status_code == 303
    for cookie in asked.headers.get_list("set-cookie") + done.headers.get_list("set-cookie"):
        assert cookie.startswith("__Host-")
        assert "Path=/;" in cookie + ";"
        assert "domain" not in cookie.lower()
    record = own.get(done.headers["location"])
    assert record.status_code == 200
    looked_at(record)
    with acme.browser() as portal:
        assert portal.get("/acme/profile/edit").status_code != 200


@pytest.mark.parametrize("host", ["CAREERS.acme.example", "careers.acme.example.", "careers.acme.example:443"])
def test_the_host_is_recognised_in_any_spelling(own: httpx.Client, host: str):
    assert looked_at(own.get("/", headers={"host": host})).status == 200


@pytest.mark.parametrize("host", ["careers.acme.example..", "x.careers.acme.example", "careers.acme.example@evil"])
def test_an_unknown_host_is_rejected(own: httpx.Client, host: str):
    assert own.get("/", headers={"host": host}).status_code == 400
