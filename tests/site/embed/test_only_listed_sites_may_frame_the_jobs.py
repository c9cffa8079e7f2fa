"""Which pages can be framed, by which sites, and what other sites get instead."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.site.browse.jobs import Careers, careers, vacancy

LISTED = "https://www.acme.example"
IN_A_FRAME = {"Sec-Fetch-Dest": "iframe", "Referer": f"{LISTED}/jobs"}
BASE = "http://127.0.0.1:8000"


def with_jobs(acme: Careers) -> Careers:
    acme.give_host()
    acme.publish(vacancy("j1", "Welder"), vacancy("j2", "Painter", stage="Closed"))
    return acme


@pytest.fixture(scope="module")
def open_jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Careers]:
    """An open job and a closed one, which no test changes."""
    made = with_jobs(careers(tmp_path_factory.mktemp("jobs")))
    yield made
    made.portal.parts.close()


def ancestors(answer) -> str:
    return re.search(r"frame-ancestors ([^;]*)", answer.headers["Content-Security-Policy"])[1]


@pytest.mark.parametrize("path", ["", "/", "?job=j1", "/jobs/j1", "/jobs/j1/apply", "/?q=welder&lang=de"])
def test_a_listed_site_may_frame_the_jobs_without_header_and_footer(open_jobs: Careers, path: str):
    answer = open_jobs.get(f"/acme/embed{path}", **IN_A_FRAME)
    assert answer.status_code == 200
    assert ancestors(answer) == LISTED
    assert "X-Frame-Options" not in answer.headers
    assert "Set-Cookie" not in answer.headers
    assert "site-header" not in answer.text
    assert "site-footer" not in answer.text
    assert "About Acme" not in answer.text
    links = set(re.findall(r'(?:href|action)="(/acme[^"]*)"', answer.text))
    assert links
    assert all(link.startswith("/acme/embed") for link in links)
    assert (
        'href="http://careers.acme.example:8000/profile' in answer.text
    )  # self-service is outside, and leaves the frame


def test_a_framed_page_has_the_full_page_as_its_canonical_address(open_jobs: Careers):
    page = open_jobs.get("/acme/embed/jobs/j1", **IN_A_FRAME).text
    assert '<link rel="canonical" href="http://careers.acme.example:8000/jobs/j1">' in page
    assert '<meta name="robots" content="noindex, indexifembedded">' in page


@pytest.mark.parametrize("path", ["/acme/embed", "/acme/embed/jobs/j1", "/acme/embed/jobs/j1/apply"])
@pytest.mark.parametrize("dest", ["iframe", "frame", "embed", "object"])
def test_another_site_gets_a_page_that_says_what_to_ask_for(open_jobs: Careers, path: str, dest: str):
    open_jobs.get(path, **IN_A_FRAME)  # so that a cached page exists that could be sent by mistake
    answer = open_jobs.get(path, **{"Sec-Fetch-Dest": dest, "Referer": "https://evil.example/x?y"})
    assert answer.status_code == 403
    assert ancestors(answer) == "*"
    assert "X-Frame-Options" not in answer.headers
    assert answer.headers["Cache-Control"] == "no-store"
    assert "https://evil.example is not one of the sites allowed to show these jobs." in answer.text
    assert "Welder" not in answer.text
    assert "<form" not in answer.text


@pytest.mark.parametrize(
    "referer", ["", "about:blank", f"{BASE}/acme/embed", LISTED, "HTTPS://WWW.ACME.EXAMPLE/", "http://[broken"]
)
def test_without_a_referrer_the_browser_enforces_the_policy(open_jobs: Careers, referer: str):
    answer = open_jobs.get("/acme/embed", **{"Sec-Fetch-Dest": "iframe", "Referer": referer})
    assert answer.status_code == 200
    assert ancestors(answer) == LISTED


@pytest.mark.parametrize(
    "referer",
    [
        "https://www.acme.example.evil.example",
        "https://acme.example",
        "http://www.acme.example",
        "https://www.acme.example:8443",
        "https://127.0.0.1.evil.example:8000",
        "https://user@www.acme.example",
    ],
)
def test_a_site_that_resembles_a_listed_one_is_not_listed(open_jobs: Careers, referer: str):
    assert open_jobs.get("/acme/embed", **{"Sec-Fetch-Dest": "iframe", "Referer": referer}).status_code == 403


def test_an_unknown_company_is_named(open_jobs: Careers):
    answer = open_jobs.get("/acmee/embed", **IN_A_FRAME)
    assert answer.status_code == 404
    assert ancestors(answer) == "*"
    assert "There is no careers site called “acmee” here." in answer.text


def test_a_strangers_parameters_are_text_and_never_markup(open_jobs: Careers):
    told = open_jobs.get("/x%3Cb%3E/embed", **{"Sec-Fetch-Dest": "iframe", "Referer": "https://a<script>.example"}).text
    assert "<b>" not in told
    assert "<script>." not in told


@pytest.mark.parametrize("path", ["/acme/embed/profile", "/acme/embed/profile/edit", "/acme/embed/theme.css"])
def test_no_other_page_can_be_framed(open_jobs: Careers, path: str):
    answer = open_jobs.get(path, **IN_A_FRAME)
    assert answer.status_code == 404
    assert answer.headers["X-Frame-Options"] == "DENY"


def test_in_its_own_tab_the_frame_links_to_the_full_page(open_jobs: Careers):
    answer = open_jobs.get("/acme/embed/jobs/j1", **{"Sec-Fetch-Dest": "document"})
    assert (answer.status_code, answer.headers["Location"]) == (301, "http://careers.acme.example:8000/jobs/j1")
    assert "site-header" not in open_jobs.get("/acme/embed/jobs/j1", **IN_A_FRAME).text


@pytest.mark.parametrize(("job", "status"), [("j2", 404), ("nosuch", 404)])
@pytest.mark.parametrize("path", ["/acme/embed?job={}", "/acme/embed/jobs/{}"])
def test_an_unknown_job_shows_the_list_with_a_message(open_jobs: Careers, path: str, job: str, status: int):
    answer = open_jobs.get(path.format(job), **IN_A_FRAME)
    assert answer.status_code == status
    assert ancestors(answer) == LISTED
    assert "The job you were looking for is no longer open" in answer.text
    assert "Welder" in answer.text


def test_a_closed_job_shows_the_list_with_a_message(tmp_path: Path):
    made = with_jobs(careers(tmp_path))
    made.publish(vacancy("j1", "Welder", stage="Closed"), vacancy("j3", "Turner"))
    answer = made.get("/acme/embed?job=j1", **IN_A_FRAME)
    assert answer.status_code == 410
    assert "no longer open" in answer.text
    assert "Turner" in answer.text


def test_on_a_companys_own_host_the_loader_finds_the_same(open_jobs: Careers):
    for path in ("/acme/embed", "/acme/embed/jobs/j1", "/embed/jobs/j1", "/acme/jobs.json", "/embed.js"):
        answer = open_jobs.get(f"http://careers.acme.example{path}", **IN_A_FRAME)
        assert answer.status_code == 200, path
    style = re.search(r'href="(/acme/embed/style.css[^"]*)"', open_jobs.get("/acme/embed").text)[1]
    assert open_jobs.get(f"http://careers.acme.example{style}").headers["Content-Type"].startswith("text/css")


def test_the_loader_is_small_and_cached_for_an_hour(open_jobs: Careers):
    answer = open_jobs.get("/embed.js", **{"Accept-Encoding": "gzip"})
    sent = len(gzip.compress(answer.content, 9, mtime=0))
    assert answer.headers["Content-Encoding"] == "gzip"
    assert int(answer.headers["Content-Length"]) == sent
    assert sent <= 4_096
    assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert answer.headers["Cache-Control"] == "public, max-age=3600, stale-while-revalidate=86400"
    assert answer.headers["Content-Type"].startswith("text/javascript")
    again = open_jobs.get("/embed.js", **{"Accept-Encoding": "gzip", "If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert not re.search(r"\b(eval|innerHTML|document\.write|insertAdjacentHTML|Function)\b", answer.text)


def test_styles_of_a_frame_are_one_file_that_is_cached_for_ever(open_jobs: Careers):
    page = open_jobs.get("/acme/embed").text
    address = re.search(r'href="(/acme/embed/style.css[^"]*)"', page)[1]
    assert "css/site.css" not in page
    answer = open_jobs.get(address)
    assert "immutable" in answer.headers["Cache-Control"]
    for words in ("--accent-fill:#0b5fff", ".search-field", ".frame-footer"):
        assert words in answer.text
    assert "immutable" not in open_jobs.get("/acme/embed/style.css?v=other").headers["Cache-Control"]
