"""What the web application, the worker and the commands are made of: one bag, opened once and handed on by argument."""

import logging
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx

import portal.migrations
from portal.absence import Absences
from portal.attachments.address import folder_of, open_store
from portal.attachments.store import Store
from portal.attachments.watched import WatchedStore
from portal.clock import Clock
from portal.db import Database
from portal.errors import DatabaseUnavailable, SchemaError
from portal.front.room import WAITING, Room
from portal.logs import Part
from portal.sealing import Seal
from portal.settings import Settings, read_secret
from portal.signing import FormSigner
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant
from portal.throttling import Throttle
from portal.uploads.space import DATABASE, Disks, FreeSpace, of_disk
from portal.upstream.client import Upstream
from portal.upstream.deadline import DeadlineTransport
from portal.upstream.patience import Patience

log = logging.getLogger(__name__)


IN_A_WORKER = 60.0
"""Seconds that a worker or a command waits for the database: a full pass may take its time."""
WHILE_SOMEBODY_WAITS = 4.0
"""The same for a web server: its visitor is told within five."""


def open_database(settings: Settings, *, patience: float | None = None) -> Database:
    """The portal's database, schema unchecked. patience: as Database has it."""
    return Database(settings.database_url, migrations=Path(portal.migrations.__path__[0]), patience=patience)


def _written(settings: Settings, database: Database) -> dict[str, Path]:
    """Where files, and what is told of them, are written on this machine."""
    places = {
        "attachments": folder_of(settings.attachments),
        "temporary files": Path(tempfile.gettempdir()),
        DATABASE: database.file,
    }
    return {name: path for name, path in places.items() if path}


@dataclass(slots=True)
class Parts:
    """One of these per process. transport replaces the network towards the services in tests."""

    settings: Settings
    clock: Clock
    database: Database
    tenants: Tenants
    store: Store
    seal: Seal
    signer: FormSigner
    throttle: Throttle
    room: Room
    """For the requests of this process; who waits for a service or a store leaves it meanwhile."""
    disks: Disks
    absences: Absences
    transport: httpx.BaseTransport | None = None
    schema_is_known: bool = True
    """Whether the database's schema was looked at, or need not be; require_schema does."""
    waits: bool = False
    """Whether this process began without the database, and goes on until it can be used."""
    _schema_says: str = ""
    _clients: dict[str, tuple[Tenant, Upstream]] = field(default_factory=dict)
    _patience: Patience = field(default_factory=Patience)
    _sockets: DeadlineTransport = field(default_factory=DeadlineTransport)
    """One pool for every tenant: a pool each would keep a connection open for each of a thousand tenants."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def open(
        cls,
        settings: Settings,
        *,
        clock: Clock,
        transport: httpx.BaseTransport | None = None,
        free_space: FreeSpace = of_disk,
        patience: float = IN_A_WORKER,
        tells: bool = True,
    ) -> "Parts":
        """Open every part that the settings name; nothing is connected to yet.

        free_space: of the disk of a path. patience: seconds for an answer of the database. tells: whether the log says
        that a part is away; a command says it itself.
        """
        absences = Absences(clock, tells=tells)
        keys = (settings.secret_key, settings.secret_key_fallbacks)
        room = Room(settings.threads, waiting=WAITING)
        database = open_database(settings, patience=patience)
        return cls(
            settings=settings,
            clock=clock,
            database=database,
            tenants=Tenants(
                settings.tenants,
                read_secret=read_secret,
                clock=clock,
                portal_host=urlsplit(settings.base_url).hostname,
            ),
            store=WatchedStore(
                open_store(
                    settings.attachments,
                    s3_endpoint=settings.s3_endpoint,
                    s3_public=settings.s3_public,
                    waiting=room.left,
                ),
                absences.of(Part.STORE),
            ),
            seal=Seal(*keys),
            signer=FormSigner(*keys, ttl=settings.form_ttl),
            throttle=Throttle(settings.rate_limits, clock),
            room=room,
            disks=Disks(_written(settings, database), free_space),
            absences=absences,
            transport=transport,
        )

    @classmethod
    def ready(cls, settings: Settings, *, clock: Clock) -> "Parts":
        """Open every part on a schema that this release can use; SchemaError, and nothing is left open."""
        parts = cls.open(settings, clock=clock, tells=False)
        try:
            parts.database.require_current_schema()
        except BaseException:
            parts.close()
            raise
        return parts

    @classmethod
    def waiting(cls, settings: Settings, *, clock: Clock, patience: float = IN_A_WORKER, tells: bool = True) -> "Parts":
        """The same, but a database that is away stops no start: require_schema looks again until it is there.

        tells: whether the log says that it is away, and that it is back.
        """
        parts = cls.open(settings, clock=clock, patience=patience, tells=tells)
        parts.schema_is_known = False
        parts.database.absence = parts.absences.of(Part.DATABASE) if tells else None
        try:
            parts.require_schema()
        except DatabaseUnavailable:
            parts.waits = tells
            if tells:
                log.warning("nothing can be done before the database is there")
        except BaseException:
            parts.close()
            raise
        return parts

    def require_schema(self) -> None:
        """Raise SchemaError or DatabaseUnavailable; once it was found to be right it is not looked at again.

        Who waited for the database goes on waiting for its schema, and says once what to do.
        """
        if self.schema_is_known:
            return
        try:
            self.database.require_current_schema()
        except SchemaError as error:
            if self.waits:
                if self._schema_says != str(error):
                    self._schema_says = str(error)
                    log.error("nothing can be done yet: %s", self._schema_says)  # noqa: TRY400  expected: its words say it
                error.is_told = True
            raise
        self.schema_is_known = True

    def close(self) -> None:
        """Close every connection, to the database and to services."""
        self.database.close()
        self._sockets.close()

    @property
    def sockets(self) -> httpx.BaseTransport:
        """The way to servers that are no tenant's service."""
        return self._sockets

    @property
    def scans(self) -> bool:
        """Whether a malware scanner has to see a file before it leaves."""
        return self.settings.scanner != "off"

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

    @contextmanager
    def asking(self, tenant: Tenant) -> Iterator[Upstream]:
        """The client for the time of one page, which waits for seconds only. NotNow where too many pages wait."""
        with self.room.left(), self._patience.room(tenant.slug, self.clock):
            yield self.upstream(tenant)
