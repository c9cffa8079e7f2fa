"""Fixtures: the languages that represent all others (a long and a right-to-left one), and visitors."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.test_a_candidate_maintains_her_record import enter_at_service
from tests.parts.demo import RunningDemo


@pytest.fixture(params=["en", "de", "ar"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def known(demo: RunningDemo) -> str:
    """The email address of a candidate with a record at Acme."""
    address = "ada.judged@people.example"
    enter_at_service(demo, address)
    return address


@pytest.fixture(scope="session")
def cv() -> Path:
    return Path(__file__).parents[1] / "files" / "cv.pdf"


@pytest.fixture
def desktop(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()
