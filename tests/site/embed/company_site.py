"""A company's own website on a separate origin, which embeds the portal's jobs."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from flask import Flask, Response, make_response, request
from playwright.sync_api import Browser, BrowserContext, FrameLocator, Page
from werkzeug.serving import BaseWSGIServer, make_server

from tests.builders import Portal
from tests.parts.process import free_port
from tests.site.browse.jobs import vacancy

log = logging.getLogger(__name__)
TENANT = """
[publish]
stages = ["Open"]
[publish.facets]
"Department" = "attribute:dep"
[site]
locales = ["en", "de"]
[apply]
phone_region = "DE"
privacy_url = "https://www.acme.example/privacy"
[embed]
origins = [{origins}]
"""
LINE = '<script src="{portal}/embed.js" data-tenant="acme" async></script>'
PAGE = """<!doctype html>
<html lang="{lang}"><head><title>Working at Acme</title><link rel="stylesheet" href="/style.css"></head>
<body><h1>Working at Acme</h1><p>We build robots.</p>{body}
<footer id="footer">Acme Robotics, Berlin</footer></body></html>"""
STRICT = "default-src 'none'; style-src 'self'; script-src {portal}; frame-src {portal}"
"""The two directives that docs/embedding.md names."""
TEXT = "<h2>Your tasks</h2>" + "<p>Weld, measure, explain, and be good company.</p>" * 12


class Server:
    """An application on a port that can be stopped and started again."""

    def __init__(self, app: Flask, port: int) -> None:
        self.app = app
        self.port = port
        self._server: BaseWSGIServer | None = None

    def up(self) -> None:
        self._server = make_server("127.0.0.1", self.port, self.app, threaded=True)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def down(self) -> None:
        if self._server:
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()
            self._server = None


@dataclass
class CompanySite:
    """Both sites, and a browser."""

    portal: Portal
    browser: Browser
    body: str = LINE
    lang: str = "en"
    style: str = ""
    policy: str = STRICT
    new_context: Callable[..., BrowserContext] | None = None
    said: list[str] = field(default_factory=list)
    """What the console of every page said."""
    asked: list[str] = field(default_factory=list)
    """Addresses that pages asked for, in order."""
    _contexts: list[BrowserContext] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.careers = Server(self.portal.app, int(self.careers_origin.rpartition(":")[2]))
        self._company = Server(self._app(), free_port())
        self.careers.up()
        self._company.up()
        self.list_origins(self.origin)
        self.portal.service.load("acme", [vacancy(f"job-{n}", f"Welder {n}", TEXT) for n in range(1, 9)])
        self.portal.work.mirror_what_is_due()

    @property
    def careers_origin(self) -> str:
        return self.portal.parts.settings.base_url

    @property
    def origin(self) -> str:
        """Return an origin that is another site than the portal's for browsers too."""
        return f"http://acme.localhost:{self._company.port}"

    def list_origins(self, *origins: str) -> None:
        listed = ", ".join(f'"{one}"' for one in origins)
        self.portal.write_tenant("acme", "Acme Robotics", TENANT.format(origins=listed))
        self.portal.parts.clock.sleep(2)

    def window(self, **how: object) -> Page:
        how = {"viewport": {"width": 1000, "height": 700}, **how}
        context = (self.new_context or self.browser.new_context)(**how)  # type: ignore[arg-type]
        self._contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda asked: self.asked.append(asked.url))
        # pytest shows it if the test fails: a script that never arrived leaves no other trace.
        page.on("requestfailed", lambda lost: log.warning("not loaded: %s: %s", lost.url, lost.failure))
        return page

    def open(self, path: str = "/jobs", **how: object) -> Page:
        page = self.window(**how)
        page.goto(self.origin + path)
        return page

    def close_windows(self) -> None:
        while self._contexts:
            self._contexts.pop().close()

    def close(self) -> None:
        self.close_windows()
        self._company.down()
        self.careers.down()

    def _app(self) -> Flask:
        app = Flask("company")

        @app.get("/jobs")
        def jobs() -> Response:
            page = PAGE.format(lang=self.lang, body=self.body).replace("{portal}", self.careers_origin)
            response = make_response(page)
            response.headers["Content-Security-Policy"] = self.policy.replace("{portal}", self.careers_origin)
            response.headers["Referrer-Policy"] = request.args.get("referrer", "no-referrer")
            return response

        @app.get("/style.css")
        def style() -> Response:
            return Response(self.style, mimetype="text/css")

        return app


@contextmanager
def company_site(portal: Portal, browser: Browser) -> Iterator[CompanySite]:
    site = CompanySite(portal, browser)
    try:
        yield site
    finally:
        site.close()
        portal.parts.database.close()


def frame_of(page: Page, number: int = 0) -> FrameLocator:
    return page.frame_locator("careers-portal iframe").nth(number)


def state_of(page: Page, number: int = 0) -> str:
    return str(page.locator("careers-portal").nth(number).get_attribute("state"))
