"""The one line in a company's page: how many bytes it fetches, and how soon the first job is there.

A page on another site than the portal's, in a real Chromium whose processor is slowed down four times. The clock runs
from when the loader is there until the title of the first job is painted in the frame, both on the browser's own
clocks. Page and frame share a process, as on phones, so that both are slowed down. Beside it, in turns, the floor: the
same page around a frame that holds one heading and nothing else, put in by one line of script.
"""

import gzip
import statistics
import tempfile
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, sync_playwright

from bench.figures import Measured, Shares, median
from tests.parts.chromium import arguments, executable
from tests.parts.demo import RunningDemo, running_demo

ROUNDS = 7
SLOWER = 4
# What Chromium's own window loads in the middle of a measurement, for an address to be typed: nobody's page.
_WINDOW = "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"
CHROMIUM = ["--disable-site-isolation-trials", f"--disable-features=IsolateOrigins,site-per-process,{_WINDOW}"]
MARK = """new MutationObserver((_, watch) => {
  const first = document.querySelector('.card h3');
  if (first) { watch.disconnect(); first.setAttribute('elementtiming', 'job') }
}).observe(document, { childList: true, subtree: true })"""
"""The browser is asked to tell when it has painted the first job: a frame may paint something else before."""
PAINTED = """() => new Promise(done => new PerformanceObserver((list, all) => {
  all.disconnect(); done(performance.timeOrigin + list.getEntries()[0].renderTime)
}).observe({ type: 'element', buffered: true }))"""
LOADER = """() => { const one = performance.getEntriesByType('resource').find(r => r.name.endsWith('/embed.js'));
  return performance.timeOrigin + one.responseEnd }"""
"""When the loader was there; it is fetched like any script, and how fast is the network's matter."""
BARE = '<!doctype html><html lang="en"><title>Bare</title><body class="card"><h3>A job</h3>'
ONE_LINE = """document.currentScript.after(Object.assign(document.createElement("iframe"), { src: "/acme/embed" }))"""


def run() -> Iterator[Measured]:
    """Size, requests and time of the frame."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_demo(Path(folder) / "demo") as demo,
        _bare(demo) as bare,
        sync_playwright() as playwright,
    ):
        body = _get(f"{demo.portal}/embed.js")
        yield Measured("embed.js in gzip, bytes", len(gzip.compress(body, 9)), f"{len(body):,} as it is written")
        browser = playwright.chromium.launch(executable_path=executable(), args=[*arguments(), *CHROMIUM])
        _visit(browser, demo.portal)  # warm
        rounds = [
            (_visit(browser, demo.portal), _visit(browser, bare)[0], _alone(browser, demo)) for _ in range(ROUNDS)
        ]
        visits, floors, alone = zip(*rounds, strict=True)
        times, requests, _ = zip(*visits, strict=True)
        detail = f"{SLOWER} × CPU slow-down, loopback; a bare frame takes {statistics.median(floors):.0f} ms"
        detail += f", in a tab of its own the job is painted after {statistics.median(alone):.0f} ms"
        name = "from script to first job in the frame, ms"
        yield median(name, times, detail, lambda: _visit(browser, demo.portal)[2])
        browser.close()
    detail = "the page and its styles; scripts and icons keep nobody waiting"
    yield Measured("from script to first job in the frame, requests", max(requests), detail)


def _visit(browser: Browser, portal: str) -> tuple[float, int, Shares]:
    """Milliseconds, requests that the first job waited for, and what the browser's main thread did until all was quiet.

    Nothing is asked of the page until it is quiet: whatever Playwright asks is a script of its own in the same process.
    """
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.add_init_script(MARK)
    page = context.new_page()
    session = context.new_cdp_session(page)
    _slow_down(session)
    session.send("Performance.enable")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with page.expect_event("framenavigated", lambda one: "/acme/embed" in one.url) as arrived:
        page.goto(portal.replace("127.0.0.1", "localhost") + "/demo/embedded", wait_until="commit")
    page.wait_for_load_state("networkidle")
    frame = arrived.value
    took = float(frame.evaluate(PAINTED)) - float(page.evaluate(LOADER))
    after = asked[[url.endswith("/embed.js") for url in asked].index(True) + 1 :]
    awaited = [url for url in after if "/acme/embed" in url or (url.endswith(".css") and "print.css" not in url)]
    spent = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    context.close()
    parts = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")
    shares = [(spent[name] / spent["TaskDuration"], f"{name.removesuffix('Duration')} (main thread)") for name in parts]
    rest = 1 - sum(share for share, _ in shares)
    return took, len(awaited), sorted([*shares, (rest, "parsing, painting and all else (main thread)")], reverse=True)


def _alone(browser: Browser, demo: RunningDemo) -> float:
    """Milliseconds until the list's first job is painted without anything around it."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.add_init_script(MARK)
    page = context.new_page()
    _slow_down(context.new_cdp_session(page))
    page.goto(f"{demo.portal}/acme/", wait_until="networkidle")
    took = float(page.evaluate(PAINTED)) - float(page.evaluate("performance.timeOrigin"))
    context.close()
    return took


@contextmanager
def _bare(demo: RunningDemo) -> Iterator[str]:
    """The company's page around a bare frame, on a port of its own."""

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body, kind = pages.get(self.path, (b"", "text/plain"))
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    origin = f"http://127.0.0.1:{server.server_port}"
    pages = {
        "/demo/embedded": (
            _get(f"{demo.portal}/demo/embedded").replace(demo.portal.encode(), origin.encode()),
            "text/html",
        ),
        "/demo/embedded.css": (_get(f"{demo.portal}/demo/embedded.css"), "text/css"),
        "/embed.js": (ONE_LINE.replace("/acme", f"{origin}/acme").encode(), "text/javascript"),
        "/acme/embed": (BARE.encode(), "text/html"),
    }
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield origin
    server.shutdown()
    server.server_close()


def _get(address: str) -> bytes:
    with urllib.request.urlopen(address) as answer:  # noqa: S310  an address of our own
        return bytes(answer.read())


def _slow_down(session: CDPSession) -> None:
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
