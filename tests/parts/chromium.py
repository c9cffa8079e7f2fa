"""The installed Chromium, driven by Playwright, without access to other machines.

Importing this module makes every `Page.goto` fail unless the status is 200: an error page is valid, accessible HTML, so
a test that checks only these would pass. A test that expects another status calls `goto`. The import also raises the
timeouts of every context for busy machines.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, Playwright, Response, expect, sync_playwright

from tests.parts.missing import missing

HOW = "apt-get install chromium chromium-headless-shell"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SHELL = "chromium-headless-shell"
"""Chromium's headless shell, the same engine without user interface and profiles: it takes half the CPU for a page."""
QUIET = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-domain-reliability",
    # Only this machine can be resolved and reached.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1",
]


TIMEOUT = 120_000
"""Timeout in milliseconds for whatever a test waits for, long enough for a busy machine."""
_goto, _new_context = Page.goto, Browser.new_context
expect.set_options(timeout=TIMEOUT)


def goto(page: Page, url: str, *, status: int = 200, **how: object) -> Response | None:
    """Open the address, and fail unless it is answered with `status`. how: Page.goto's other arguments.

    Returns None, as Page.goto does, if only the fragment of the address changed and no request was made.
    """
    answer = _goto(page, url, **how)  # type: ignore[arg-type]  passed on unchanged
    if answer is not None and answer.url.startswith("http"):
        assert answer.status == status, f"{answer.url} was answered with {answer.status} in place of {status}"
    return answer


def new_context(browser: Browser, **how: object) -> BrowserContext:
    """Open a context with TIMEOUT as its timeout. how: Browser.new_context's arguments."""
    context = _new_context(browser, **how)  # type: ignore[arg-type]  passed on unchanged
    context.set_default_timeout(TIMEOUT)
    return context


Page.goto = goto  # type: ignore[method-assign]  applies to every page of every context
Browser.new_context = new_context  # type: ignore[method-assign]  applies to every context


def executable() -> str:
    """Return the path of the full browser, for extensions, settings and Lighthouse, which the headless shell lacks."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    return found or missing(f"Chromium is not installed: {HOW}")


def arguments() -> list[str]:
    """Return the command line options; root, as in a container, cannot use the sandbox."""
    return [*QUIET, "--no-sandbox"] if os.geteuid() == 0 else list(QUIET)


def environment() -> dict[str, str | float | bool]:
    """Return this process's environment with a fixed set of fonts, because installed fonts change pictures and PDFs."""
    return {**os.environ, "FONTCONFIG_FILE": str(Path(__file__).parent / "fonts.conf")}


def launch(playwright: Playwright) -> Browser:
    """Launch a headless browser: Chromium's headless shell if it is installed."""
    path = shutil.which(SHELL) or executable()
    return playwright.chromium.launch(executable_path=path, args=arguments(), env=environment())


@contextmanager
def running_chromium() -> Iterator[Browser]:
    """Run a browser within the block."""
    executable()
    with sync_playwright() as playwright:
        browser = launch(playwright)
        try:
            yield browser
        finally:
            browser.close()
