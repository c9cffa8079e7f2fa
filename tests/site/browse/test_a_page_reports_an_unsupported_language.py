"""A page in an unsupported language says so, and is otherwise the page in the default language."""

import pytest

from tests.site.browse.jobs import Careers, vacancy

SAID = "This site is not available in the language you asked for. This page is in English."


@pytest.fixture
def open_jobs(acme: Careers) -> Careers:
    acme.publish(
        vacancy("j1", "Welder", "<p>We look for somebody who welds with us in our workshop.</p>"),
        vacancy("j2", "Schweißer", "<p>Wir suchen dich für unsere Werkstatt.</p>"),
    )
    return acme


@pytest.mark.parametrize("path", ["/acme/", "/acme/jobs/j1", "/acme/nothing", "/acme/jobs/j1/apply", "/acme/profile"])
@pytest.mark.parametrize("tag", ["sv", "pt-BR", "xx-nonsense", "%3Cscript%3E"])
def test_the_message_is_in_the_default_language_and_the_language_is_ignored(open_jobs: Careers, path: str, tag: str):
    page = open_jobs.get(f"{path}?lang={tag}").text
    assert SAID in page
    assert '<html lang="en"' in page
    assert "script>" not in page.partition("page-notice")[2].partition("</div>")[0]
    assert f"lang={tag}" not in page


@pytest.mark.parametrize(
    "path", ["/acme/", "/acme/?lang=", "/acme/?lang=de", "/acme/?lang=de-CH", "/acme/embed?lang=sv"]
)
def test_there_is_no_message_for_a_supported_language_or_none(open_jobs: Careers, path: str):
    assert "page-notice" not in open_jobs.get(path).text


def test_the_page_without_the_message_is_cached_separately(open_jobs: Careers):
    for _ in range(2):
        assert SAID in open_jobs.get("/acme/jobs/j1?lang=sv").text
        assert SAID not in open_jobs.get("/acme/jobs/j1").text


def test_all_unsupported_languages_share_one_cached_page(open_jobs: Careers):
    """Anybody can invent languages; they must not each take space in the cache."""
    tags = [open_jobs.get(f"/acme/?lang={tag}").headers["ETag"] for tag in ("sv", "fi", "tlh")]
    assert len(set(tags)) == 1


def test_a_job_shows_the_language_of_its_description(open_jobs: Careers):
    english = open_jobs.get("/acme/jobs/j2").text
    assert "This job description is in German." in english
    assert '<h1 lang="de" dir="ltr">' in english
    german = open_jobs.get("/acme/jobs/j2?lang=de").text
    assert "job-language" not in german
    assert "Diese Stelle ist auf Englisch beschrieben." in open_jobs.get("/acme/jobs/j1?lang=de").text


def test_the_language_switch_in_the_header_leads_to_the_same_page(open_jobs: Careers):
    page = open_jobs.get("/acme/?employmentType=fullTime&lang=de").text
    header = page.partition("</header>")[0]
    assert 'href="/acme/?employmentType=fullTime" hreflang="en" lang="en">English</a>' in header
    assert "hreflang" not in page.partition("<footer")[2]


def test_a_page_contains_the_offers_of_other_languages_in_those_languages(open_jobs: Careers):
    page = open_jobs.get("/acme/").text
    assert '<p lang="de" dir="ltr" hidden>' in page
    assert "Diese Seite gibt es auch auf Deutsch." in page
    assert "This page is also available" not in page
    assert "data-language-offer" not in open_jobs.get("/acme/embed").text
