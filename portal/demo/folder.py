"""The demo's data folder: created on first start and kept from then on."""

import fcntl
import re
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import BinaryIO

from flask import Blueprint, Response, render_template

from portal.demo.vacancies import records
from portal.jobs.mirror import version
from portal.platform.clock import Clock
from portal.platform.config import private_files
from portal.platform.config.settings import TrackerSettings
from portal.platform.database.db import Database
from portal.platform.errors import SettingsError
from portal.services import Services
from portal.site.routing.access import public
from portal.tenants.model import Tenant
from portal.tenants.pictures import stored_pictures
from portal.tenants.pictures.checking import checked
from portal.tracker import administration, loading
from portal.tracker.hiring import colleagues
from portal.tracker.hiring.app import services_of
from portal.tracker.hiring.colleague_pages import issue_code
from portal.tracker.tables import open_database

PATH = "/demo/embedded"


def own_site(portal_url: str) -> str:
    """Return the origin of the company's own site."""
    return portal_url.replace("//127.0.0.1", "//localhost")


def blueprint(services: Services) -> Blueprint:
    """Return the blueprint of GET /demo/embedded and /demo/embedded.css."""
    pages = Blueprint("demo", __name__, template_folder="data")
    portal = services.settings.base_url
    # The policy of the company's own page: the two directives of docs/embedding.md, and what the page itself needs.
    policy = f"default-src 'none'; style-src 'self'; base-uri 'none'; script-src {portal}; frame-src {portal}"

    @pages.get(PATH)
    @public
    def embedded() -> Response:
        response = Response(render_template("embedded/page.html", portal=portal))
        response.headers["Content-Security-Policy"] = policy
        return response

    @pages.get(f"{PATH}.css")
    @public
    def styles() -> Response:
        return Response(render_template("embedded/page.css"), mimetype="text/css")

    return pages


TENANTS = {"acme": "Acme Robotics", "globex": "Globex Talent"}
OWNER = "owner@acme.example"
"""The colleague who can sign in to Acme's hiring pages."""
_DAY = 86_400
_DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class DemoFolder:
    """The folder of a demo and the paths in it. Secrets are files of mode 600, created here."""

    path: Path

    @property
    def tracker_url(self) -> str:
        """The URL of the service's database."""
        return f"sqlite:///{self.path / 'tracker.db'}"

    @property
    def portal_url(self) -> str:
        """The URL of the portal's database."""
        return f"sqlite:///{self.path / 'portal.db'}"

    @property
    def tenants(self) -> Path:
        """The folder of tenant files."""
        return self.path / "tenants"

    def key_file(self, slug: str) -> Path:
        """Return the path of a tenant's API key."""
        return self.path / "keys" / slug

    def secret_key(self, of: str = "") -> str:
        """Return the portal's secret key; of: "hiring-", that of the hiring pages."""
        return (self.path / f"{of}secret-key").read_text(encoding="utf-8").strip()


def lock_folder(path: Path) -> BinaryIO:
    """Lock the folder for this process until the returned file is closed. SettingsError if another demo uses it."""
    private_files.make_folder(path)
    private_files.make_file(path / "lock")
    lock = (path / "lock").open("rb")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise SettingsError(
            f"another demo uses the folder {path}: stop that one, or choose another folder with --data"
        ) from None
    return lock


def prepare(
    path: Path, *, portal_url: str, tracker_base_url: str, clock: Clock, progress: Callable[[str], None]
) -> DemoFolder:
    """Create what is missing and keep what exists; an interrupted step is repeated on the next start."""
    folder = DemoFolder(path.absolute())
    for name in ("tenants", "keys", "attachments", "mail"):
        private_files.make_folder(folder.path / name)
    folder.path.chmod(0o700)
    for name in ("secret-key", "hiring-secret-key"):
        if not (folder.path / name).exists():
            private_files.write(folder.path / name, secrets.token_hex(32) + "\n")
    service = open_database(folder.tracker_url)
    try:
        for slug, name in TENANTS.items():
            if not folder.key_file(slug).exists():
                progress(f"Loading {name}")
                administration.ensure_tenant(service, clock, slug, name)
                loading.load(service, clock, slug, records(slug, clock.now()))
                private_files.write(folder.key_file(slug), administration.create_key(service, clock, slug) + "\n")
            _tenant_file(folder, slug, portal_url, tracker_base_url)
    finally:
        service.close()
    return folder


def hiring_code(folder: DemoFolder, settings: TrackerSettings, clock: Clock) -> str | None:
    """Return a code with which Acme's owner can sign in to its hiring pages today; the owner is added if missing."""
    database = open_database(folder.tracker_url)
    try:
        services = services_of(settings, folder.secret_key("hiring-"), database, clock)
        acme, now = administration.hiring_tenant(database, "acme"), clock.now()
        colleagues.add(database, None, acme, OWNER, colleagues.Role.OWNER, by="demo", locale="en", now=now)
        return issue_code(services, acme, OWNER, ttl=_DAY)
    finally:
        database.close()


def _tenant_file(folder: DemoFolder, slug: str, portal_url: str, tracker_base_url: str) -> None:
    """Create the tenant file; later starts update only the demo's own URLs in it, so that edits are kept."""
    path = folder.tenants / f"{slug}.toml"
    if path.exists():
        text = path.read_text(encoding="utf-8")
    else:
        text = (_DATA / f"{slug}.toml").read_text(encoding="utf-8").replace("{key_file}", str(folder.key_file(slug)))
    origins = f'origins = ["{portal_url}", "{own_site(portal_url)}"]'
    renewed = re.sub(r'(?m)^base_url = ".*"', f'base_url = "{tracker_base_url}"', text, count=1)
    renewed = re.sub(r'(?m)^origins = \["http://127.0.0.1:\d+", "http://localhost:\d+"\]$', origins, renewed)
    if renewed != text:
        private_files.write(path, renewed)


_NEVER = timedelta(days=36_500)
_DRAWN = re.compile(r"https://[a-z.-]+\.example/([a-z-]{1,60}\.svg)")
"""The URL of a drawing of the demo, and its name in the folder after the tenant's."""


def store_pictures(database: Database, tenants: Iterable[Tenant], clock: Clock) -> None:
    """Store the drawings as if they had been fetched. A picture whose URL was edited in the tenant file is fetched."""
    for tenant in tenants:
        for slot, address in stored_pictures.addresses(tenant).items():
            named = _DRAWN.fullmatch(address)
            drawn = _DATA / "pictures" / f"{tenant.slug}-{named[1]}" if named else None
            if drawn and drawn.exists():
                picture = checked(drawn.read_bytes(), stored_pictures.kind_of(slot))
                until = clock.now() + _NEVER
                stored_pictures.keep(database, tenant.slug, slot, address, picture, until=until, renew=version.renew)
