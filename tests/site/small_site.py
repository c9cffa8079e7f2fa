"""A small site for testing what all pages share: real tenant files and templates, minimal views."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import html5lib
from flask import Blueprint, Flask, Response
from werkzeug.exceptions import NotFound, TooManyRequests, default_exceptions
from werkzeug.test import Client, TestResponse

from portal.gateway.concurrency import WAITING, ConcurrencyLimit
from portal.gateway.serving import RsgiApplication, rsgi_application
from portal.platform.config.settings import Settings
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database
from portal.platform.errors import PortalError, StoreUnavailable
from portal.site import assemble
from portal.site.gateway import wrap_in_gateway
from portal.site.page_cache import PageCache
from portal.site.routing.access import form, framable, private, public
from portal.site.routing.tenant import for_tenant
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant
from tests.schemas import PORTAL, sqlite_copy
from tests.told_clock import ToldClock

ROOT = Path(__file__).parents[2]
FILE = """
name = "{name}"
{more}
[tracker]
base_url = "http://127.0.0.1:9"
api_key = "env:KEY"
"""


@dataclass
class MirrorVersion:
    tag: str = "1"
    until: datetime | None = None


@dataclass
class Site:
    """A site with its settings and a client, for a test."""

    folder: Path
    base_url: str = "http://careers.example"
    clock: ToldClock = field(default_factory=ToldClock)
    version: MirrorVersion = field(default_factory=MirrorVersion)
    made: list[str] = field(default_factory=list)
    meanwhile: Callable[[], None] = lambda: None
    max_bytes: int = 1_000_000
    trusted_proxies: int = 0
    threads: int = 256
    app: Flask = field(init=False)

    def __post_init__(self) -> None:
        (self.folder / "tenants").mkdir(exist_ok=True)
        secret = "x" * 32
        settings = Settings(
            secret_key=secret,
            tenants=self.folder / "tenants",
            base_url=self.base_url,
            trusted_proxies=self.trusted_proxies,
        )
        tenants = Tenants(settings.tenants, read_secret=lambda _: "key", clock=self.clock)
        database = Database(sqlite_copy(self.folder / "x.db", PORTAL), migrations=PORTAL)
        self.app = Flask("portal", template_folder=str(ROOT / "templates"), static_folder=str(ROOT / "static"))
        pages = [self._views(tenants)]
        seal, url = Seal(secret), self.base_url
        assemble(self.app, pages, database, tenants, seal, self.clock, url, store=None, require_schema=lambda: None)
        wrap_in_gateway(self.app, tenants, self.clock, ConcurrencyLimit(4, waiting=WAITING), settings)

    def tenant(self, slug: str, name: str = "Acme Robotics", more: str = "") -> None:
        self.write(slug, FILE.format(name=name, more=more))
        self.clock.pass_time(1)

    def broken_tenant(self, slug: str) -> None:
        self.write(slug, "name = \n")
        self.clock.pass_time(1)

    def write(self, slug: str, text: str) -> None:
        (self.folder / "tenants" / f"{slug}.toml").write_text(text, encoding="utf-8")

    def get(self, path: str, *, host: str | None = None, method: str = "GET", **headers: str) -> TestResponse:
        """Fetch a page as a browser would; whatever is HTML is parsed strictly."""
        own = {name.replace("_", "-"): value for name, value in headers.items()}
        base = f"http://{host}" if host else self.base_url
        answer = Client(self.app).open(path, base_url=base, method=method, headers=own)
        if answer.mimetype == "text/html" and answer.data:
            html5lib.HTMLParser(strict=True).parse(answer.text)
        return answer

    def _views(self, tenants: Tenants) -> Blueprint:
        pages = Blueprint("views", __name__)
        kept = PageCache(self.clock, lambda _slug, _now: self.version, max_bytes=self.max_bytes)

        @pages.get("/<slug>/")
        @public
        @for_tenant(tenants)
        def jobs(tenant: Tenant) -> Response:
            return _text(f"jobs of {tenant.name}")

        @pages.get("/<slug>/jobs/<posting_id>")
        @public
        @framable
        @for_tenant(tenants)
        def job(tenant: Tenant, posting_id: str) -> Response:
            def make() -> Response:
                self.made.append(posting_id)
                self.meanwhile()
                return _text(f"{tenant.name}: {posting_id} {'.' * 1000}")

            return kept.answer(tenant, posting_id, make, is_search=posting_id.startswith("search"))

        @pages.route("/<slug>/jobs/<posting_id>/apply", methods=["GET", "POST"])
        @form
        @for_tenant(tenants)
        def apply(tenant: Tenant, posting_id: str) -> Response:
            return _text(f"{tenant.name} {posting_id}")

        @pages.get("/<slug>/profile/edit")
        @private
        @for_tenant(tenants)
        def record(tenant: Tenant) -> Response:
            return _text(tenant.name)

        @pages.get("/<slug>/fails/<how>")
        @public
        @for_tenant(tenants)
        def fails(tenant: Tenant, how: str) -> str:
            raise FAILURES[how] if how in FAILURES else default_exceptions.get(int(how), NotFound)

        return pages


FAILURES: dict[str, Exception] = {
    "store": StoreUnavailable("the bucket is away"),
    "portal": PortalError("for operators"),
    "bug": ZeroDivisionError("jane@people.example"),
    "429": TooManyRequests(retry_after=17),
}


def _text(words: str) -> Response:
    return Response(words, mimetype="text/plain")


def serving() -> RsgiApplication:
    """Serve a site in the folder of a real server."""
    site = Site(Path.cwd(), base_url="http://127.0.0.1")
    site.tenant("acme")
    site.clock.pass_time(1)
    return rsgi_application(site.app, threads=4, bodies_per_network=20, bodies=30)
