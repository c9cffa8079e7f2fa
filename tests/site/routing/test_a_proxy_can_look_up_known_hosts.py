"""A proxy can look up whether a host is a company's, but not which company's."""

import pytest

from tests.site.small_site import Site

ADDRESS = "/.well-known/portal-host"


@pytest.fixture
def own(site: Site) -> Site:
    site.tenant("acme", more='site = {hosts = ["careers.acme.example", "karriere.müller.example"]}')
    return site


@pytest.mark.parametrize(
    "domain",
    ["careers.acme.example", "CAREERS.Acme.Example", "careers.acme.example.", "karriere.xn--mller-kva.example"],
)
def test_a_companys_host_is_known(own: Site, domain: str):
    answer = own.get(f"{ADDRESS}?domain={domain}")
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "query",
    ["", "?domain=", "?domain=evil.example", "?domain=careers.example", "?domain=acme", "?domain=127.0.0.1",
     "?domain=careers.acme.example:443", "?domain=x.careers.acme.example", "?domain=%00", "?host=careers.acme.example",
     "?domain=" + "a" * 9_000],
)  # fmt: skip
def test_other_hosts_are_unknown(own: Site, query: str):
    assert own.get(ADDRESS + query).status_code == 404


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "10.0.0.7", "portal", "evil.example", "careers.acme.example"])
def test_the_lookup_works_with_any_host_header(own: Site, host: str):
    assert own.get(f"{ADDRESS}?domain=careers.acme.example", Host=host).status_code == 200
    assert own.get(f"{ADDRESS}?domain=evil.example", Host=host).status_code == 404


def test_the_response_does_not_name_the_company(own: Site):
    answer = own.get(f"{ADDRESS}?domain=careers.acme.example")
    assert "acme" not in answer.text.lower()
    assert "acme" not in str(answer.headers).lower()


def test_the_response_says_which_host_and_scheme_arrived(own: Site):
    asked = f"{ADDRESS}?domain=careers.acme.example"
    assert own.get(asked, host="careers.acme.example").text == "careers-portal by this host, http\n"
    assert own.get(asked).text == "careers-portal by another host, http\n"
