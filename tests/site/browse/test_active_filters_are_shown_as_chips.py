"""Each filter in use has a chip with the jobs' spelling; unknown values have none."""

import html5lib
import pytest

from tests.site.browse.jobs import Careers, vacancy


@pytest.fixture
def jobs(acme: Careers) -> Careers:
    acme.publish(
        vacancy("v1", "Welder", city="Köln"),
        vacancy("v2", "Baker", city="Koln", type="partTime"),
        vacancy("v3", "Pilot", city="Berlin"),
    )
    return acme


def chips(careers: Careers, address: str) -> dict[str, str]:
    """Return the text and the address of each chip."""
    page = html5lib.parse(careers.get(address).text, namespaceHTMLElements=False)
    found = [link for link in page.iter("a") if "chip" in link.get("class", "").split()]
    return {" ".join("".join(link.itertext()).split()): link.attrib["href"].removesuffix("#results") for link in found}


def count(careers: Careers, address: str) -> str:
    page = html5lib.parse(careers.get(address).text, namespaceHTMLElements=False)
    return next(" ".join("".join(e.itertext()).split()) for e in page.iter("h2") if e.get("id") == "count")


@pytest.mark.parametrize(
    "query", ["?city=Atlantis", "?country=FR", "?employmentType=internship", "?locationType=remote", "?city="]
)
def test_a_filter_without_effect_has_no_chip(jobs: Careers, query: str):
    assert chips(jobs, f"/acme/{query}") == {}
    assert count(jobs, f"/acme/{query}") == count(jobs, "/acme/") == "3 open jobs"


def test_a_chip_has_the_spelling_of_the_jobs(jobs: Careers):
    found = chips(jobs, "/acme/?city=BERLIN&city=Atlantis")
    assert found == {"Remove filter: Berlin": "/acme/", "Clear all": "/acme/"}


def test_removing_one_filter_keeps_the_others(jobs: Careers):
    found = chips(jobs, "/acme/?city=berlin&employmentType=fullTime&employmentType=internship")
    assert found["Remove filter: Berlin"] == "/acme/?employmentType=fullTime"
    assert found["Remove filter: Full-time"] == "/acme/?city=Berlin"


def test_spellings_of_one_value_are_removed_together(jobs: Careers):
    found = chips(jobs, "/acme/?city=koln")
    assert found.keys() == {"Remove filter: Cologne", "Clear all"}
    assert count(jobs, "/acme/?city=koln") == "2 jobs found"
    assert set(found.values()) == {"/acme/"}


def test_a_filter_that_leaves_no_job_can_be_removed(jobs: Careers):
    found = chips(jobs, "/acme/?q=welder&city=berlin")
    assert found["Remove filter: Berlin"] == "/acme/?q=welder"


def test_links_to_further_pages_contain_the_active_filters(acme: Careers):
    acme.publish(*(vacancy(f"v{n}", f"Welder {n}", city="Berlin") for n in range(25)))
    page = acme.get("/acme/?city=BERLIN&city=Atlantis").text
    assert 'href="/acme/?city=Berlin&amp;after=' in page
