"""`portal check` reports what a company's site lacks, and whether its hosts resolve to the portal; neither fails."""

from pathlib import Path

import httpx
import pytest
from flask import Flask

from portal.cli import check, check_installation
from portal.cli.check_installation import CheckResult
from portal.platform.config.settings import Settings
from portal.site.routing import hosts
from portal.tenants.model import ApplySettings, MailAddresses, Person, ReasonToJoin, Site, Tenant, TrackerLink
from tests.site.small_site import Site as Portal

HOST = "careers.acme.example"


def tenant(**site: object) -> Tenant:
    return Tenant("acme", "Acme", TrackerLink("http://127.0.0.1", "acme", "k"), site=Site(**site))  # type: ignore[arg-type]  tests name members


def settings(**given: object) -> Settings:
    return Settings(secret_key="x" * 32, **{"base_url": "http://careers.example", **given})  # type: ignore[arg-type]  tests name settings


def looked(transport: httpx.BaseTransport | None, *, fault: OSError | None = None, **given: object) -> CheckResult:
    def resolve(_host: str) -> list[str]:
        if fault:
            raise fault
        return ["203.0.113.7"]

    (line,) = check_installation.host_lines(
        tenant(hosts=(HOST,)), settings(**given), resolve=resolve, transport=transport
    )
    assert line.what == f"host {HOST}"
    assert line.ok
    return line


@pytest.fixture
def app(tmp_path: Path) -> Flask:
    site = Portal(tmp_path)
    site.tenant("acme", more=f'site = {{hosts = ["{HOST}"]}}')
    return site.app


def said(text: str, status: int = 200) -> httpx.BaseTransport:
    return httpx.MockTransport(lambda _: httpx.Response(status, text=text))


def test_a_host_that_resolves_to_the_portal_passes_and_the_proxy_headers_are_named(app: Flask):
    line = looked(httpx.WSGITransport(app))
    assert not line.warns
    for word in (
        "points here",
        "Host unchanged",
        "X-Forwarded-Proto",
        "X-Forwarded-For",
        "PORTAL_TRUSTED_PROXIES (now 0)",
    ):
        assert word in line.says


def test_a_host_without_an_address_is_reported():
    line = looked(None, fault=OSError("no such name"))
    assert line.warns
    assert "does not resolve" in line.says
    assert "CNAME" in line.says


def test_a_host_that_does_not_exist_is_detected_by_the_systems_resolver():
    (line,) = check_installation.host_lines(tenant(hosts=("careers.acme.invalid",)), settings())
    assert "does not resolve" in line.says


@pytest.mark.parametrize("answer", [("<h1>Our company</h1>", 200), ("", 404), ("careers-portal", 500), ("", 302)])
def test_a_host_that_another_server_answers_is_reported(answer: tuple[str, int]):
    line = looked(said(*answer))
    assert line.warns
    assert "points to 203.0.113.7, where something else responds" in line.says


def test_a_server_that_does_not_respond_is_reported():
    def fails(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectTimeout("timed out")

    assert "does not respond (timed out)" in looked(httpx.MockTransport(fails)).says


def test_a_proxy_that_hides_the_host_name_is_reported(app: Flask):
    inside = httpx.WSGITransport(app)

    class HidesHostName(httpx.BaseTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            request.headers["host"] = "10.0.0.7"
            return inside.handle_request(request)

    line = looked(HidesHostName())
    assert line.warns
    assert "does not forward the host name" in line.says


def test_a_proxy_that_does_not_forward_https_is_reported():
    line = looked(said(hosts.answer(host=HOST, domain=HOST, scheme="http")), base_url="https://careers.example")
    assert line.warns
    assert "does not report that the request came by https" in line.says


def lines(of: Tenant) -> dict[str, CheckResult]:
    return {line.what: line for line in check.appearance_lines(of)}


def test_the_contrast_of_the_brand_colour_is_reported():
    line = lines(tenant(accent="#ffff00"))["colours acme"]
    assert line.ok
    assert line.says.startswith("#ffff00 becomes light: buttons #ffff00, text contrast 16.9:1")
    assert "dark:" in line.says


def test_missing_settings_are_warnings():
    line = lines(tenant())["site acme"]
    assert (line.ok, line.warns) == (True, True)
    assert "apply.privacy_url" in line.says
    assert "site.logo" in line.says


def test_a_complete_site_has_no_warnings():
    whole = Tenant(
        "acme",
        "Acme",
        TrackerLink("http://127.0.0.1", "acme", "k"),
        site=Site(logo="https://a.example/l.svg", tagline="t", about="a"),
        apply=ApplySettings(privacy_url="https://a.example/privacy"),
        mail=MailAddresses(sender="jobs@acme.example"),
    )
    assert not lines(whole)["site acme"].warns


def test_optional_content_is_listed_without_a_warning():
    line = lines(tenant())["company acme"]
    assert (line.ok, line.warns) == (True, False)
    assert line.says == (
        "could also show: site.cover, site.why, site.people, site.benefits, site.quote, site.links, site.logo_dark, "
        "site.cover_dark"
    )
    some = lines(tenant(people=(Person("Ada"),), why=(ReasonToJoin("Time", "Enough."),)))["company acme"]
    assert "site.people" not in some.says
    assert "site.benefits" in some.says


def test_a_company_that_shows_everything_is_told_so():
    told = {"quote": "q", "links": "l", "why": "w", "people": "p", "benefits": "b"}
    pictures = {"cover": "c", "logo_dark": "d", "cover_dark": "e"}
    assert lines(tenant(**told, **pictures))["company acme"].says == "everything is set"
