"""On a company's own host URLs have no slug, and links use that host."""

import pytest

OWN = 'site = {hosts = ["careers.acme.example", "jobs.acme.example"], locales = ["en", "de"]}'


@pytest.fixture
def own(site):
    site.tenant("acme", more=OWN)
    site.tenant("globex", "Globex Talent")
    return site


def test_pages_have_no_slug(own):
    assert own.get("/", host="careers.acme.example").text == "jobs of Acme Robotics"
    assert own.get("/jobs/1", host="careers.acme.example:8443").text.startswith("Acme Robotics: 1")


def test_another_company_is_not_found_there(own):
    assert own.get("/globex/", host="careers.acme.example").status_code == 404


def test_links_have_no_slug(own):
    page = own.get("/nothing/here", host="careers.acme.example").text
    assert 'href="/"' in page
    assert 'href="/theme.css?v=' in page
    assert "/acme" not in page


def test_links_have_the_slug_on_the_portals_host(own):
    assert 'href="/acme/"' in own.get("/acme/nothing/here").text


def test_stylesheets_are_the_same_on_every_host(own):
    address = own.get("/acme/nothing/here").text.split('href="/acme/theme.css')[1].split('"')[0]
    styles = own.get(f"/theme.css{address}", host="careers.acme.example")
    assert styles.text == own.get(f"/acme/theme.css{address}").text
    assert "immutable" in styles.headers["Cache-Control"]


@pytest.mark.parametrize("path", ["//evil.example/x", "///evil.example", "/%2f/evil.example/"])
def test_no_path_makes_a_link_lead_to_another_site(own, path):
    page = own.get(path, host="careers.acme.example").text
    assert 'href="//' not in page
