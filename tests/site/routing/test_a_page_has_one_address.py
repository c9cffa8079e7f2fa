"""Whoever opens a list or job page at another address of it is redirected to the company's first host."""

import re

import pytest

from tests.site.browse.jobs import Careers, careers, vacancy

MAIN, SECOND = "careers.acme.example", "jobs.acme.example"
ORIGIN = f"http://{MAIN}:8000"


@pytest.fixture
def acme(tmp_path) -> Careers:
    made = careers(tmp_path)
    made.give_host(MAIN, SECOND)
    made.publish(vacancy("w1", "Welder"), vacancy("w2", "Cook"))
    made.publish(vacancy("w1", "Welder"), vacancy("w2", "Cook", stage="Filled"))
    return made


def asked(acme: Careers, path: str, *, method: str = "GET", **headers: str):
    with acme.portal.browser(**headers) as browser:
        return browser.request(method, path)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    ("host", "path", "target"),
    [
        (None, "/acme", "/"),
        (None, "/acme/", "/"),
        (None, "/acme/?q=a%26b&lang=de&utm_source=x", "/?q=a%26b&lang=de&utm_source=x"),
        (None, "/acme/jobs/w1?lang=de", "/jobs/w1?lang=de"),
        (SECOND, "/", "/"),
        (SECOND, "/jobs/w1", "/jobs/w1"),
    ],
)
def test_another_address_of_a_page_redirects_to_the_first_host(acme, method, host, path, target):
    answer = asked(acme, path, method=method, **({"Host": host} if host else {}))
    assert (answer.status_code, answer.headers["Location"]) == (301, f"{ORIGIN}{target}")
    assert answer.headers["Cache-Control"] == "public, max-age=0, must-revalidate"


@pytest.mark.parametrize("path", ["/", "/jobs/w1"])
def test_the_first_host_has_the_page_itself(acme, path):
    assert asked(acme, path, Host=MAIN).status_code == 200


def test_a_closed_job_is_reported_where_its_page_was(acme):
    moved = asked(acme, "/acme/jobs/w2")
    assert moved.status_code == 301
    assert asked(acme, moved.headers["Location"].removeprefix(ORIGIN), Host=MAIN).status_code == 410


@pytest.mark.parametrize(
    "path",
    ["/embed", "/embed/jobs/w1", "/embed?job=w1", "/jobs/w1/apply", "/profile", "/jobs.json", "/feed.atom",
     "/feed.json", "/sitemap.xml", "/share.png"],
)  # fmt: skip
def test_frames_forms_and_data_respond_on_every_host(acme, path):
    in_frame = {"Sec-Fetch-Dest": "iframe", "Referer": "https://www.acme.example/"}
    assert asked(acme, f"/acme{path}", **in_frame).status_code == 200
    own_path = f"/acme{path}" if path.startswith(("/embed", "/jobs.json")) else path
    assert asked(acme, own_path, Host=SECOND, **in_frame).status_code == 200


def test_apis_with_a_slug_respond_on_every_host(acme):
    for path in ("/v1/boards/acme/jobs", "/v0/postings/acme"):
        assert asked(acme, path).status_code == 200
        assert asked(acme, path, Host=SECOND).status_code == 200


def test_a_post_to_a_page_is_not_redirected(acme):
    assert asked(acme, "/acme/", method="POST").status_code == 405


def test_a_company_without_a_host_keeps_its_slug(tmp_path):
    acme = careers(tmp_path)
    acme.publish(vacancy("w1", "Welder"))
    assert acme.get("/acme/jobs/w1").status_code == 200


def test_a_search_form_on_the_portals_host_may_be_redirected_to_the_first_host(acme):
    def form_action(answer) -> str:
        return re.search(r"form-action ([^;]*)", answer.headers["Content-Security-Policy"])[1]

    missing = asked(acme, "/acme/jobs/unknown/apply")
    assert missing.status_code == 404
    assert 'action="/acme/"' in missing.text
    assert form_action(missing) == f"'self' {ORIGIN}"
    assert form_action(asked(acme, "/", Host=MAIN)) == "'self'"
