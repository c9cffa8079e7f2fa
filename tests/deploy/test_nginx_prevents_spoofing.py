"""Client address and host are those that nginx sees, not those in headers; its log contains no personal data."""

import time

import httpx
import pytest

from portal.gateway.response import HSTS
from tests.deploy.behind_nginx import LIMIT, ORIGIN, Proxied
from tests.site.apply.applicant import Page

pytestmark = [pytest.mark.xdist_group("behind-nginx"), pytest.mark.verify]


def test_forged_client_addresses_are_ignored_by_rate_limits(site: Proxied):
    with site.proxy.browser() as browser:
        statuses = []
        for n in range(20):
            forged = {"X-Forwarded-For": f"203.0.{n}.7", "Forwarded": f"for=203.0.{n}.7", "X-Real-IP": f"203.0.{n}.7"}
            typed = {**Page(browser.get("/globex/profile")).hidden, "email": "stranger@people.example"}
            form = {name: (None, value) for name, value in typed.items()}
            statuses.append(browser.post("/globex/profile", headers=forged, files=form).status_code)
    assert statuses[0] == 303
    assert statuses[-1] == 429, "forged networks would allow any number of codes"


def test_a_forged_host_is_ignored(site: Proxied):
    forged = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http", "X_Forwarded_Host": "evil.example"}
    with site.proxy.browser() as browser:
        page = browser.get("/globex/jobs/globex-1", headers=forged)
    assert page.status_code == 200
    assert "evil.example" not in page.text
    assert ORIGIN in page.text


def test_plain_http_redirects_to_tls_and_posts_stay_posts(site: Proxied):
    with site.proxy.browser() as browser:
        answer = browser.post("http://portal.example/acme/profile?x=1", content=b"")
    assert answer.status_code == 308
    assert answer.headers["location"] == f"{ORIGIN}/acme/profile?x=1"


def test_unknown_hosts_get_no_certificate(site: Proxied):
    with site.proxy.browser() as browser, pytest.raises(httpx.ConnectError):
        browser.get("https://stranger.example/")


def test_metrics_are_not_public(site: Proxied):
    with site.proxy.browser() as browser:
        assert browser.get("/metrics").status_code == 404


def assert_answers_protect(browser: httpx.Client) -> None:
    """Responses of the portal and of the proxy itself have HSTS and nosniff."""
    answers = [browser.get("/globex/"), browser.get("/metrics"), browser.get("/globex/none")]
    answers.append(browser.post("/globex/jobs/globex-5/apply", content=b"x" * (LIMIT + 1_048_577)))
    assert [each.status_code for each in answers] == [200, 404, 404, 413]
    for name, value in (HSTS, ("X-Content-Type-Options", "nosniff")):
        assert [each.headers.get_list(name) for each in answers] == [[value]] * 4


def test_every_response_has_hsts_and_nosniff_once(site: Proxied):
    with site.proxy.browser() as browser:
        assert_answers_protect(browser)


def test_the_log_contains_no_query_and_no_address(site: Proxied):
    with site.proxy.browser(**{"User-Agent": "canary-browser", "Referer": "https://canary.example/"}) as browser:
        browser.get("/acme/?q=canary-query&key=canary-key")
    until = time.monotonic() + 60  # the line is written after the response
    while '"path":"/acme/"' not in (log := site.proxy.log):
        assert time.monotonic() < until, log
        time.sleep(0.02)
    assert "canary" not in log
    assert "127.0.0.1 " not in log
