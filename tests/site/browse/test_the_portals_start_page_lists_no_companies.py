"""The portal's own start page redirects to its only company, and does not list several companies."""

import httpx

from portal.app import create_app
from tests.site.browse.jobs import Careers


def test_with_one_company_it_redirects_to_it(acme: Careers):
    acme.give_host()
    answer = acme.get("/")
    assert answer.status_code == 302
    assert answer.headers["Location"] == "http://careers.acme.example:8000/"
    acme.portal.write_tenant("acme", "Acme Robotics")
    acme.clock.pass_time(2)
    assert acme.get("/").headers["Location"] == "http://127.0.0.1:8000/acme/"


def test_with_several_companies_none_is_named(acme: Careers):
    acme.portal.add_tenant("globex", "Globex Talent")
    acme.clock.pass_time(2)
    answer = acme.get("/")
    assert answer.status_code == 200
    assert "Every company has its own page" in answer.text
    for word in ("acme", "globex"):
        assert word not in answer.text.lower()


def test_a_company_with_an_invalid_file_counts(acme: Careers):
    (acme.portal.parts.settings.tenants / "globex.toml").write_text("name =\n")
    acme.clock.pass_time(2)
    assert acme.get("/").status_code == 200


def test_without_companies_it_is_a_plain_page(acme: Careers):
    (acme.portal.parts.settings.tenants / "acme.toml").unlink()
    acme.clock.pass_time(2)
    assert acme.get("/").status_code == 200


def test_the_demo_lists_its_companies(acme: Careers):
    acme.portal.add_tenant("globex", "Globex Talent")
    acme.clock.pass_time(2)
    app = create_app(acme.portal.parts, list_companies=True)
    with httpx.Client(transport=httpx.WSGITransport(app=app), base_url="http://127.0.0.1:8000") as visitor:
        page = visitor.get("/").text
    assert "Acme Robotics" in page
    assert "Globex Talent" in page
