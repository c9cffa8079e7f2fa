"""Every error is a page in the company's design that says what to do, without internal details."""

import pytest

from portal.tenants.languages import COMPLETE


@pytest.mark.parametrize("status", [400, 403, 404, 409, 410, 413, 415, 500, 503])
def test_each_status_has_its_page(site, status):
    answer = site.get(f"/acme/fails/{status}")
    assert answer.status_code == status
    assert "Acme Robotics" in answer.text
    assert 'href="/acme/"' in answer.text
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_status_without_its_own_page_has_a_generic_one(site):
    answer = site.get("/acme/fails/418")
    assert answer.status_code == 418
    assert "This request could not be read" in answer.text


def test_too_many_requests_says_when_to_continue(site):
    answer = site.get("/acme/fails/429")
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "17")


def test_an_unavailable_part_is_503_with_a_retry_after(site, caplog):
    answer = site.get("/acme/fails/store")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30")
    assert "This page is temporarily unavailable" in answer.text
    assert "bucket" not in answer.text
    assert "the bucket is away" in caplog.text


def test_an_error_is_logged_and_not_shown(site, caplog):
    answer = site.get("/acme/fails/portal")
    assert answer.status_code == 500
    assert "for operators" not in answer.text
    assert "for operators" in caplog.text


def test_a_bug_is_logged_by_its_location_because_its_message_may_be_personal(site, caplog):
    answer = site.get("/acme/fails/bug")
    assert answer.status_code == 500
    assert "jane@people.example" not in answer.text + caplog.text
    assert "ZeroDivisionError at" in caplog.text


def test_method_not_allowed_names_the_allowed_methods(site):
    answer = site.get("/acme/", method="POST")
    assert answer.status_code == 405
    assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}


def test_not_found_offers_the_companys_jobs(site):
    page = site.get("/acme/no/such/page").text
    assert 'action="/acme/"' in page
    assert 'name="q"' in page


def test_not_found_without_a_company_is_a_plain_page(site):
    answer = site.get("/no/such/page/at/all")
    assert answer.status_code == 404
    assert 'href="/"' in answer.text


@pytest.mark.parametrize(
    "path",
    ["/acme/" + "x" * 16_000, "/" + "x" * 16_000, "/acme/" + "%e4%bb%80" * 5_000],
    ids=["path", "slug", "escaped"],
)
def test_an_excessively_long_address_gets_a_page_of_ordinary_size(site, path):
    """The page links to itself in each language of the company."""
    site.tenant("acme", more=f"[site]\nlocales = {list(COMPLETE)}\n")
    answer = site.get(path)
    size = len(answer.data) + len(str(answer.headers))
    assert size < 32_000


def test_an_address_of_the_maximum_length_is_looked_up(site):
    assert site.get("/acme/jobs/" + "x" * 100).status_code == 200
    assert site.get("/acme/?q=" + "x" * 16_000).status_code == 200
