"""Source parameters are passed on from the list to a job to its form, although the pages are cached for everyone."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.parts.wsgi import serving
from tests.site.browse.jobs import careers, vacancy

pytestmark = pytest.mark.browser


def test_source_parameters_are_passed_from_a_search_to_the_form(desktop: Page, tmp_path: Path) -> None:
    acme = careers(tmp_path)
    acme.publish(vacancy("j1", "Welder"), vacancy("j2", "Painter", city="Bonn"))
    with serving(acme.portal.app) as origin:
        desktop.goto(f"{origin}/acme/?utm_source=news&utm_campaign=a%26b&other=1")
        desktop.fill("#q", "welder")
        desktop.get_by_role("button", name="Search jobs").click()
        desktop.get_by_role("link", name="Welder").click()
        desktop.get_by_role("link", name="Apply for this job").first.click()
        expect(desktop.locator('input[name="utm_source"]')).to_have_value("news")
        expect(desktop.locator('input[name="utm_campaign"]')).to_have_value("a&b")
        assert "other" not in desktop.url
