"""The one line in a company's page: how many bytes it fetches, and how soon the first job is there.

A page on another site than the portal's, in a real Chromium whose processor is slowed down four times. The clock runs
from when the loader is there until the frame has painted the first job, both on the browser's own clocks. Page and
frame share a process, as on phones, so that both are slowed down.
"""

import gzip
import statistics
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from bench.figures import Figure
from tests.parts.chromium import arguments, executable
from tests.parts.demo import RunningDemo, running_demo

ROUNDS = 7
SLOWER = 4
ONE_PROCESS = ["--disable-site-isolation-trials", "--disable-features=IsolateOrigins,site-per-process"]
FIRST_PAINT = """() => new Promise(done => new PerformanceObserver((list, all) => {
  const first = list.getEntriesByName('first-contentful-paint')[0];
  if (first) { all.disconnect(); done(performance.timeOrigin + first.startTime) }
}).observe({ type: 'paint', buffered: true }))"""
LOADER = """() => { const one = performance.getEntriesByType('resource').find(r => r.name.endsWith('/embed.js'));
  return performance.timeOrigin + one.responseEnd }"""
"""When the loader was there; it is fetched like any script, and how fast is the network's matter."""


def run() -> Iterator[Figure]:
    """Size, requests and time of the frame."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_demo(Path(folder) / "demo") as demo,
        sync_playwright() as playwright,
    ):
        with urllib.request.urlopen(f"{demo.portal}/embed.js") as answer:  # noqa: S310  an address of our own
            body = answer.read()
        small = len(gzip.compress(body, 9))
        yield Figure("bytes of embed.js, gzip", small, 4_096, "at most", f"{len(body):,} as it is written")
        browser = playwright.chromium.launch(executable_path=executable(), args=[*arguments(), *ONE_PROCESS])
        _visit(browser, demo)  # warm
        visits, alone = zip(*[(_visit(browser, demo), _alone(browser, demo)) for _ in range(ROUNDS)], strict=True)
        browser.close()
    times, requests = zip(*visits, strict=True)
    detail = f"median of {ROUNDS}, {min(times):.0f} to {max(times):.0f} ms, {SLOWER} × CPU slow-down, loopback"
    detail += f"; the same list in a tab of its own paints after {statistics.median(alone):.0f} ms"
    yield Figure("ms from script to first job in the frame", statistics.median(times), 300, "at most", detail)
    name = "requests from script to first job in the frame"
    yield Figure(name, max(requests), 2, "at most", "the page and its styles; scripts and icons keep nobody waiting")


def _visit(browser: Browser, demo: RunningDemo) -> tuple[float, int]:
    """Milliseconds, and requests that the first paint waited for."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    _slow_down(context.new_cdp_session(page))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(demo.portal.replace("127.0.0.1", "localhost") + "/demo/embedded", wait_until="commit")
    frame = _frame(page)
    frame.locator(".card").first.wait_for()
    took = frame.evaluate(FIRST_PAINT) - page.evaluate(LOADER)
    after = asked[[url.endswith("/embed.js") for url in asked].index(True) + 1 :]
    awaited = [url for url in after if "/acme/embed" in url or (url.endswith(".css") and "print.css" not in url)]
    context.close()
    return took, len(awaited)


def _alone(browser: Browser, demo: RunningDemo) -> float:
    """Milliseconds until the list is painted without anything around it: what the machine can do at that moment."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    _slow_down(context.new_cdp_session(page))
    page.goto(f"{demo.portal}/acme/")
    took = float(page.evaluate(FIRST_PAINT)) - float(page.evaluate("performance.timeOrigin"))
    context.close()
    return took


def _frame(page: Page):  # noqa: ANN202  a Frame of Playwright's
    """The portal's, once it is on its way."""
    page.locator("careers-portal iframe").wait_for()
    while len(page.frames) < 2 or "/acme/embed" not in page.frames[1].url:
        page.wait_for_timeout(5)
    return page.frames[1]


def _slow_down(session: CDPSession) -> None:
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
