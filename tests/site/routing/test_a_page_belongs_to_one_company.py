"""The tenant is taken from the address; malformed ids are rejected before any lookup."""

import pytest


def test_the_view_gets_the_tenant(site):
    assert site.get("/acme/").text == "jobs of Acme Robotics"


def test_an_unknown_company_is_404(site):
    answer = site.get("/nosuch/")
    assert answer.status_code == 404
    assert "There is nothing at this address" in answer.text


def test_a_new_company_is_served_without_a_restart(site):
    site.tenant("globex", "Globex Talent")
    assert site.get("/globex/").text == "jobs of Globex Talent"


def test_a_company_with_an_invalid_file_is_503_without_details_and_affects_no_other(site):
    site.broken_tenant("wrong")
    answer = site.get("/wrong/")
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "30"
    assert "down for maintenance" in answer.text
    assert "TOML" not in answer.text
    assert site.get("/acme/").status_code == 200


@pytest.mark.parametrize(
    "segment", ["a.b", "a b", "a%00", "é", "x" * 101, "%2e%2e", "a;b", "a'b", "%F0%9F%98%80", "a\u202eb"]
)
def test_a_malformed_id_is_404_without_any_lookup(site, segment):
    assert site.get(f"/acme/jobs/{segment}").status_code == 404
    assert site.get(f"/{segment}/").status_code == 404
    assert site.made == []


def test_an_id_of_a_hundred_characters_is_looked_up(site):
    assert site.get("/acme/jobs/" + "x" * 100).status_code == 200
