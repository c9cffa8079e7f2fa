"""A web page that is printed to PDF, as messages about rejected files recommend, is accepted with its links."""

import io

import pytest
from playwright.sync_api import Page

from portal.adapters.inspection.inspection import inspect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo")]

CV = """<!doctype html><title>Marit Solheim</title><h1>Marit Solheim</h1>
<p>HTML/CSS/JavaScript, <a href="https://marit.example/">my page</a>, <a href="#end">the end</a></p>
<p style="break-before: page" id="end">Årdal, 1998</p>"""


@pytest.mark.parametrize("tagged", [False, True])
def test_a_page_printed_to_pdf_is_accepted(desktop: Page, tagged: bool) -> None:
    desktop.set_content(CV)
    printed = desktop.pdf(tagged=tagged, outline=tagged)
    found = inspect(io.BytesIO(printed), max_bytes=1_000_000)
    assert (found.extension, found.pages) == ("pdf", 2)
