"""Lighthouse gives the whole hundred, on a phone. Its speed is simulated from a trace, which other work disturbs:
so the best of a few looks counts for that one."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.parts.demo import RunningDemo
from tests.parts.lighthouse import judge

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("judged")]
LOOKS = 4
RULES = ("accessibility", "best-practices", "seo")


@pytest.fixture
def job(desktop: Page, demo: RunningDemo) -> str:
    desktop.goto(f"{demo.portal}/acme/")
    return demo.portal + desktop.locator("main a[href*='/jobs/']").first.evaluate("a => a.pathname")


# The form is not for search engines, and says so.
@pytest.mark.parametrize(("where", "rules"), [("list", RULES), ("job", RULES), ("form", RULES[:2])])
def test_every_category_is_whole(demo: RunningDemo, job: str, tmp_path: Path, where: str, rules: tuple[str, ...]):
    address = {"list": f"{demo.portal}/acme/", "job": job, "form": f"{job}/apply"}[where]
    scores, short = judge(address, "performance", *rules, home=tmp_path)
    speeds = [scores.pop("performance")]
    assert scores == dict.fromkeys(rules, 100), short
    while speeds[-1] < 100 and len(speeds) < LOOKS:
        looked, short = judge(address, "performance", home=tmp_path)
        speeds.append(looked["performance"])
    assert max(speeds) == 100, (speeds, short)
