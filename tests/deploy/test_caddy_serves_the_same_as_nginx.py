"""Through deploy/caddy/Caddyfile over TLS, with the newest Caddy and Debian's: pages, files, frames, error pages."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.behind_caddy import DEBIANS, NEWEST, caddy
from tests.deploy.behind_nginx import LIMIT, OWN, Behind, Proxied
from tests.deploy.test_nginx_prevents_spoofing import assert_answers_protect
from tests.deploy.test_the_site_works_behind_nginx import cv
from tests.site.apply.applicant import Applicant, Page

pytestmark = [pytest.mark.xdist_group("behind-nginx"), pytest.mark.verify]


@pytest.fixture(params=[NEWEST, DEBIANS], ids=["newest", "debians"])
def behind(request: pytest.FixtureRequest, site: Proxied, tmp_path: Path) -> Iterator[Behind]:
    one, other = (int(each.rpartition(":")[2]) for each in site.fleet.servers)
    with caddy(tmp_path / "caddy", (one, other), program=request.param) as made:
        yield made


def test_a_cv_of_ten_megabytes_is_accepted_and_one_byte_more_gets_the_portals_error(behind: Behind):
    with behind.browser() as browser:
        assert browser.get("/globex/").status_code == 200
        receipt = Applicant(browser, "/globex/jobs/globex-4/apply").receipt(cv(LIMIT), email="exactly@people.example")
        assert "10" in browser.get(receipt).text
        page = Applicant(browser, "/globex/jobs/globex-5/apply").send(cv(LIMIT + 1), email="larger@people.example")
    assert page.status in {413, 422}
    assert page.typed["email"] == "larger@people.example"


def test_a_much_larger_body_gets_an_error_page_of_caddy(behind: Behind):
    with behind.browser() as browser:
        answer = browser.post("/globex/jobs/globex-5/apply", content=b"x" * (LIMIT + 1_048_577))
    assert answer.status_code == 413
    assert "Das ist zu groß" in Page(answer).words


def test_company_pages_may_frame_the_jobs_and_metrics_are_not_public(behind: Behind):
    with behind.browser() as browser:
        assert browser.get("/embed.js").headers["content-type"].startswith("text/javascript")
        frame = browser.get("/acme/embed", headers={"Referer": "https://www.acme.example/", "Sec-Fetch-Dest": "iframe"})
        assert browser.get("/metrics").status_code == 404
        assert browser.get("http://portal.example/acme/").status_code == 308
        assert OWN in browser.get("/acme/").headers["location"]
    assert frame.status_code == 200
    assert "https://www.acme.example" in frame.headers["content-security-policy"]


def test_every_response_has_hsts_and_nosniff_once(behind: Behind):
    with behind.browser() as browser:
        assert_answers_protect(browser)
