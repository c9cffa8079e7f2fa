"""Through deploy/nginx/portal.conf, over TLS, to two servers: list, receipt, self-service, frames, feeds."""

import email
import time
from email.policy import default
from pathlib import Path

import pytest

from tests.deploy.behind_nginx import LIMIT, ORIGIN, OWN, Proxied
from tests.site.account.candidate import code_in
from tests.site.apply.applicant import ADA, Applicant, Page

pytestmark = [pytest.mark.xdist_group("behind-nginx"), pytest.mark.verify]
LINE = b"Ada Lovelace, Bachelor of Engines, notes on the Analytical Engine, 1842 to 1843.\n"


def cv(size: int) -> tuple[str, bytes]:
    return "cv.txt", (LINE * (size // len(LINE) + 1))[:size]


def codes(folder: Path, to: str) -> list[str]:
    files = sorted((folder / "mail").glob("*.eml"), key=lambda path: path.stat().st_mtime_ns)
    letters = [email.message_from_bytes(path.read_bytes(), policy=default) for path in files]
    return [code_in(each) for each in letters if each["To"] == to and "code" in each["Subject"].lower()]


def test_a_job_seeker_applies_and_gets_a_receipt(site: Proxied):
    with site.proxy.browser() as browser:
        assert browser.get("/acme/jobs/acme-3/apply").status_code == 200
        receipt = Applicant(browser, "/acme/jobs/acme-3/apply").receipt(email="journey@people.example")
        assert receipt.startswith("/acme/applications/")
        site.fleet.until(lambda: 'data-state="sent"' in browser.get(receipt).text, "the application is at the service")
    assert site.fleet.applications("acme", "acme-3") == ["journey@people.example"]


def test_a_cv_of_exactly_ten_megabytes_is_accepted(site: Proxied):
    with site.proxy.browser() as browser:
        receipt = Applicant(browser, "/acme/jobs/acme-4/apply").receipt(cv(LIMIT), email="large@people.example")
        assert "10" in browser.get(receipt).text
        site.fleet.until(lambda: site.fleet.applications("acme", "acme-4"), "it is at the service")


def test_one_byte_more_gets_the_portals_error_with_all_entered_text(site: Proxied):
    with site.proxy.browser() as browser:
        applicant = Applicant(browser, "/acme/jobs/acme-5/apply")
        page = applicant.send(cv(LIMIT + 1), email="larger@people.example")
    assert page.status in {413, 422}
    assert page.typed["email"] == "larger@people.example"
    assert "10" in page.summary["cv"]


def test_a_much_larger_body_gets_an_error_page_of_nginx(site: Proxied):
    with site.proxy.browser() as browser:
        answer = browser.post("/acme/jobs/acme-5/apply", content=b"x" * (LIMIT + 1_048_577))
    assert answer.status_code == 413
    page = Page(answer)
    assert "This is too large" in page.words
    assert "Das ist zu groß" in page.words


def test_session_cookies_are_valid_for_one_host(site: Proxied):
    with site.proxy.browser() as browser:
        page = Page(browser.get("/acme/profile"))
        asked = browser.post("/acme/profile", files=_form(page, email=ADA["email"]))
        assert asked.status_code == 303
        until = time.monotonic() + 60
        while not (found := codes(site.fleet.folder, ADA["email"])) and time.monotonic() < until:
            time.sleep(0.1)
        page = Page(browser.get("/acme/profile/code"))
        entered = browser.post("/acme/profile/code", files=_form(page, code=found[-1]))
        assert entered.status_code == 303
        cookies = {each.name: each for each in browser.cookies.jar}
        session = cookies["__Host-session-acme"]
        assert session.secure
        assert session.path == "/"
        assert not session.domain_specified
        record = Page(browser.get("/acme/profile/edit"))
        assert record.typed["emails-0-email"] == ADA["email"]
        assert browser.get("/acme/profile/edit").headers["cache-control"].startswith("no-store")


def _form(page: Page, **typed: str) -> dict[str, tuple[None, str]]:
    return {name: (None, value) for name, value in {**page.hidden, **typed}.items()}


def test_a_company_host_has_pages_without_the_slug(site: Proxied):
    with site.proxy.browser() as browser:
        assert browser.get(f"https://{OWN}/jobs/acme-6").status_code == 200
        moved = browser.get("/acme/jobs/acme-6")
        assert (moved.status_code, moved.headers["location"]) == (301, f"https://{OWN}/jobs/acme-6")


def test_company_pages_may_frame_the_jobs(site: Proxied):
    with site.proxy.browser() as browser:
        script = browser.get("/embed.js")
        assert script.headers["content-type"].startswith("text/javascript")
        frame = browser.get("/acme/embed", headers={"Referer": "https://www.acme.example/", "Sec-Fetch-Dest": "iframe"})
    assert frame.status_code == 200
    assert "https://www.acme.example" in frame.headers["content-security-policy"]
    assert "x-frame-options" not in frame.headers


@pytest.mark.parametrize("feed", ["feed.atom", "feed.json", "indeed.xml", "linkedin.xml", "sitemap.xml", "jobs.json"])
def test_feeds_are_complete(site: Proxied, feed: str):
    with site.proxy.browser() as browser:
        answer = browser.get(f"/acme/{feed}")
        assert answer.status_code == 200
        assert ORIGIN in answer.text or OWN in answer.text
        assert "http://" + ORIGIN.removeprefix("https://") not in answer.text


def test_unchanged_pages_are_not_sent_again(site: Proxied):
    with site.proxy.browser() as browser:
        first = browser.get(f"https://{OWN}/jobs/acme-6")
        again = browser.get(f"https://{OWN}/jobs/acme-6", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304
    assert "set-cookie" not in first.headers
    assert first.headers["strict-transport-security"]
