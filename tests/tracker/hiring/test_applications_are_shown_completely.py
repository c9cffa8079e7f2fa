"""Colleagues see everything that an applicant submitted, always as text."""

import re

import pytest

from tests.tracker.hiring.applicants import apply, as_read
from tests.tracker.hiring.site import READER, HiringSite

SCRIPT = "<script>alert(1)</script>"


def test_all_submitted_details_are_shown(hiring_on_both: HiringSite):
    job = hiring_on_both.office.add_vacancy()
    application = apply(hiring_on_both, job, networkUrl="https://people.example/ada?a=1&b=2")
    reader = hiring_on_both.signed_in(READER)
    assert reader.get(f"/applications/{application}").status_code == 200
    for words in ("Ada Okafor", "ada@people.example", "+4915112345678", "Leipzig", "Welder", "New"):
        assert words in reader.words
    assert 'href="https://people.example/ada?a=1&amp;b=2"' in reader.page


def test_earlier_applications_of_a_person_are_shown(hiring: HiringSite):
    first, second = (hiring.office.add_vacancy(name=name) for name in ("Welder", "Plumber"))
    earlier, application = apply(hiring, first), apply(hiring, second, key="cv-2")
    apply(hiring, first, cv=None, email="bob@people.example", firstName="Bob")
    reader = hiring.signed_in(READER)
    reader.get(f"/applications/{application}")
    others = reader.page.partition('id="others"')[2]
    assert (f"/applications/{earlier}" in others, "Welder" in others, others.count("<li>")) == (True, True, 1)


def test_pages_and_urls_contain_no_candidate_ids_or_storage_keys(hiring: HiringSite):
    job = hiring.office.add_vacancy()
    application = apply(hiring, job, key="key-of-the-cv")
    candidate = as_read(hiring.office, application)["candidate"]["id"]
    reader = hiring.signed_in(READER)
    for path in (f"/jobs/{job}/applications", f"/applications/{application}"):
        reader.get(path)
        assert candidate not in reader.page
        assert "key-of-the-cv" not in reader.page
    cv = reader.get(f"/applications/{application}/cv")
    assert "key-of-the-cv" not in str(cv.headers)


@pytest.mark.parametrize(
    "hostile",
    [SCRIPT, '" onmouseover="alert(1)', "'><img src=x onerror=alert(1)>", "{{ 7*7 }}", "</title><script>x</script>"],
)
@pytest.mark.parametrize("field", ["firstName", "lastName"])
def test_markup_in_a_name_is_shown_as_text(hiring: HiringSite, field: str, hostile: str):
    job = hiring.office.add_vacancy()
    application = apply(hiring, job, **{field: hostile})
    reader = hiring.signed_in(READER)
    for path in (f"/jobs/{job}/applications", f"/applications/{application}"):
        reader.get(path)
        assert hostile not in reader.page or hostile.startswith("{{")
        assert hostile in reader.words


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "https://bank.example@evil.example/",
        "//evil.example",
        "http://[",
    ],
)
def test_a_link_that_is_not_a_web_address_is_shown_as_text(hiring: HiringSite, link: str):
    job = hiring.office.add_vacancy()
    record = {"id": "c9", "socialMedia": {"socialMedia": [{"url": link}]}}
    hiring.office.load(
        ("candidate", record), ("application", {"id": "a9", "candidate": {"id": "c9"}, "vacancy": {"id": job}})
    )
    reader = hiring.signed_in(READER)
    assert reader.get("/applications/a9").status_code == 200
    assert link in reader.words
    assert [href for href in re.findall(r'href="([^"]*)"', reader.page) if not href.startswith(("/", "#"))] == []


def test_an_empty_loaded_application_is_shown(hiring_on_both: HiringSite):
    hiring = hiring_on_both
    job = hiring.office.add_vacancy()
    hiring.office.load(
        ("application", {"id": "a b/1", "vacancy": {"id": job}}),
        ("application", {"id": "a2", "vacancy": {"id": job}, "candidate": {"firstName": "Eve", "lastName": "Copy"}}),
    )
    reader = hiring.signed_in(READER)
    assert reader.get(f"/jobs/{job}/applications").status_code == 200
    assert "Eve Copy" in reader.words
    assert "No name" in reader.words
    reader.get("/applications/a2")
    assert "There is no CV." in reader.words
