"""The machine's own Chromium, driven by Playwright, kept from calling home.

Importing this makes every `Page.goto` fail unless the page is answered with 200: an error page is good HTML, and
accessible, so a test that looks at it alone would pass. A test that wants another status says so with `goto`. It also
lets every context wait as long as a busy machine may need.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Error, Page, Playwright, Response, expect, sync_playwright

from tests.parts.missing import missing

HOW = "apt-get install chromium chromium-headless-shell"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SHELL = "chromium-headless-shell"
"""The same engine without windows, menus and profiles: half the CPU for a page, a third for a context."""
QUIET = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-domain-reliability",
    # Nothing but this machine has a name or an address.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1",
]


PATIENCE = 120_000
"""Milliseconds until something that does not happen fails a test; a busy machine needs them."""
_goto, _new_context = Page.goto, Browser.new_context
expect.set_options(timeout=PATIENCE)


def goto(page: Page, url: str, *, status: int = 200, **how: object) -> Response | None:
    """Open the address, and fail unless it is answered with `status`. how: Page.goto's other arguments.

    None as Page.goto has it: nothing was asked of a server, only the fragment of the address changed.
    """
    try:
        answer = _goto(page, url, **how)  # type: ignore[arg-type]  handed on as it came
    except Error as why:
        # A container of another test changed the machine's network: Chromium then drops what it was loading.
        if "ERR_NETWORK_CHANGED" not in why.message:
            raise
        answer = _goto(page, url, **how)  # type: ignore[arg-type]  as above
    if answer is not None and answer.url.startswith("http"):
        assert answer.status == status, f"{answer.url} was answered with {answer.status} in place of {status}"
    return answer


def new_context(browser: Browser, **how: object) -> BrowserContext:
    """A context with PATIENCE. how: Browser.new_context's arguments."""
    context = _new_context(browser, **how)  # type: ignore[arg-type]  handed on as it came
    context.set_default_timeout(PATIENCE)
    return context


Page.goto = goto  # type: ignore[method-assign]  one place for every page of every context
Browser.new_context = new_context  # type: ignore[method-assign]  one place for every context


def executable() -> str:
    """The path of the whole browser, for what the shell cannot do: extensions, settings, Lighthouse."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    return found or missing(f"Chromium is not installed: {HOW}")


def arguments() -> list[str]:
    """Command line for a launch; root, as in a container, can't have the sandbox."""
    return [*QUIET, "--no-sandbox"] if os.geteuid() == 0 else list(QUIET)


def environment() -> dict[str, str | float | bool]:
    """Ours, with the same fonts on every machine: pictures and PDFs differ by what else a machine has installed."""
    return {**os.environ, "FONTCONFIG_FILE": str(Path(__file__).parent / "fonts.conf")}


def launch(playwright: Playwright) -> Browser:
    """A headless browser: the shell where it is installed."""
    path = shutil.which(SHELL) or executable()
    return playwright.chromium.launch(executable_path=path, args=arguments(), env=environment())


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
