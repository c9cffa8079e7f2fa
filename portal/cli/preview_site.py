"""One tenant's pages on loopback, for as long as pictures are taken: from its mirror, or with invented jobs."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
from werkzeug.serving import WSGIRequestHandler, make_server

from portal.app import create_app
from portal.clock import Clock
from portal.demo.vacancies import records
from portal.errors import PortalError
from portal.parts import Parts
from portal.passes.run import Order
from portal.pictures import keeping
from portal.pictures.fetching import Web
from portal.pictures.tables import Kind
from portal.settings import Settings, TrackerSettings
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant, TrackerLink
from portal.tracker import administration, loading
from portal.tracker.app import create_tracker
from portal.tracker.database import open_database
from portal.vacancies import mirror, version
from portal.vacancies.whole import open_postings

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

FRAME = "/preview-frame"
"""Shows the page of its query in a frame as wide as a phone: a window of a browser cannot be so narrow."""
_HINDERING = frozenset({"x-frame-options", "content-security-policy"})


@dataclass(frozen=True, slots=True)
class PreviewSite:
    """origin: where it is served. pages: name → path. says: what it shows, for whoever asked."""

    origin: str
    pages: dict[str, str]
    says: str


@contextmanager
def preview_site(settings: Settings, tenant: Tenant, scratch: Path, clock: Clock) -> Iterator[PreviewSite]:
    """Serve it until the block ends. scratch: an empty folder, for what a portal writes. Raises PortalError."""
    own = replace(
        settings,
        base_url="http://127.0.0.1",
        attachments=f"file:{scratch / 'attachments'}",
        mail=f"file:{scratch / 'mail'}",
        rate_limits="memory:",
        trusted_proxies=0,
    )
    parts, shown, says = _mirrored(own, tenant, clock) or _invented(own, tenant, scratch, clock)
    parts.tenants = _Alone(shown)
    try:
        job = next(open_postings(parts.database, shown, clock.now())).id
        server = make_server("127.0.0.1", 0, _framed(create_app(parts)), threaded=True, request_handler=_Quiet)
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
        parts.close()


def _mirrored(settings: Settings, tenant: Tenant, clock: Clock) -> tuple[Parts, Tenant, str] | None:
    """On the portal's own database, which is only read; None where it has no open job of the tenant."""
    file = settings.database_url.removeprefix("sqlite:///")
    if file != settings.database_url and not Path(file).exists():
        return None  # to open it would make it
    parts = Parts.open(settings, clock=clock)
    try:
        parts.database.require_current_schema()
        if list(islice(open_postings(parts.database, tenant, clock.now()), 1)):
            return parts, tenant, _says("its own jobs", keeping.missing(parts.database, tenant))
    except PortalError:
        pass  # there is no database yet, or none of this release: a file is looked at before all else is set up
    parts.close()
    return None


def _invented(settings: Settings, tenant: Tenant, scratch: Path, clock: Clock) -> tuple[Parts, Tenant, str]:
    """On a database of its own, with the demo's jobs; the tenant's pictures are fetched for it."""
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
    parts = Parts.open(
        replace(settings, database_url=f"sqlite:///{scratch / 'portal.db'}"),
        clock=clock,
        transport=httpx.WSGITransport(app=tracker),
    )
    parts.database.upgrade()
    mirror.sync(parts.database, parts.upstream(shown), shown, clock, Order(full=True, force=True))
    service.close()
    web = Web(clock)
    keeping.refresh(parts.database, [shown], web, clock, version.renew)
    web.close()
    return (
        parts,
        shown,
        _says("invented jobs, for none of its own are mirrored", keeping.missing(parts.database, shown)),
    )


def _says(jobs: str, missing: dict[Kind, str]) -> str:
    return "; ".join([f"shown with {jobs}", *(f"{kind}: {why}" for kind, why in missing.items())])


class _Alone(Tenants):
    """One tenant, as it was read."""

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
        """Who took a picture of what is nobody's concern."""


def _framed(app: "WSGIApplication") -> "WSGIApplication":
    """The application, whose pages may be framed here, and the page with the frame."""

    def answer(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        if environ.get("PATH_INFO") == FRAME:
            start_response("200 OK", [("Content-Type", "text/html; charset=utf-8")])
            return [_FRAME_PAGE.replace("PAGE", environ.get("QUERY_STRING", "")).encode()]

        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Callable[[bytes], object]:  # noqa: ANN401  WSGI's
            kept = [(name, value) for name, value in headers if name.lower() not in _HINDERING]
            return start_response(status, kept, *more)

        return app(environ, start)

    return answer


_FRAME_PAGE = (
    '<!DOCTYPE html><html lang="en"><meta name="color-scheme" content="light dark"><title>Preview</title>'
    "<style>body{margin:0}iframe{border:0;width:390px;height:100vh;display:block}</style>"
    '<iframe src="PAGE" title="Preview"></iframe>'
)
