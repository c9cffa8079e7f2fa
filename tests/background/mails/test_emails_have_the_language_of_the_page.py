"""An email has the language of the application's page, its text direction, and dates in the company's time zone."""

import pytest

from portal.background.mails.render import Renderer
from portal.tenants.model import ApplySettings
from tests.background.mails.post import ROOT

FACTS = {"title": "Welder", "reference": "ABCD-EFGH", "when": "12. Juli 2026, 16:32"}


class Company:
    name = "Acme"
    apply = ApplySettings()


class Site:
    def receipt(self, reference: str) -> str:
        return f"https://careers.example/acme/applications/{reference}?lang=de"


def email(locale: str):
    renderer = Renderer(ROOT / "templates", ROOT / "portal" / "translations")
    return renderer.render("receipt", locale, {**FACTS, "tenant": Company(), "site": Site(), "again": False})


@pytest.mark.parametrize(
    ("locale", "words", "head"),
    [
        ("de", "Bewerbung", '<html lang="de" dir="ltr">'),
        ("de-AT", "Bewerbung", '<html lang="de-AT" dir="ltr">'),
        ("ar", "طلب", '<html lang="ar" dir="rtl">'),
        ("en", "application", '<html lang="en" dir="ltr">'),
    ],
)
def test_an_email_is_in_the_language_of_its_application(locale: str, words: str, head: str):
    said = email(locale)
    assert words in said.subject + said.text
    assert words in said.html
    assert head in said.html
    assert "Welder" in said.text
