"""`portal tenants`: previews of tenant files, for those who write them."""

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import httpx
from PIL import Image
from werkzeug.serving import WSGIRequestHandler, make_server

from portal.app import create_app
from portal.background.sync.run import PassOptions
from portal.cli.sync import chosen
from portal.demo.vacancies import records
from portal.jobs.mirror import mirror, version
from portal.jobs.open_jobs import open_postings
from portal.platform.clock import Clock, SystemClock
from portal.platform.config.settings import Exemption, Settings, TrackerSettings, read_secret
from portal.platform.errors import PortalError, SettingsError
from portal.services import Services
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant, TrackerLink
from portal.tenants.pictures import stored_pictures
from portal.tenants.pictures.fetching import PictureDownloader
from portal.tracker import administration, loading
from portal.tracker.app import create_tracker
from portal.tracker.tables import open_database

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

FRAME = "/preview-frame"
"""Path of a page that frames the page named by its query at phone width, which browser windows cannot have."""
_HINDERING = frozenset({"x-frame-options", "content-security-policy"})


@dataclass(frozen=True, slots=True)
class PreviewSite:
    """A tenant's pages being served. origin: where. pages: name → path. says: what it shows, for operators."""

    origin: str
    pages: dict[str, str]
    says: str


@contextmanager
def preview_site(settings: Settings, tenant: Tenant, scratch: Path, clock: Clock) -> Iterator[PreviewSite]:
    """Serve the pages until the block ends. scratch: an empty folder for the files it writes. Raises PortalError."""
    own = replace(
        settings,
        base_url="http://127.0.0.1",
        attachments=f"file:{scratch / 'attachments'}",
        mail=f"file:{scratch / 'mail'}",
        rate_limits="memory:",
        trusted_proxies=0,
    )
    services, shown, says = _mirrored(own, tenant, clock) or _invented(own, tenant, scratch, clock)
    services.tenants = _Alone(shown)
    try:
        job = next(open_postings(services.database, shown, clock.now())).id
        server = make_server("127.0.0.1", 0, _framed(create_app(services)), threaded=True, request_handler=_Quiet)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            home = f"/{tenant.slug}"
            pages = {"list": f"{home}/", "job": f"{home}/jobs/{job}", "form": f"{home}/jobs/{job}/apply"}
            yield PreviewSite(f"http://127.0.0.1:{server.server_port}", pages, says)
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
    finally:
        services.close()


def _mirrored(settings: Settings, tenant: Tenant, clock: Clock) -> tuple[Services, Tenant, str] | None:
    """Use the portal's own database, read-only; None if it has no open job of the tenant."""
    file = settings.database_url.removeprefix("sqlite:///")
    if file != settings.database_url and not Path(file).exists():
        return None  # opening a missing SQLite database would create it
    services = Services.open(settings, clock=clock)
    try:
        services.database.require_current_schema()
        if list(islice(open_postings(services.database, tenant, clock.now()), 1)):
            return services, tenant, _jobs_in_words("its own jobs", stored_pictures.missing(services.database, tenant))
    except PortalError:
        pass  # the database is missing or of another release; a preview must work before the portal is set up
    services.close()
    return None


def _invented(settings: Settings, tenant: Tenant, scratch: Path, clock: Clock) -> tuple[Services, Tenant, str]:
    """Use a temporary database with the demo's jobs; the tenant's pictures are fetched into it."""
    service = open_database(f"sqlite:///{scratch / 'tracker.db'}")
    administration.ensure_tenant(service, clock, tenant.slug, tenant.name)
    loading.load(service, clock, tenant.slug, records("acme", clock.now()))
    key = administration.create_key(service, clock, tenant.slug)
    tracker = create_tracker(TrackerSettings(database_url=service.url), clock=clock, database=service)
    shown = replace(
        tenant,
        tracker=TrackerLink("http://127.0.0.1", tenant.slug, key),
        publish=replace(tenant.publish, stages=frozenset({"Open"}), posting_attribute=None),
    )
    services = Services.open(
        replace(settings, database_url=f"sqlite:///{scratch / 'portal.db'}"),
        clock=clock,
        transport=httpx.WSGITransport(app=tracker),
    )
    services.database.upgrade()
    mirror.sync(services.database, services.upstream(shown), shown, clock, PassOptions(full=True, force=True))
    service.close()
    downloader = PictureDownloader(clock)
    stored_pictures.refresh(services.database, [shown], downloader, clock, version.renew)
    downloader.close()
    return (
        services,
        shown,
        _jobs_in_words(
            "sample jobs, because none of its own are synced", stored_pictures.missing(services.database, shown)
        ),
    )


def _jobs_in_words(jobs: str, missing: dict[str, str]) -> str:
    reasons = (f"{stored_pictures.setting_of(slot)}: {why}" for slot, why in missing.items())
    return "; ".join([f"shown with {jobs}", *reasons])


class _Alone(Tenants):
    """A stand-in for Tenants with a single tenant that was already read."""

    def __init__(self, tenant: Tenant) -> None:
        self._tenant = tenant

    def get(self, slug: str) -> Tenant | None:
        return self._tenant if slug == self._tenant.slug else None

    def all(self) -> list[Tenant]:
        return [self._tenant]

    def problems(self) -> dict[str, str]:
        return {}

    def by_host(self, host: str) -> Tenant | None:  # noqa: ARG002  Tenants' signature
        return None


class _Quiet(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002  werkzeug's signature
        """Do nothing: the requests of a screenshot are not logged."""


def _framed(app: "WSGIApplication") -> "WSGIApplication":
    """Wrap the application so that its pages may be framed here, and add the page with the frame."""

    def answer(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        if environ.get("PATH_INFO") == FRAME:
            start_response("200 OK", [("Content-Type", "text/html; charset=utf-8")])
            return [_FRAME_PAGE.replace("PAGE", environ.get("QUERY_STRING", "")).encode()]

        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Callable[[bytes], object]:  # noqa: ANN401  WSGI's
            remaining = [(name, value) for name, value in headers if name.lower() not in _HINDERING]
            return start_response(status, remaining, *more)

        return app(environ, start)

    return answer


_FRAME_PAGE = (
    '<!DOCTYPE html><html lang="en"><meta name="color-scheme" content="light dark"><title>Preview</title>'
    "<style>body{margin:0}iframe{border:0;width:390px;height:100vh;display:block}</style>"
    '<iframe src="PAGE" title="Preview"></iframe>'
)


_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_SECONDS = 90
_HEIGHT = 1400
_PHONE, _DESKTOP = 390, 1280
_NARROWEST = 500
"""CSS px; Chromium's windows cannot be narrower."""


@dataclass(frozen=True, slots=True)
class Screenshots:
    """A browser that takes screenshots. browser: path of its executable."""

    browser: str

    @classmethod
    def found(cls) -> "Screenshots":
        """Return one that uses the first browser on the PATH. Raises SettingsError."""
        browser = next(filter(None, map(shutil.which, _NAMES)), None)
        if browser is None:
            raise SettingsError("screenshots need Chromium or Chrome, and neither is installed here")
        return cls(browser)

    def take(self, origin: str, path: str, folder: Path, name: str, scratch: Path) -> Iterator[Path]:
        """Save the page as NAME-phone-light.png and so on; yields each path once it is written. Raises PortalError."""
        for scheme in ("light", "dark"):
            phone, desktop = (folder / f"{name}-{device}-{scheme}.png" for device in ("phone", "desktop"))
            self._shoot(f"{origin}{FRAME}?{path}", _NARROWEST, phone, scheme, scratch)
            with Image.open(phone) as wide:
                narrow = wide.crop((0, 0, _PHONE, _HEIGHT))
            narrow.save(phone)
            yield phone
            self._shoot(f"{origin}{path}", _DESKTOP, desktop, scheme, scratch)
            yield desktop

    def _shoot(self, address: str, width: int, to: Path, scheme: str, scratch: Path) -> None:
        to.unlink(missing_ok=True)
        command = [
            self.browser,
            "--headless",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            f"--user-data-dir={scratch / 'browser'}",
            f"--window-size={width},{_HEIGHT}",
            f"--screenshot={to.absolute()}",
            *(["--force-dark-mode"] if scheme == "dark" else []),
            *(["--no-sandbox"] if os.geteuid() == 0 else []),  # root, as in a container, cannot use the sandbox
            address,
        ]
        try:
            subprocess.run(command, timeout=_SECONDS, capture_output=True, check=False)  # noqa: S603  a browser on the PATH, our own page
        except subprocess.TimeoutExpired as exc:
            raise PortalError(f"{self.browser} took no screenshot within {_SECONDS} seconds") from exc
        if not to.exists():
            raise PortalError(
                f"{self.browser} took no screenshot; check that it starts on its own with {self.browser} --version"
            )


@click.group("tenants")
def tenants() -> None:
    """Tenants, as defined by their files."""


@tenants.command("preview")
@click.argument("slug")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Default: preview/SLUG.")
def preview(slug: str, out: Path | None) -> None:
    """Take screenshots of the list, a job and the form, on phone and desktop, light and dark. Changes nothing."""
    settings, clock = Settings.from_env(), SystemClock()
    http_everywhere = Exemption.SERVICE_HTTP in settings.allow_insecure
    known = Tenants(settings.tenants, read_secret=read_secret, clock=clock, http_everywhere=http_everywhere)
    (tenant,) = chosen(known, [slug])
    screenshots = Screenshots.found()
    folder = out or Path("preview") / slug
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, preview_site(settings, tenant, Path(scratch), clock) as site:
        click.echo(site.says)
        for name, path in site.pages.items():
            for picture in screenshots.take(site.origin, path, folder, name, Path(scratch)):
                click.echo(str(picture))
