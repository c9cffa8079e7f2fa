"""A test that opens a page fails if the page is an error page, unless the test states the expected status."""

from collections.abc import Iterator

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page

from tests.parts.chromium import goto
from tests.parts.wsgi import serving

pytestmark = pytest.mark.browser


@pytest.fixture
def site() -> Iterator[str]:
    app = Flask(__name__)

    @app.get("/<int:status>")
    def answered(status: int) -> tuple[str, int]:
        return f"<title>{status}</title><p id=here>A page like any other", status

    with serving(app) as origin:
        yield origin


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context()
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("status", [404, 500, 503])
def test_an_error_page_fails_the_test(site: str, page: Page, status: int):
    with pytest.raises(AssertionError, match=f"/{status} was answered with {status} in place of 200"):
        page.goto(f"{site}/{status}")


def test_pages_fragments_and_local_pages_are_accepted(site: str, page: Page):
    page.goto(f"{site}/200")
    page.goto(f"{site}/200#here")
    page.goto("about:blank")
    page.goto("data:text/html,nothing")


def test_an_expected_error_page_is_accepted(site: str, page: Page):
    goto(page, f"{site}/404", status=404)
    with pytest.raises(AssertionError):
        goto(page, f"{site}/200", status=404)
