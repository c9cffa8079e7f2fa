"""Pages, statuses, headers and times are the same, whether or not the company knows an address."""

import re
import statistics
import time

import pytest

from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor, candidate
from tests.site.apply.applicant import Page


def without_secrets(page: Page) -> str:
    return re.sub(r'name="token" value="[^"]*"', "", page.text)


def seen(acme: Portal, address: str) -> list[object]:
    """Return everything that a visitor sees, from the request to the fifth wrong code and beyond."""
    visitor = Visitor(acme)
    asked = visitor.ask(address)
    cookies = {cookie.name: (cookie.path, len(cookie.value or "")) for cookie in visitor.client.cookies.jar}
    found: list[object] = [asked.status_code, asked.headers["location"], asked.text, sorted(asked.headers), cookies]
    found.append(without_secrets(visitor.get("/profile/code")))
    for _ in range(7):
        wrong = visitor.enter("00000000")
        found += [wrong.status_code, without_secrets(Page(wrong)), sorted(wrong.headers)]
    return found


def test_every_page_and_status_is_the_same(acme: Portal):
    assert seen(acme, ADA) == seen(acme, "nobody@people.example")


def test_the_rate_limit_applies_to_both(acme: Portal):
    for address in (ADA, "nobody@people.example"):
        statuses = [Visitor(acme).ask(address).status_code for _ in range(6)]
        assert statuses == [303] * 5 + [429]


def test_requests_take_the_same_time(acme: Portal):
    acme.service.load("acme", [candidate(f"c-{n}", emails=[{"email": f"known{n}@people.example"}]) for n in range(200)])
    acme.work.index_what_is_due()
    # A busy machine can distort one run; a difference that somebody could exploit distorts all of them.
    runs = []
    for _ in range(3):
        runs.append(_apart(acme))
        if runs[-1] <= 1:
            return
        acme.parts.clock.pass_time(3_601)
    pytest.fail(f"medians are apart by {runs} times what noise explains")


def _apart(acme: Portal) -> float:
    """Return the distance between the medians of known and unknown, in units of the noise of the same run."""
    visitor = Visitor(acme)
    page = visitor.get("/profile")
    times: dict[str, list[float]] = {"known": [], "unknown": []}
    for n in range(200):
        for kind in ("known", "unknown") if n % 2 else ("unknown", "known"):
            began = time.perf_counter()
            answer = visitor.post("/profile", page, email=f"{kind}{n}@people.example")
            times[kind].append(time.perf_counter() - began)
            assert answer.status_code == 303
    known, unknown = (statistics.median(times[kind]) for kind in ("known", "unknown"))
    # The noise of this run: the distance between the medians of two halves of the same kind.
    halves = [statistics.median(times[kind][half::2]) for kind in times for half in (0, 1)]
    return abs(known - unknown) / max(2 * (max(halves) - min(halves)), 0.15 * unknown)


@pytest.mark.parametrize("wrong", ["", "nobody", "a@b", "x" * 300 + "@people.example", "a@people.example\r\nBcc: x"])
def test_an_invalid_address_is_reported_immediately(ada: Visitor, wrong: str):
    page = Page(ada.ask(wrong))
    assert page.status == 422
    assert page.by_id("email").get("aria-invalid") == "true"
