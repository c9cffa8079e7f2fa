"""Services that the web application, the worker and the commands share: opened once per process, passed by argument."""

import logging
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from portal.adapters.storage.opening import WatchedStore, folder_of, open_store
from portal.adapters.storage.store import Store
from portal.adapters.tracker_client.client import PageConcurrencyLimit, TrackerClient
from portal.adapters.tracker_client.deadline import DeadlineTransport
from portal.delivery.uploads.disk_space import DATABASE, Disks, FreeSpace, of_disk
from portal.gateway.concurrency import WAITING, ConcurrencyLimit
from portal.platform.clock import Clock
from portal.platform.config.settings import Exemption, Settings, read_secret
from portal.platform.crypto.sealing import Seal
from portal.platform.crypto.signing import FormSigner
from portal.platform.database.db import Database
from portal.platform.database.migrations import FOLDER
from portal.platform.errors import DatabaseUnavailable, DiskNearlyFull, SchemaError
from portal.platform.logs import Part
from portal.platform.logs.outage_log import Outages
from portal.platform.rate_limits import Throttle
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant

log = logging.getLogger(__name__)


IN_A_WORKER = 60.0
"""Seconds that a worker or a command waits for the database: a full sync may take that long."""
WHILE_SOMEBODY_WAITS = 4.0
"""The same for a web server: its visitor gets a response within five seconds."""


def open_database(settings: Settings, *, timeout: float | None = None) -> Database:
    """Return the portal's database without checking its schema. timeout: see Database."""
    return Database(settings.database_url, migrations=FOLDER, timeout=timeout)


def _written(settings: Settings, database: Database) -> dict[str, Path]:
    """Return the paths on this machine that are written to, by the names that operators know."""
    places = {
        "attachments": folder_of(settings.attachments),
        "temporary files": Path(tempfile.gettempdir()),
        DATABASE: database.file,
    }
    return {name: path for name, path in places.items() if path}


@dataclass(slots=True)
class Services:
    """Container of what a process needs; one per process. transport: replaces the network to services, for tests."""

    settings: Settings
    clock: Clock
    database: Database
    tenants: Tenants
    store: Store
    erasures: Store
    """Where erasures are recorded outside the database: PORTAL_ERASURES, or the same as `store`."""
    seal: Seal
    signer: FormSigner
    throttle: Throttle
    concurrency: ConcurrencyLimit
    """Limits this process's requests; a request that waits for a tracking service or file storage releases its slot."""
    disks: Disks
    outages: Outages
    transport: httpx.BaseTransport | None = None
    schema_is_known: bool = True
    """Whether the database's schema has been checked, or need not be; set by require_schema."""
    waits: bool = False
    """Whether this process started without the database, and retries until it is available."""
    _schema_says: str = ""
    _clients: dict[str, tuple[Tenant, TrackerClient]] = field(default_factory=dict)
    _page_limit: PageConcurrencyLimit = field(default_factory=PageConcurrencyLimit)
    _sockets: DeadlineTransport = field(default_factory=DeadlineTransport)
    """One connection pool for all tenants: separate ones would keep a connection open for each of a thousand tenants.
    """
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def open(
        cls,
        settings: Settings,
        *,
        clock: Clock,
        transport: httpx.BaseTransport | None = None,
        free_space: FreeSpace = of_disk,
        timeout: float = IN_A_WORKER,
        tells: bool = True,
    ) -> "Services":
        """Open every service that the settings name; nothing connects yet.

        free_space: returns the free space on the disk of a path. timeout: seconds that the database may take to
        respond. tells: whether outages are logged; a command reports them itself.
        """
        outages = Outages(clock, tells=tells)
        keys = (settings.secret_key, settings.secret_key_fallbacks)
        concurrency = ConcurrencyLimit(settings.threads, waiting=WAITING)
        database = open_database(settings, timeout=timeout)
        store = WatchedStore(
            open_store(
                settings.attachments,
                s3_endpoint=settings.s3_endpoint,
                s3_public=settings.s3_public,
                waiting=concurrency.slot_released,
            ),
            outages.of(Part.STORE),
        )
        erasures = settings.erasures and open_store(settings.erasures, s3_endpoint=settings.s3_endpoint)
        return cls(
            settings=settings,
            clock=clock,
            database=database,
            tenants=Tenants(
                settings.tenants,
                read_secret=read_secret,
                clock=clock,
                portal_host=urlsplit(settings.base_url).hostname,
                http_everywhere=Exemption.SERVICE_HTTP in settings.allow_insecure,
            ),
            store=store,
            erasures=erasures or store,
            seal=Seal(*keys),
            signer=FormSigner(*keys, ttl=settings.form_ttl),
            throttle=Throttle(settings.rate_limits, clock, outages.of(Part.RATE_LIMITS)),
            concurrency=concurrency,
            disks=Disks(_written(settings, database), free_space),
            outages=outages,
            transport=transport,
        )

    @classmethod
    def open_checked(cls, settings: Settings, *, clock: Clock) -> "Services":
        """Open every service and require a usable schema; raises SchemaError, and leaves nothing open then."""
        services = cls.open(settings, clock=clock, tells=False)
        try:
            services.database.require_current_schema()
        except BaseException:
            services.close()
            raise
        return services

    @classmethod
    def open_tolerating_outage(
        cls, settings: Settings, *, clock: Clock, timeout: float = IN_A_WORKER, tells: bool = True
    ) -> "Services":
        """Open every service, even while the database is unavailable: require_schema retries until it is available.

        tells: whether the log says that the database is unavailable, and that it has recovered. Raises SchemaError.
        """
        services = cls.open(settings, clock=clock, timeout=timeout, tells=tells)
        services.schema_is_known = False
        if tells:
            services.database.outage.log = services.outages.of(Part.DATABASE)
            services.database.outage.pool_log = services.outages.of(Part.CONNECTIONS)
        try:
            services.require_schema()
        except DatabaseUnavailable:
            services.waits = tells
            if tells:
                log.warning("nothing can be done until the database is available")
        except BaseException:
            services.close()
            raise
        return services

    def require_schema(self) -> None:
        """Raise SchemaError or DatabaseUnavailable; a schema that was found usable is not checked again.

        A process that started without the database keeps waiting for a usable schema, and logs once what to do.
        """
        if self.schema_is_known:
            return
        try:
            self.database.require_current_schema()
        except SchemaError as error:
            if self.waits:
                if self._schema_says != str(error):
                    self._schema_says = str(error)
                    log.error("nothing can be done yet: %s", self._schema_says)  # noqa: TRY400  expected; the message is enough, no traceback
                error.is_told = True
            raise
        self.schema_is_known = True

    def close(self) -> None:
        """Close every connection, to the database and to other servers."""
        self.database.close()
        self._sockets.close()

    @property
    def sockets(self) -> httpx.BaseTransport:
        """Transport to servers other than the tenants' tracking services."""
        return self._sockets

    def short_of_space(self) -> list[str]:
        """Return the places with too little disk space to accept files; log when a shortage begins and when it ends."""
        asked_at, outage = self.clock.monotonic(), self.outages.of(Part.UPLOADS)
        short = self.disks.short_of_space()
        if short:
            outage.begins(DiskNearlyFull(f"files are not accepted: too little disk space for {', '.join(short)}"))
        else:
            outage.ends(asked_at)
        return short

    @property
    def scans(self) -> bool:
        """Whether a malware scanner has to check each file before it is delivered."""
        return self.settings.scanner != "off"

    def upstream(self, tenant: Tenant) -> TrackerClient:
        """Return the client of a tenant's tracking service; cached until the tenant file changes its address or key."""
        with self._lock:
            known = self._clients.get(tenant.slug)
            if known and known[0].tracker == tenant.tracker:
                return known[1]
            client = TrackerClient(
                base_url=tenant.tracker.base_url,
                slug=tenant.tracker.slug,
                api_key=tenant.tracker.api_key,
                clock=self.clock,
                deadline=self.settings.delivery_deadline,
                transport=self.transport or self._sockets,
            )
            self._clients[tenant.slug] = (tenant, client)
            return client

    @contextmanager
    def client_for_page(self, tenant: Tenant) -> Iterator[TrackerClient]:
        """Yield the client for one page, which waits for seconds only.

        Raises TemporarilyUnavailable if too many pages wait already.
        """
        with self.concurrency.slot_released(), self._page_limit.limited(tenant.slug, self.clock):
            yield self.upstream(tenant)
