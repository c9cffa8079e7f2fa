"""Every response has the headers of its kind: no inline code, frames of listed sites only, correct caching."""

import pytest

from tests.site.small_site import Site

EMBED = 'site = {logo = "https://cdn.acme.example/logo.svg"}\nembed = {origins = ["https://www.acme.example"]}'


def policy(answer) -> dict[str, str]:
    parts = answer.headers["Content-Security-Policy"].split("; ")
    return {name: value for name, _, value in (part.partition(" ") for part in parts)}


@pytest.mark.parametrize("path", ["/acme/", "/acme/nothing", "/acme/jobs/1", "/acme/theme.css", "/static/css/site.css"])
def test_every_response_has_the_security_headers(site, path):
    answer = site.get(path)
    assert policy(answer)["default-src"] == "'none'"
    assert policy(answer)["base-uri"] == "'none'"
    assert policy(answer)["form-action"] == "'self'"
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "camera=()" in answer.headers["Permissions-Policy"]
    assert "Set-Cookie" not in answer.headers
    assert answer.headers.get("Vary", "Accept-Encoding") == "Accept-Encoding"


def test_only_marked_pages_may_be_framed_and_only_by_the_company(site):
    site.tenant("acme", more=EMBED)
    framed = site.get("/acme/jobs/1")
    assert policy(framed)["frame-ancestors"] == "https://www.acme.example"
    assert "X-Frame-Options" not in framed.headers
    for path in ("/acme/", "/acme/profile/edit", "/acme/nothing"):
        assert policy(site.get(path))["frame-ancestors"] == "'none'"
        assert site.get(path).headers["X-Frame-Options"] == "DENY"


def test_a_company_without_embedding_sites_cannot_be_framed(site):
    assert policy(site.get("/acme/jobs/1"))["frame-ancestors"] == "'none'"


def test_pictures_are_loaded_only_from_the_portal(site):
    assert policy(site.get("/acme/"))["img-src"] == "'self'"
    site.tenant("acme", more=EMBED)
    for path in ("/acme/", "/acme/jobs/1", "/acme/profile/edit"):
        assert policy(site.get(path))["img-src"] == "'self'"
        assert "cdn.acme.example" not in str(site.get(path).headers)


def test_public_pages_are_cached_briefly_and_revalidated(site):
    first = site.get("/acme/")
    assert first.headers["Cache-Control"].startswith("public, max-age=")
    again = site.get("/acme/", If_None_Match=first.headers["ETag"])
    assert (again.status_code, again.data) == (304, b"")


def test_forms_and_their_responses_are_not_cached(site):
    assert site.get("/acme/jobs/1/apply").headers["Cache-Control"] == "private, no-cache"
    assert site.get("/acme/jobs/1/apply", method="POST").headers["Cache-Control"] == "no-store"


def test_a_candidates_own_page_is_not_cached(site):
    assert site.get("/acme/profile/edit").headers["Cache-Control"] == "no-store"


def test_https_is_enforced_if_the_portal_uses_https(site, tmp_path):
    assert "Strict-Transport-Security" not in site.get("/acme/").headers
    secure = Site(tmp_path, base_url="https://careers.example")
    assert "max-age=" in secure.get("/acme/").headers["Strict-Transport-Security"]


def test_versioned_stylesheets_are_cached_for_ever(site):
    page = site.get("/nosuch/nothing").text
    address = next(line.split('"')[3] for line in page.splitlines() if "site.css" in line)
    assert "immutable" in site.get(address).headers["Cache-Control"]
    assert "immutable" not in site.get("/static/css/site.css").headers["Cache-Control"]
    assert site.get("/static/../wsgi.py").status_code == 404
    assert site.get("/static/%2e%2e/wsgi.py").status_code == 404
