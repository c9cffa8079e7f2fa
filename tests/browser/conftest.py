"""Browser contexts for the journeys, and files to upload."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page


@pytest.fixture
def phone(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 360, "height": 740}, device_scale_factor=2, has_touch=True)
    yield context.new_page()
    context.close()


@pytest.fixture
def desktop(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


@pytest.fixture(scope="session")
def files() -> Path:
    return Path(__file__).parents[1] / "files"
