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


WORKER_DB_TIMEOUT = 60.0
"""Seconds that a worker or a command waits for the database: a full sync may take that long."""
WEB_DB_TIMEOUT = 4.0
"""The same for a web server: its visitor gets a response within five seconds."""


def open_database(settings: Settings, *, timeout: float | None = None) -> Database:
    """Return the portal's database without checking its schema. timeout: see Database."""
    return Database(settings.database_url, migrations=FOLDER, timeout=timeout)


def _writable_paths(settings: Settings, database: Database) -> dict[str, Path]:
    """Return the paths on this machine that are written to, by the names that operators know."""
    places = {
        "attachments": folder_of(settings.attachments),
        "temporary files": Path(tempfile.gettempdir()),
        DATABASE: database.file,
    }
    return {name: path for name, path in places.items() if path}


@dataclass(slots=True)
class Services:
    """The objects that a process needs, one set for each. transport: replaces the network to services, for tests."""

    settings: Settings
    clock: Clock
    database: Database
    tenants: Tenants
    store: Store
    erasures: Store
    """Where erasures are recorded outside the database: PORTAL_ERASURES, or the same as `store`."""
    seal: Seal
    """Encrypts stored personal data and computes keyed hashes of it."""
    signer: FormSigner
    throttle: Throttle
    concurrency: ConcurrencyLimit
    """Limits this process's requests; a request that waits for a tracking service or file storage releases its slot."""
    disks: Disks
    outages: Outages
    transport: httpx.BaseTransport | None = None
    schema_checked: bool = True
    """Whether the database's schema has been checked, or need not be; set by require_schema."""
    logs_schema_errors: bool = False
    """Whether require_schema logs a SchemaError: if this process started without the database, and logs outages."""
    _last_schema_error: str = ""
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
        timeout: float = WORKER_DB_TIMEOUT,
        log_outages: bool = True,
    ) -> "Services":
        """Open every service that the settings name; nothing connects yet.

        free_space: returns the free space on the disk of a path. timeout: seconds that the database may take to
        respond. log_outages: whether outages are logged; a command reports them itself.
        """
        outages = Outages(clock, log_outages=log_outages)
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
            disks=Disks(_writable_paths(settings, database), free_space),
            outages=outages,
            transport=transport,
        )

    @classmethod
    def open_checked(cls, settings: Settings, *, clock: Clock) -> "Services":
        """Open every service and require a usable schema; raises SchemaError, and leaves nothing open then."""
        services = cls.open(settings, clock=clock, log_outages=False)
        try:
            services.database.require_current_schema()
        except BaseException:
            services.close()
            raise
        return services

    @classmethod
    def open_tolerating_outage(
        cls, settings: Settings, *, clock: Clock, timeout: float = WORKER_DB_TIMEOUT, log_outages: bool = True
    ) -> "Services":
        """Open every service, even while the database is unavailable: require_schema retries until it is available.

        log_outages: log that the database is unavailable, and that it has recovered; also let require_schema log a
        schema that is unusable once the database is available. Raises SchemaError.
        """
        services = cls.open(settings, clock=clock, timeout=timeout, log_outages=log_outages)
        services.schema_checked = False
        if log_outages:
            services.database.outage.log = services.outages.of(Part.DATABASE)
            services.database.outage.pool_log = services.outages.of(Part.CONNECTIONS)
        try:
            services.require_schema()
        except DatabaseUnavailable:
            services.logs_schema_errors = log_outages
            if log_outages:
                log.warning("nothing can be done until the database is available")
        except BaseException:
            services.close()
            raise
        return services

    def require_schema(self) -> None:
        """Raise SchemaError or DatabaseUnavailable; a schema that was found usable is not checked again.

        A process that started without the database keeps waiting for a usable schema. If logs_schema_errors is set, it
        logs what to do, once for each message.
        """
        if self.schema_checked:
            return
        try:
            self.database.require_current_schema()
        except SchemaError as error:
            if self.logs_schema_errors:
                if self._last_schema_error != str(error):
                    self._last_schema_error = str(error)
                    log.error("nothing can be done yet: %s", self._last_schema_error)  # noqa: TRY400  expected; the message is enough, no traceback
                error.already_logged = True
            raise
        self.schema_checked = True

    def close(self) -> None:
        """Close every connection, to the database and to other servers."""
        self.database.close()
        self._sockets.close()

    @property
    def sockets(self) -> httpx.BaseTransport:
        """Transport to servers other than the tenants' tracking services."""
        return self._sockets

    def places_short_of_space(self) -> list[str]:
        """Return the places with too little disk space to accept files; log when a shortage begins and when it ends."""
        asked_at, outage = self.clock.monotonic(), self.outages.of(Part.UPLOADS)
        short = self.disks.places_short_of_space()
        if short:
            outage.begins(DiskNearlyFull(f"files are not accepted: too little disk space for {', '.join(short)}"))
        else:
            outage.ends(asked_at)
        return short

    @property
    def scanner_enabled(self) -> bool:
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
        """Yield the client for one page, with a timeout of a few seconds.

        Raises TemporarilyUnavailable if too many pages wait already.
        """
        with self.concurrency.slot_released(), self._page_limit.limited(tenant.slug, self.clock):
            yield self.upstream(tenant)
