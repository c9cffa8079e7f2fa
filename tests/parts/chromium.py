"""The machine's own Chromium, driven by Playwright, kept from calling home."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Playwright, sync_playwright

from tests.parts.missing import missing

HOW = "apt-get install chromium"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-domain-reliability",
    # Nothing but this machine has a name or an address.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1",
]


def executable() -> str:
    """Its path."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    return found or missing(f"Chromium is not installed: {HOW}")


def arguments() -> list[str]:
    """Command line for a launch; root, as in a container, can't have the sandbox."""
    return [*QUIET, "--no-sandbox"] if os.geteuid() == 0 else list(QUIET)


def launch(playwright: Playwright) -> Browser:
    """A headless browser."""
    return playwright.chromium.launch(executable_path=executable(), args=arguments())


@contextmanager
def running_chromium() -> Iterator[Browser]:
    """A browser until the block ends."""
    executable()
    with sync_playwright() as playwright:
        browser = launch(playwright)
        try:
            yield browser
        finally:
            browser.close()
