"""Only scripts of the tenant's listed sites can read the JSON data, also from the cache."""

import pytest

from tests.site.browse.jobs import vacancy

LISTED, OTHER = "https://www.acme.example", "https://elsewhere.example"
ADDRESSES = ["/acme/jobs.json", "/acme/jobs/j1.json", "/acme/jobs.json?q=robot", "/acme/jobs/nope.json"]


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("order", [(LISTED, OTHER, None), (None, OTHER, LISTED), (OTHER, LISTED, None)])
def test_each_origin_gets_its_own_header_also_from_the_cache(acme, address, order):
    acme.publish(vacancy("j1", "Robot engineer"))
    for origin in (*order, *order):
        answer = acme.get(address, **({"Origin": origin} if origin else {}))
        assert answer.headers.get("Access-Control-Allow-Origin") == (LISTED if origin == LISTED else None)
        assert "Origin" in answer.headers["Vary"]
        assert "Access-Control-Allow-Credentials" not in answer.headers


@pytest.mark.parametrize("origin", [LISTED + ".evil.example", "http://www.acme.example", "null", "*", LISTED + ":8443"])
def test_a_site_that_resembles_a_listed_one_gets_no_header(acme, origin):
    acme.publish(vacancy("j1", "Robot engineer"))
    for address in ADDRESSES:
        assert "Access-Control-Allow-Origin" not in acme.get(address, Origin=origin).headers


def test_a_304_response_has_the_header_too(acme):
    acme.publish(vacancy("j1", "Robot engineer"))
    first = acme.get("/acme/jobs.json", Origin=LISTED)
    again = acme.get("/acme/jobs.json", **{"Origin": LISTED, "If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    assert again.headers["Access-Control-Allow-Origin"] == LISTED


def test_a_site_removed_from_the_list_gets_no_header(acme):
    acme.publish(vacancy("j1", "Robot engineer"))
    assert "Access-Control-Allow-Origin" in acme.get("/acme/jobs.json", Origin=LISTED).headers
    acme.portal.write_tenant("acme", "Acme Robotics")
    acme.clock.pass_time(2)
    assert "Access-Control-Allow-Origin" not in acme.get("/acme/jobs.json", Origin=LISTED).headers


def test_pages_cannot_be_read_by_other_sites(acme):
    acme.publish(vacancy("j1", "Robot engineer"))
    for address in ("/acme/", "/acme/jobs/j1", "/acme/jobs/j1/apply"):
        assert "Access-Control-Allow-Origin" not in acme.get(address, Origin=LISTED).headers
