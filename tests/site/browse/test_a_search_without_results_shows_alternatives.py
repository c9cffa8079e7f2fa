"""An empty list shows the search, and alternatives with their numbers of jobs."""

import re
from html import unescape

import html5lib
import pytest

from tests.site.browse.jobs import Careers, vacancy


@pytest.fixture
def jobs(acme: Careers) -> Careers:
    acme.publish(
        vacancy("a", "Welder", department="Building"),
        vacancy("b", "Welder at home", city="Hamburg", way="remote"),
        vacancy("c", "Baker", city="Potsdam", type="partTime"),
        vacancy("d", "Baker", city="Wien", country="AT"),
    )
    return acme


def alternatives(careers: Careers, address: str) -> dict[str, str]:
    page = html5lib.parse(careers.get(address).text, namespaceHTMLElements=False)
    (found,) = (each for each in page.iter("ul") if each.get("class") == "ways-out")
    return {" ".join("".join(link.itertext()).split()): link.attrib["href"] for link in found.iter("a")}


def searched(careers: Careers, address: str) -> list[str]:
    (found,) = re.findall(r'<ul class="sought".*?</ul>', careers.get(address).text, re.DOTALL)
    return [unescape(each) for each in re.findall("<li>(.*?)</li>", found)]


def test_the_search_is_shown_in_words(jobs: Careers):
    address = "/acme/?q=pilot+%26+more&near=Berlin&within=25&employmentType=partTime&facet-department=Building"
    assert searched(jobs, address) == ["“pilot & more”", "within 25 km of Berlin", "Building", "Part-time"]


def test_the_missing_results_are_reported_once(jobs: Careers):
    page = jobs.get("/acme/?q=pilot&near=Potsdam&within=25").text
    assert re.search(r'id="count"[^>]*>\s*No jobs match your search\s*<', page)
    assert page.count("No jobs match your search") == 1
    assert "0 jobs" not in page


def test_each_alternative_finds_the_number_of_jobs_that_it_shows(jobs: Careers):
    found = alternatives(jobs, "/acme/?q=welder&near=Wien&employmentType=fullTime")
    assert list(found) == [
        "2 jobs in all locations",
        "1 remote job",
        "1 job if you remove “welder”",
        "See all 4 open jobs",
    ]
    for said, address in found.items():
        count = re.search(r"\d+", said)
        assert count
        assert re.search(rf'id="count"[^>]*>\s*{count[0]} (open )?jobs?( found)?\s*<', jobs.get(address).text), said


def test_the_closest_alternative_is_first(jobs: Careers):
    found = alternatives(jobs, "/acme/?q=welder&locationType=onsite&near=Potsdam&within=10")
    assert next(iter(found)) == "1 job within 100 km of Potsdam"
    assert (
        found["1 job within 100 km of Potsdam"] == "/acme/?q=welder&locationType=onsite&near=Potsdam&within=100#results"
    )


def test_unknown_words_lead_to_searches_without_them(jobs: Careers):
    found = alternatives(jobs, "/acme/?q=astronaut&city=Berlin")
    assert list(found) == ["1 job if you remove “astronaut”", "See all 4 open jobs"]


def test_an_unknown_location_is_reported_and_ignored(jobs: Careers):
    page = jobs.get("/acme/?q=baker&near=Xyzzyville").text
    assert "The location “Xyzzyville” was not recognised, so jobs in all locations are shown." in page
    assert re.search(r'id="count"[^>]*>\s*2 jobs found', page)


def test_alternatives_have_fewer_filters(jobs: Careers):
    found = alternatives(jobs, "/acme/?q=baker&facet-department=Building")
    assert "2 jobs with fewer filters" in found


def test_a_company_without_jobs_shows_no_alternatives(acme: Careers):
    page = acme.get("/acme/?q=welder").text
    assert "ways-out" not in page
    assert "No open jobs right now" in page


def test_a_list_with_results_shows_no_alternatives(jobs: Careers):
    assert "ways-out" not in jobs.get("/acme/?q=welder").text
