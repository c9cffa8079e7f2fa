"""The Host header is checked, and is never used in links."""

import pytest

from tests.site.small_site import Site


@pytest.mark.parametrize(
    "host", ["evil.example", "careers.example.evil.example", "a b", "careers.example@evil", "[::1", ""]
)
def test_an_unknown_host_is_400_and_names_no_company(site, host):
    answer = site.get("/acme/", host="careers.example", Host=host)
    assert answer.status_code == 400
    assert "There is no careers site at this address" in answer.text
    assert "Acme" not in answer.text
    assert "evil" not in answer.text


@pytest.mark.parametrize("host", ["careers.example", "CAREERS.example", "careers.example.", "careers.example:443"])
def test_the_portals_own_host_is_served_in_any_spelling(site, host):
    assert site.get("/acme/", host="careers.example", Host=host).status_code == 200


def test_any_loopback_name_is_accepted_on_loopback(tmp_path):
    site = Site(tmp_path, base_url="http://127.0.0.1:8123")
    site.tenant("acme")
    for host in ("127.0.0.1:8123", "localhost:8123", "[::1]:8123"):
        assert site.get("/acme/", Host=host).status_code == 200
    assert site.get("/acme/", Host="evil.example").status_code == 400


def test_a_forwarded_host_counts_only_behind_a_trusted_proxy(site, tmp_path):
    forwarded = {"Host": "10.0.0.1", "X_Forwarded_Host": "careers.example"}
    assert site.get("/acme/", **forwarded).status_code == 400
    (tmp_path / "behind").mkdir()
    behind = Site(tmp_path / "behind", trusted_proxies=1)
    behind.tenant("acme")
    assert behind.get("/acme/", **forwarded).status_code == 200
    assert behind.get("/acme/", Host="careers.example", X_Forwarded_Host="evil.example").status_code == 400
