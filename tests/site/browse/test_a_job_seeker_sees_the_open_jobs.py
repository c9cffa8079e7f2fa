"""The list shows the open jobs, in cards with the main facts, and works without scripts."""

import re

import pytest

from tests.site.browse.jobs import Careers, vacancy


def test_an_open_job_is_listed_with_its_main_facts(acme):
    acme.publish(
        vacancy("w1", "Welder", type="partTime", way="hybrid", salary={"currency": "EUR", "min": 50000, "max": 60000})
    )
    page = acme.get("/acme/").text
    assert re.search(r">\s*1 open job\s*<", page)
    for words in ("Welder", "Berlin, Germany", "Hybrid", "Part-time", "€50,000 – €60,000", "4 May 2026"):
        assert words in page
    assert 'href="/acme/jobs/w1"' in page


def test_a_job_in_an_unpublished_stage_is_not_listed(acme):
    acme.publish(vacancy("w1", "Welder", stage="Draft"))
    assert "Welder" not in acme.get("/acme/").text
    assert acme.get("/acme/jobs/w1").status_code == 404


def test_a_company_without_jobs_has_a_page_without_a_search(acme):
    page = acme.get("/acme/").text
    assert "No open jobs right now" in page
    assert 'role="search"' not in page
    assert "We build robots." in page


def test_a_search_without_results_suggests_how_to_continue(acme):
    acme.publish(vacancy("w1", "Welder"))
    page = acme.get("/acme/?q=astronaut").text
    assert "No jobs match your search" in page
    assert 'value="astronaut"' in page
    assert "noindex" in page


def test_an_unknown_location_is_reported(acme):
    acme.publish(vacancy("w1", "Welder"))
    assert "The location “Zzyzzyx-on-Sea” was not recognised" in acme.get("/acme/?near=Zzyzzyx-on-Sea&within=25").text


def test_jobs_near_a_location_are_found(acme):
    acme.publish(vacancy("w1", "Welder", city="Potsdam"), vacancy("p1", "Painter", city="München"))
    page = acme.get("/acme/?near=Berlin&within=50").text
    assert "Welder" in page
    assert "Painter" not in page


def test_matching_words_are_marked_in_the_title(acme):
    acme.publish(vacancy("w1", "Senior welder"))
    page = acme.get("/acme/?q=welder").text
    assert "Senior <mark>welder</mark>" in page
    assert re.search(r">\s*1 job found\s*<", page)


def test_filters_narrow_the_list_and_can_be_removed(acme):
    acme.publish(
        vacancy("w1", "Welder"),
        vacancy("p1", "Painter", city="Wien", country="AT"),
        vacancy("i1", "Intern", type="internship"),
    )
    page = acme.get("/acme/?employmentType=fullTime&city=Wien").text
    assert "Vienna, Austria" in page, "the card names the city as the filter does"
    assert "Painter" in page
    assert "Welder" not in page
    assert 'value="fullTime" checked' in page
    assert 'href="/acme/?city=Wien#results"' in page
    assert 'href="/acme/?employmentType=fullTime#results"' in page


def test_invalid_values_are_ignored(acme):
    acme.publish(vacancy("w1", "Welder"))
    plain = acme.get("/acme/")
    assert acme.get("/acme/?within=3&after=!!&utm_source=x").content == plain.content


@pytest.mark.parametrize(
    "query",
    ["employmentType=moon", "city=moon", "locationType=moon", "country=moon", "facet-department=moon", "team=moon"],
)
def test_an_unknown_value_is_reported_and_ignored(acme: Careers, query: str):
    acme.publish(vacancy("w1", "Welder"))
    page = acme.get(f"/acme/?{query}").text
    assert "Welder" in page
    assert "No job here matches “moon”, so this filter was ignored." in page
    assert "No job here matches" not in acme.get("/acme/").text


def test_each_job_of_a_long_list_is_on_one_of_its_pages(acme):
    acme.publish(*[vacancy(f"j{n:02}", f"Job {n:02}") for n in range(45)])
    path: str | None = "/acme/"
    seen: list[str] = []
    while path:
        page = acme.get(path).text
        seen += [part.split('"')[0] for part in page.split('href="/acme/jobs/')[1:]]
        link = page.split('rel="next" href="')[1].split('"')[0] if 'rel="next"' in page else None
        path = link.replace("&amp;", "&").removesuffix("#results") if link else None
    assert sorted(seen) == [f"j{n:02}" for n in range(45)]


def test_text_in_a_title_is_never_markup(acme):
    acme.publish(vacancy("x1", "<script>alert(1)</script> & more", "<p>a</p><script>alert(2)</script>"))
    for path in ("/acme/", "/acme/jobs/x1", "/acme/?q=alert"):
        assert "<script>alert" not in acme.get(path).text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in acme.get("/acme/jobs/x1").text


def test_links_keep_the_language_of_the_address(acme):
    acme.publish(vacancy("w1", "Welder"))
    page = acme.get("/acme/?lang=de").text
    assert 'href="/acme/jobs/w1?lang=de"' in page
    assert "Berlin, Deutschland" in page
    assert '<link rel="canonical" href="http://127.0.0.1:8000/acme/?lang=de">' in page


def test_the_list_without_its_final_slash_redirects_to_the_list(acme):
    answer = acme.get("/acme?q=a%20b&lang=de&utm=1")
    assert (answer.status_code, answer.headers["Location"]) == (308, "/acme/?q=a+b&lang=de")
