"""A visitor who reads a site in German gets German pages and emails after every link, form and redirect."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.site.account.candidate import ADA, Visitor, code_in, mailbox, open_acme, text
from tests.site.apply.applicant import ADA as TYPED
from tests.site.apply.applicant import CV, Page

FILE = """
[publish]
stages = ["Open"]
[site]
locales = ["en", "de"]
timezone = "Europe/Berlin"
[site.text.de]
consent = "Ich stimme zu."
[site.text.de.stages]
"Applied" = "Eingegangen"
[apply]
phone_region = "DE"
consent = "I agree."
[profile]
show_status = true
[profile.stages]
"Applied" = "Received"
"""


@pytest.fixture
def ada(tmp_path: Path) -> Iterator[Visitor]:
    portal = open_acme(tmp_path / "portal", file=FILE)
    yield Visitor(portal)
    portal.parts.database.close()


def leads_elsewhere(page: Page) -> list[str]:
    """Return links and forms of the site that lose the language, except for the language switch."""
    links = [
        address
        for element in page.root.iter()
        # A switch chooses one, and a search form has it as a field.
        if not (element.get("hreflang") or element.tag == "link" or element.get("role"))
        for address in (element.get("href"), element.get("action"))
    ]
    return [link for link in links if link and link.startswith("/acme") and "lang=de" not in link]


def test_every_page_and_email_of_an_application_is_in_that_language(ada: Visitor):
    form_at = "/jobs/job-1/apply?lang=de"
    for path in (
        "/?lang=de",
        "/?q=nichts&lang=de",
        "/jobs/job-1?lang=de",
        "/nothing?lang=de",
        form_at,
        "/profile?lang=de",
    ):
        page = ada.get(path)
        assert leads_elsewhere(page) == [], path
        assert '<html lang="de"' in page.text
    assert '<input type="hidden" name="lang" value="de">' in ada.get("/?lang=de").text

    files = {name: (None, value) for name, value in {**ada.get(form_at).hidden, **TYPED, "consent": "yes"}.items()}
    sent = ada.client.post(ada.at(form_at), files={**files, "cv": CV})
    assert sent.status_code == 303, sent.text
    assert sent.headers["Location"].endswith("?lang=de")
    receipt = Page(ada.client.get(sent.headers["Location"]))
    assert leads_elsewhere(receipt) == []

    ada.portal.work.deliver_what_is_due()
    letter = mailbox(ada.portal)[-1]
    assert "Ihre Bewerbung" in text(letter)
    assert "Mitteleuropäische" in text(letter)
    assert "?lang=de" in text(letter)


def test_the_stored_consent_is_in_the_language_in_which_it_was_read(ada: Visitor):
    form_at = "/jobs/job-1/apply?lang=de"
    page = ada.get(form_at)
    assert "Ich stimme zu." in page.text
    files = {name: (None, value) for name, value in {**page.hidden, **TYPED, "consent": "yes"}.items()}
    ada.client.post(ada.at(form_at), files={**files, "cv": CV})
    ada.sign_in()
    data = ada.get("/profile/data?lang=de").text
    assert "Ich stimme zu." in data
    assert "I agree." not in data


def test_every_page_and_email_of_self_service_is_in_that_language(ada: Visitor):
    answer = ada.post("/profile?lang=de", email=ADA)
    assert answer.headers["Location"].endswith("lang=de")
    ada.portal.work.deliver_what_is_due()
    letter = mailbox(ada.portal)[-1]
    assert "Geben Sie diesen Code" in text(letter)
    entered = ada.post("/profile/code?lang=de", code=code_in(letter))
    assert entered.status_code == 303
    assert re.search(r"[?&]lang=de", entered.headers["Location"])
    for path in ("/profile/edit", "/profile/applications", "/profile/data", "/profile/erase"):
        page = ada.get(f"{path}?lang=de")
        assert leads_elsewhere(page) == [], path
        assert '<html lang="de"' in page.text
