"""The demo prints a code: it signs in one browser that has requested none, once, and a few wrong tries end it."""

from portal.tracker.hiring import colleagues
from portal.tracker.hiring.colleague_pages import issue_code
from tests.tracker.hiring.site import OWNER, HiringBrowser, HiringSite


def printed(hiring: HiringSite) -> str:
    company = colleagues.tenant(hiring.office.database, "acme")
    assert company
    return issue_code(hiring.services, company, OWNER, ttl=3_600) or ""


def typed(hiring: HiringSite, code: str) -> HiringBrowser:
    browser = hiring.browser()
    browser.get("/code")
    browser.post("/code", code=code)
    return browser


def test_a_printed_code_works_once(hiring: HiringSite):
    code = printed(hiring)
    first, second = typed(hiring, code), typed(hiring, code)
    assert OWNER in (first.get("/account") and first.words)
    assert second.get("/account").url.path == "/acme/hiring"
    assert hiring.mails.send_what_is_due() is None
    assert hiring.outbox.sent == []


def test_five_wrong_attempts_invalidate_the_code(hiring: HiringSite):
    code = printed(hiring)
    for _ in range(5):
        typed(hiring, "00000000" if code != "00000000" else "11111111")
    assert typed(hiring, code).get("/account").url.path == "/acme/hiring"
