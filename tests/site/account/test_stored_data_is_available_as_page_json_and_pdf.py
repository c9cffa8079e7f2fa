"""My data is available as a page, JSON and PDF to a signed-in candidate with a fresh code."""

import io
from pathlib import Path

import pytest
from pypdf import PdfReader

from portal.site.account import data_pdf
from portal.site.account.data_sections import DataEntry, DataSection
from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor
from tests.site.account.test_a_candidate_changes_her_profile import confirm
from tests.site.account.test_a_candidate_follows_and_withdraws_applications import apply

WORDS = {"title": "My data", "lead": "Held.", "none": "None", "cut": "Not everything fits.", "lang": "en"}


def words(pdf: bytes) -> str:
    return " ".join(" ".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages).split())


def test_the_page_uses_plain_names(acme: Portal, ada: Visitor):
    apply(acme)
    ada.sign_in()
    confirm(ada, ada.form().press(firstName="Augusta"))
    page = ada.get("/profile/data")
    assert "First name Augusta" in page.words
    assert "firstName" not in page.text
    assert page.words.count("Time zone:") == 1


def test_the_pdf_contains_the_same_as_the_page(acme: Portal, ada: Visitor):
    reference = apply(acme)
    ada.sign_in()
    answer = ada.client.get("/acme/profile/data.pdf")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["content-disposition"] == 'attachment; filename="acme-my-data.pdf"'
    assert "no-store" in answer.headers["cache-control"]
    said = words(answer.content)
    for one in (ADA, reference, "Lovelace", "Welder", "Codes and sessions"):
        assert one in said


@pytest.mark.parametrize("name", ["data.pdf", "data.json"])
def test_a_file_requires_a_recent_code(acme: Portal, ada: Visitor, name: str):
    assert ada.client.get(f"/acme/profile/{name}").status_code == 303
    ada.sign_in()
    assert ada.client.get(f"/acme/profile/{name}").status_code == 200
    acme.parts.clock.pass_time(3_600)
    answer = ada.client.get(f"/acme/profile/{name}")
    assert answer.status_code == 303
    assert ADA not in answer.text


@pytest.mark.parametrize(
    ("lang", "direction", "typed"),
    [
        ("ar", "rtl", "القاهرة"),
        ("pl", "ltr", "Zażółć gęślą jaźń"),
        ("en", "ltr", '#read("OFL.txt") *b* $x$ // [] @a <b>'),
    ],
)
def test_the_pdf_supports_every_language_and_interprets_no_markup(lang: str, direction: str, typed: str):
    found = (DataSection("About", (DataEntry(typed, (("City", typed),)),)),)
    pdf = data_pdf.render(found, **{**WORDS, "lang": lang}, direction=direction)
    reader = PdfReader(io.BytesIO(pdf))
    assert reader.trailer["/Root"]["/Lang"] == lang
    assert reader.trailer["/Root"]["/MarkInfo"]["/Marked"]
    if direction == "ltr":
        assert words(pdf).count(typed) == 2
    assert {str(font) for page in reader.pages for font in page["/Resources"]["/Font"]}
    assert "SIL OPEN FONT" not in words(pdf)


def test_a_long_pdf_is_cut_and_says_so():
    facts = tuple((f"Label {n}", "word " * 2_000) for n in range(40))
    pdf = data_pdf.render((DataSection("A", (DataEntry("", facts),)),), **WORDS, direction="ltr")
    assert len(pdf) < 1_000_000
    assert words(pdf).endswith("Not everything fits. " + words(pdf).rsplit("fits. ", 1)[1])
    short = data_pdf.render((DataSection("A", (DataEntry("", facts[:1]),)),), **WORDS, direction="ltr")
    assert "Not everything" not in words(short)


def test_the_font_of_the_pdf_is_in_the_product():
    folder = Path(data_pdf.__file__).parent / "fonts"
    assert {one.name for one in folder.iterdir()} == {"OFL.txt", "paper.ttf"}
