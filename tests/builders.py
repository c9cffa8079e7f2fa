"""Builders for tests: a clock that the test sets, a service, a portal, and people."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from flask import Flask

from portal.app import create_app
from portal.delivery.uploads.disk_space import FreeSpace, Space
from portal.platform.clock import SystemClock
from portal.platform.config.settings import Settings, TrackerSettings
from portal.platform.database.db import Database
from portal.services import Services
from portal.tracker import administration, loading
from portal.tracker.app import create_tracker
from portal.tracker.tables import open_database
from portal.worker import WorkerThreads
from tests.schemas import PORTAL, TRACKER, sqlite_copy
from tests.told_clock import ToldClock

SECRET = "a secret for tests, 32 characters"


@dataclass
class Service:
    """The real recruitment tracking service, reached through the real client without a socket."""

    database: Database
    app: Flask
    clock: SystemClock | ToldClock

    def add_tenant(self, slug: str, name: str) -> str:
        """Add a tenant with a key; return the key."""
        administration.add_tenant(self.database, self.clock, slug, name)
        return administration.create_key(self.database, self.clock, slug)

    def load(self, slug: str, lines: list[str]) -> None:
        loading.load(self.database, self.clock, slug, lines)

    @property
    def transport(self) -> httpx.WSGITransport:
        return httpx.WSGITransport(app=self.app)


def service(folder: Path, clock: SystemClock | ToldClock, url: str | None = None) -> Service:
    database = open_database(url or sqlite_copy(folder / "tracker.db", TRACKER))
    settings = TrackerSettings(database_url=database.url)
    return Service(database, create_tracker(settings, clock=clock, database=database), clock)


@dataclass
class Portal:
    """The real portal on the real service."""

    parts: Services
    app: Flask
    work: WorkerThreads
    service: Service
    folder: Path
    keys: dict[str, str] = field(default_factory=dict)
    looks: list[Callable[[httpx.Response], None]] = field(default_factory=list)
    """Look at every answer that a browser gets."""

    def browser(self, **headers: str) -> httpx.Client:
        """Return a browser that stores cookies and does not follow redirects."""
        return httpx.Client(
            transport=httpx.WSGITransport(app=self.app),
            base_url=self.parts.settings.base_url,
            headers=headers,
            event_hooks={"response": self.looks},
        )

    def add_tenant(self, slug: str, name: str, file: str = "") -> None:
        """Add a tenant to service and portal. file: the contents of its file besides name and tracker."""
        self.keys[slug] = self.service.add_tenant(slug, name)
        self.write_tenant(slug, name, file)

    def write_tenant(self, slug: str, name: str, file: str = "") -> None:
        key_file = self.folder / f"{slug}.key"
        key_file.write_text(self.keys.get(slug, "a-key-that-opens-nothing"), encoding="utf-8")
        link = f'[tracker]\nbase_url = "http://127.0.0.1"\napi_key = "file:{key_file}"\n'
        text = f'name = "{name}"\n{_file_of(file)}\n{link}'
        (self.parts.settings.tenants / f"{slug}.toml").write_text(text, encoding="utf-8")


def _file_of(file: str) -> str:
    return file or '[publish]\nstages = ["Open"]\n[apply]\nphone_region = "DE"\n'


def portal(
    folder: Path,
    *,
    clock: SystemClock | ToldClock | None = None,
    database_url: str | None = None,
    transport: httpx.BaseTransport | None = None,
    free_space: FreeSpace = lambda _: Space(10**12, 10**12),
    **settings: object,
) -> Portal:
    """Return a new portal with a new service. transport: replaces the network to the service; free_space: of disks."""
    clock = clock or ToldClock()
    tenants = folder / "tenants"
    tenants.mkdir(parents=True)
    behind = service(folder, clock)
    own: dict[str, object] = {
        "secret_key": SECRET,
        "database_url": database_url or sqlite_copy(folder / "portal.db", PORTAL),
        "tenants": tenants,
        "attachments": f"file:{folder / 'attachments'}",
        "mail": f"file:{folder / 'mail'}",
    }
    chosen = Settings(**{**own, **settings})  # type: ignore[arg-type]  tests name the settings they mean
    parts = Services.open(chosen, clock=clock, transport=transport or behind.transport, free_space=free_space)
    if database_url:  # a copy has its schema
        parts.database.upgrade()
    app = create_app(parts)
    return Portal(parts, app, WorkerThreads(parts), behind, folder)
