"""The only place that wires: settings → parts → application."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from flask import Flask

import portal.migrations
from portal import apply, browse, profile
from portal.attachments.address import open_store
from portal.attachments.store import Store
from portal.clock import Clock, SystemClock
from portal.db import Database
from portal.settings import Settings, read_secret
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant
from portal.upstream.client import Upstream
from portal.upstream.deadline import DeadlineTransport
from portal.web import assemble, health, metrics
from portal.web.services import Services

_HERE = Path(__file__).parent


def _folder(name: str) -> Path:
    """Beside the package in a checkout, inside it in a wheel."""
    inside = _HERE / name
    return inside if inside.is_dir() else _HERE.parent / name


TEMPLATES = _folder("templates")
STATIC = _folder("static")
TRANSLATIONS = _HERE / "translations"


def open_database(settings: Settings) -> Database:
    """The portal's database, schema unchecked."""
    return Database(settings.database_url, migrations=Path(portal.migrations.__path__[0]))


@dataclass(slots=True)
class Parts:
    """What the web application, the worker and the commands are made of."""

    settings: Settings
    clock: Clock
    database: Database
    tenants: Tenants
    store: Store
    transport: httpx.BaseTransport | None = None
    _clients: dict[str, tuple[Tenant, Upstream]] = field(default_factory=dict)
    _sockets: DeadlineTransport = field(default_factory=DeadlineTransport)
    """One pool for every tenant: a pool each would keep a connection open for each of a thousand tenants."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def open(cls, settings: Settings, *, clock: Clock, transport: httpx.BaseTransport | None = None) -> "Parts":
        """Open every part that the settings name; transport replaces the network towards the service in tests."""
        return cls(
            settings=settings,
            clock=clock,
            database=open_database(settings),
            tenants=Tenants(settings.tenants, read_secret=read_secret, clock=clock),
            store=open_store(settings.attachments, s3_endpoint=settings.s3_endpoint),
            transport=transport,
        )

    @classmethod
    def ready(cls, settings: Settings, *, clock: Clock) -> "Parts":
        """Open every part on a schema that this release can use; SchemaOutdated, and nothing is left open."""
        parts = cls.open(settings, clock=clock)
        try:
            parts.database.require_current_schema()
        except BaseException:
            parts.close()
            raise
        return parts

    def close(self) -> None:
        """Close every connection, to the database and to services."""
        self.database.close()
        self._sockets.close()

    def upstream(self, tenant: Tenant) -> Upstream:
        """The client of a tenant's service; kept until the tenant's file says otherwise."""
        with self._lock:
            known = self._clients.get(tenant.slug)
            if known and known[0].tracker == tenant.tracker:
                return known[1]
            client = Upstream(
                base_url=tenant.tracker.base_url,
                slug=tenant.tracker.slug,
                api_key=tenant.tracker.api_key,
                clock=self.clock,
                deadline=self.settings.delivery_deadline,
                transport=self.transport or self._sockets,
            )
            self._clients[tenant.slug] = (tenant, client)
            return client


def create_app(settings: Settings, *, parts: Parts | None = None) -> Flask:
    """The portal as a WSGI application."""
    parts = parts or Parts.open(settings, clock=SystemClock())
    app = Flask("portal", template_folder=str(TEMPLATES), static_folder=str(STATIC))
    services = Services(settings, parts.database, parts.tenants, parts.store, parts.clock)
    slices = [
        browse.blueprint(services),
        apply.blueprint(services),
        profile.blueprint(services, parts.upstream),
        health.blueprint(services),
        metrics.blueprint(services),
    ]
    assemble(app, services, slices)
    return app


def from_env(environ: Mapping[str, str] | None = None) -> Flask:
    """What a WSGI server imports."""
    settings = Settings.from_env(environ)
    return create_app(settings, parts=Parts.ready(settings, clock=SystemClock()))
