"""Browser and server format file sizes with the same units."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.parts.demo import RunningDemo

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo"), pytest.mark.verify]
SIZE = re.compile(r"(?P<number>\d+(?:[.,]\d+)?)\s(?P<unit>[\w.]*\w)")


def test_file_sizes_are_formatted_alike_in_every_language(desktop: Page, demo: RunningDemo):
    desktop.goto(f"{demo.portal}/acme/")
    job = desktop.locator("#first-job a").get_attribute("href")
    for language, unit in {"en": "MB", "de": "MB", "fr": "Mo", "it": "MB", "pl": "MB", "ar": "م.ب"}.items():
        desktop.goto(f"{demo.portal}{job}/apply?lang={language}")
        limit = int(desktop.locator("#cv").get_attribute("data-max-bytes") or 0)
        desktop.locator("#cv").set_input_files(
            {"name": "cv.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7" + bytes(limit)}
        )
        said = desktop.locator("#cv-error")
        expect(said).to_be_visible()
        sizes = [(found["number"].replace(",", "."), found["unit"]) for found in SIZE.finditer(said.inner_text())]
        assert sizes[:2] == [("10.1", unit), ("10", unit)], language
