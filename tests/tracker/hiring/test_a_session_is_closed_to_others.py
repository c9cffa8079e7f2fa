"""A colleague's session cookie is closed to scripts and other hosts; it ends in any case, and no page is kept."""

from pathlib import Path

import httpx

from tests.schemas import TRACKER, sqlite_copy
from tests.told_clock import ToldClock
from tests.tracker.hiring.site import OWNER, HiringBrowser, HiringSite, opened_hiring

HOUR = 3_600


def test_cookies_over_https_are_host_bound_and_secure(tmp_path: Path, clock: ToldClock):
    url, address = sqlite_copy(tmp_path / "tracker.db", TRACKER), "https://hiring.example"
    with opened_hiring(url, clock, tmp_path, base_url=address) as site:
        client = httpx.Client(transport=httpx.WSGITransport(app=site.office.app), base_url=address)
        browser = HiringBrowser(client, "acme")
        browser.get()
        asked = browser.post(email=OWNER).history[0]
        entered = browser.post("/code", code=site.code_for(OWNER)).history[0]
    for answer, name in ((asked, "__Host-hiring-asked-acme="), (entered, "__Host-hiring-acme=")):
        (cookie,) = [one for one in answer.headers.get_list("set-cookie") if one.startswith(name)]
        parts = {part.strip().split("=")[0].lower() for part in cookie.split(";")}
        assert {"secure", "httponly", "path", "samesite"} <= parts
        assert "domain" not in parts
        assert "SameSite=Lax" in cookie


def test_one_that_is_used_all_the_time_ends_after_half_a_day(hiring: HiringSite):
    browser = hiring.signed_in()
    for _ in range(4):
        assert browser.get("/account").url.path == "/acme/hiring/account"
        hiring.office.clock.pass_time(3 * HOUR)  # type: ignore[attr-defined]  the clock of tests
    assert browser.get("/account").url.path == "/acme/hiring"


def test_no_page_is_kept_or_framed(hiring: HiringSite):
    browser = hiring.signed_in()
    for path in ("/jobs", "/account", "/colleagues", "/log"):
        headers = browser.get(path).headers
        assert headers["Cache-Control"] == "no-store"
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
