"""A job's page: everything about it, nothing else, and the way to apply."""

import pytest

from tests.site.browse.jobs import careers, vacancy

PASTED = """<h1 style="color:red">Your tasks</h1><ul><li>Weld<ul><li>steel</li></ul></li></ul>
<table><tr><td onclick="x()">Shift</td></tr></table><img src="//tracker.example/p.gif"><a href="javascript:x()">x</a>
<o:p></o:p><p class="MsoNormal">Text</p>"""


def test_the_page_shows_the_facts_and_the_apply_button(acme):
    acme.publish(vacancy("w1", "Welder", PASTED, end="2026-09-30T00:00:00Z", client="Lindenquell"))
    page = acme.get("/acme/jobs/w1").text
    for words in ("Welder", "Berlin, Germany", "Full-time", "On-site", "Lindenquell", "29 September 2026", "steel"):
        assert words in page
    assert 'href="/acme/jobs/w1/apply"' in page


def test_pasted_html_is_sanitised(acme):
    acme.publish(vacancy("w1", "Welder", PASTED))
    prose = acme.get("/acme/jobs/w1").text.split('class="prose"')[1].split('class="job-end"')[0]
    for bad in ("style=", "onclick", "javascript", "<img", "MsoNormal", "o:p", "<h1"):
        assert bad not in prose
    assert 'role="region" tabindex="0"' in prose


def test_salary_and_client_are_shown_only_if_the_company_shows_them(tmp_path):
    quiet = careers(tmp_path, salary=False, client=False)
    quiet.publish(vacancy("w1", "Welder", client="Lindenquell", salary={"currency": "EUR", "min": 51111, "max": None}))
    for path in ("/acme/jobs/w1", "/acme/"):
        assert "Lindenquell" not in quiet.get(path).text
        assert "51,111" not in quiet.get(path).text


def test_a_job_that_was_never_public_is_404(acme):
    assert acme.get("/acme/jobs/nosuch").status_code == 404


def test_a_job_that_is_no_longer_public_is_410_with_similar_jobs(acme):
    acme.publish(vacancy("w1", "Welder"), vacancy("w2", "Senior welder"), *[vacancy(f"x{n}", "Cook") for n in range(8)])
    assert acme.get("/acme/jobs/w1").status_code == 200
    acme.publish(vacancy("w1", "Welder", stage="Filled"))
    answer = acme.get("/acme/jobs/w1")
    assert answer.status_code == 410
    assert "This job is closed" in answer.text
    assert 'href="/acme/jobs/w2"' in answer.text


@pytest.mark.parametrize("path", ["/acme/", "/acme/jobs/w1"])
def test_a_page_is_cached_until_the_jobs_change(acme, path):
    acme.publish(vacancy("w1", "Welder"))
    first = acme.get(path)
    assert acme.get(path, **{"If-None-Match": first.headers["ETag"]}).status_code == 304
    acme.publish(vacancy("w1", "Master welder"))
    assert "Master welder" in acme.get(path, **{"If-None-Match": first.headers["ETag"]}).text


def test_a_job_opens_and_closes_automatically(acme):
    acme.publish(vacancy("w1", "Welder", start="2026-06-02T13:00:00Z", end="2026-06-02T14:00:00Z"))
    assert acme.get("/acme/jobs/w1").status_code == 404
    seconds_to_start = 13 * 3600 - (
        acme.clock.now().hour * 3600 + acme.clock.now().minute * 60 + acme.clock.now().second
    )
    acme.clock.pass_time(seconds_to_start + 0.001)
    assert acme.get("/acme/jobs/w1").status_code == 200
    assert "Welder" in acme.get("/acme/").text
    acme.clock.pass_time(3600)
    assert acme.get("/acme/jobs/w1").status_code == 410
    assert "Welder" not in acme.get("/acme/").text


def test_the_page_can_be_framed_by_the_company_and_sets_no_cookie(acme):
    acme.publish(vacancy("w1", "Welder"))
    answer = acme.get("/acme/jobs/w1")
    assert "frame-ancestors https://www.acme.example" in answer.headers["Content-Security-Policy"]
    assert "Set-Cookie" not in answer.headers
    assert answer.headers["Vary"] == "Accept-Encoding"


def test_on_the_companys_own_host_links_have_no_slug(acme):
    acme.publish(vacancy("w1", "Welder"))
    assert 'href="/acme/jobs/w1/apply"' in acme.get("/acme/jobs/w1").text
    assert 'href="/acme/jobs/w1"' in acme.get("/acme/").text
    acme.give_host()
    page = acme.get("/jobs/w1", Host="careers.acme.example").text
    assert 'href="/jobs/w1/apply"' in page
    assert 'href="/acme/' not in page
    assert 'href="/jobs/w1"' in acme.get("/", Host="careers.acme.example").text
