"""One database behind SQLAlchemy Core: read and write transactions, and the schema's version.

A write transaction is BEGIN IMMEDIATE on SQLite, because a deferred one that upgrades fails at once whatever the
busy timeout says. Commits are durable: WAL with synchronous=FULL on SQLite, synchronous_commit=on on PostgreSQL.
"""

import math
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.pool import ConnectionPoolEntry

from portal import private
from portal.clock import SystemClock
from portal.errors import DatabaseUnavailable, SchemaOutdated, SettingsError, UpgradeFailed
from portal.outages import LOCK_NOT_GIVEN, code_of, told_apart
from portal.schema import LOCK_TIMEOUT, STATEMENT_TIMEOUT, Schema, SchemaState, Standing
from portal.silence import Silence, bounded

NAMING = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

_OF_SQLITE = {"pool_size": 20, "max_overflow": 40}
_OF_POSTGRESQL = {"pool_size": 10, "max_overflow": 70}
"""Connections that are kept, and more that are made while they are needed."""
_PATIENCE_OF_POOL = 30.0
"""Seconds for a connection that somebody else gives back."""

metadata = sa.MetaData(naming_convention=NAMING)
"""The portal's tables; each is defined and written by one package. The service has a MetaData of its own."""


class Instant(sa.types.TypeDecorator[datetime]):
    """An aware UTC datetime to the microsecond, as an integer that sorts and compares alike on every database."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> int | None:  # noqa: ARG002  SQLAlchemy's signature
        """Microseconds since 1970."""
        if value is None:
            return None
        delta = value.astimezone(UTC) - EPOCH
        return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds

    def process_result_value(self, value: int | None, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002  SQLAlchemy's signature
        """The instant back, in UTC."""
        if value is None:
            return None
        seconds, micros = divmod(value, 1_000_000)
        return datetime.fromtimestamp(seconds, UTC).replace(microsecond=micros)


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _make_folder(folder: Path) -> None:
    try:
        private.make_folder(folder)
    except OSError as exc:
        raise SettingsError(f"the database's folder {folder} cannot be made: {exc.strerror}") from exc


def insert(connection: sa.Connection, table: sa.Table) -> postgresql.Insert | sqlite.Insert:
    """INSERT with ON CONFLICT, which both databases have and SQLAlchemy keeps in their dialects."""
    return sqlite.insert(table) if connection.dialect.name == "sqlite" else postgresql.insert(table)


class Database:
    """An engine with two kinds of transaction.

    url: `sqlite:///path` or `postgresql+psycopg://…`. migrations: the folder of alembic scripts that own its schema.
    patience: seconds that a statement or a connection may take at PostgreSQL; None where nothing is bounded.
    """

    def __init__(self, url: str, *, migrations: Path, patience: float | None = None) -> None:
        self.url = url
        self._schema = Schema(migrations)
        self._silence = Silence(patience or math.inf, SystemClock().monotonic)
        try:
            parsed = sa.make_url(url)
        except sa.exc.ArgumentError as exc:
            raise SettingsError(
                f"not a database address: expected sqlite:///… or postgresql+psycopg://… ({exc})"
            ) from exc
        self.is_sqlite = parsed.get_backend_name() == "sqlite"
        if self.is_sqlite:
            if parsed.database and parsed.database != ":memory:":
                _make_folder(Path(parsed.database).parent)
            self.engine = sa.create_engine(
                url,
                connect_args={"timeout": 30},
                **_OF_SQLITE,
                pool_use_lifo=True,
                hide_parameters=True,
            )  # the last one used comes first, so that few keep a cache of their own
            sa.event.listen(self.engine, "do_connect", lambda *_: private.make_file(self.file))  # SQLite asks the umask
            sa.event.listen(self.engine, "connect", _prepare_sqlite)
            sa.event.listen(self.engine, "begin", _begin_sqlite)
        else:
            # A pass over a list holds one while it lasts, for its lock, and needs another to write.
            self.engine = sa.create_engine(
                url,
                pool_pre_ping=True,
                **_OF_POSTGRESQL,
                pool_timeout=min(patience or _PATIENCE_OF_POOL, _PATIENCE_OF_POOL),
                hide_parameters=True,
            )
            if patience is not None:
                silence = self._silence
                sa.event.listen(self.engine, "do_connect", lambda _d, _r, _a, address: bounded(address, silence))
            sa.event.listen(self.engine, "connect", _prepare_postgresql)
        self._writing = self.engine.execution_options(portal_write=True)

    @property
    def file(self) -> Path | None:
        """SQLite's file; None of PostgreSQL, or in memory."""
        path = self.engine.url.database if self.is_sqlite and "uri" not in self.engine.url.query else None
        return Path(path) if path and path != ":memory:" else None

    @property
    def connections(self) -> int:
        """How many are in use by this process."""
        return self.engine.pool.checkedout() if isinstance(self.engine.pool, sa.QueuePool) else 0

    @property
    def connections_most(self) -> int:
        """How many this process may have."""
        return sum((_OF_SQLITE if self.is_sqlite else _OF_POSTGRESQL).values())

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A transaction that only reads."""
        with self.answering(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """A transaction that may write; on SQLite it holds the write lock from its first statement on."""
        with self.answering(), self._writing.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Raise DatabaseUnavailable for an outage inside, and at once where the last wait was in vain."""
        with self._silence.heard(), told_apart():
            yield

    @contextmanager
    def session(self) -> Iterator[sa.Connection]:
        """A connection without a transaction, for locks that its session holds (PostgreSQL)."""
        with told_apart(), self.engine.connect() as plain:
            yield plain.execution_options(isolation_level="AUTOCOMMIT")

    def upgrade(self, *, tries: int = 5, pause: float = 3.0) -> Standing:
        """Bring an older schema to this release's version; safe when several processes call it at once.

        Returns where it stood before; one that is newer is left alone, and SchemaUnfit is raised for one that cannot be
        used. It is done whole or not at all: UpgradeFailed says why not. tries: to get the locks that it needs, of
        LOCK_TIMEOUT each, `pause` seconds apart, in which those go on that write meanwhile.
        """
        for attempt in range(1, tries + 1):
            try:
                return self._upgrade()
            except (sa.exc.SQLAlchemyError, DatabaseUnavailable) as error:
                code = code_of(error)
                if code == LOCK_NOT_GIVEN and attempt < tries:
                    SystemClock().sleep(pause)
                    continue
                if code == LOCK_NOT_GIVEN:
                    busy = f"somebody used what it changes for too long, {tries} times"
                    do = "let what runs so long come to its end (pg_stat_activity shows it), then run it again"
                    raise UpgradeFailed(f"the upgrade failed, and the schema is as it was: {busy}; {do}") from error
                if isinstance(error, DatabaseUnavailable):
                    raise
                what = f"{type(error).__name__}, {code or 'no code'}"
                raise UpgradeFailed(f"the upgrade failed, and the schema is as it was: {what}") from error
        raise AssertionError("at least one try")

    def _upgrade(self) -> Standing:
        with self.write() as connection:
            if not self.is_sqlite:
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(7205759403792794)"))
                for name, seconds in (("lock_timeout", LOCK_TIMEOUT), ("statement_timeout", STATEMENT_TIMEOUT)):
                    connection.execute(sa.text(f"SET LOCAL {name} = '{seconds * 1000:.0f}ms'"))
            found = self._schema.standing(connection)
            if found.state in {SchemaState.EMPTY, SchemaState.OLDER}:
                self._schema.upgrade(connection)
            else:
                found.require()
                if found.state is SchemaState.CURRENT:
                    self._schema.note_if_new(connection)
        return found

    def require_current_schema(self) -> None:
        """Raise SchemaOutdated if the schema is older than this release needs, SchemaUnfit if it cannot be used.

        A newer one will do that this release can work on: so two of them run side by side.
        """
        address = sa.make_url(self.url)
        is_file = self.is_sqlite and address.database not in {None, "", ":memory:"} and "uri" not in address.query
        if is_file and not Path(str(address.database)).exists():  # to connect would make an empty one
            raise SchemaOutdated(
                f"the database {address.database} does not exist: check PORTAL_DATABASE_URL, or run `portal db upgrade`"
            )
        with self.read() as connection:
            found = self._schema.standing(connection)
        found.require()

    def truncate_log(self) -> bool:
        """Cut SQLite's write-ahead log, which keeps what secure_delete has zeroed in the file; whether nothing is left.

        It waits for nobody, and nobody for it: what a reader still needs is left to a later call, so who erases calls
        it again and again. True where a server keeps its log itself.
        """
        if not self.is_sqlite:
            return True
        with told_apart(), self.engine.connect() as connection:
            raw = connection.connection.dbapi_connection
            if not isinstance(raw, sqlite3.Connection):
                return False
            patience = raw.execute("PRAGMA busy_timeout").fetchone()[0]
            raw.execute("PRAGMA busy_timeout=0")
            try:
                # What can be moved is, without the write lock; cutting, which holds it, then has almost nothing to do.
                raw.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
                is_busy, *_ = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            finally:
                raw.execute(f"PRAGMA busy_timeout={patience}")
        return not is_busy

    def close(self) -> None:
        """Return every connection."""
        self.engine.dispose()


def _prepare_sqlite(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # transactions are begun by _begin_sqlite, not by the driver
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "cache_size=-4000",  # 4 MB a connection: by SQLite's own 2 MB a search in 100,000 postings is a fifth slower
        "foreign_keys=ON",
        "busy_timeout=30000",
        "secure_delete=ON",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _prepare_postgresql(connection: Any, _entry: ConnectionPoolEntry) -> None:  # noqa: ANN401  psycopg's, behind SQLAlchemy
    # A server that is set to acknowledge before its log is on disk would have us promise what it does not keep.
    connection.execute(
        "SELECT set_config(name, 'on', false) FROM pg_settings WHERE name = 'synchronous_commit' AND setting = 'off'"
    )
    # Its guess is from the time of spinning disks: for it a whole table would be read to look up a thousandth of it.
    connection.execute(
        "SELECT set_config(name, '1.1', false) FROM pg_settings WHERE name = 'random_page_cost' AND source = 'default'"
    )
    connection.commit()


def _begin_sqlite(connection: sa.Connection) -> None:
    write = connection.get_execution_options().get("portal_write", False)
    # Through the driver: SQLAlchemy would take ten times what SQLite takes for it.
    connection.connection.cursor().execute("BEGIN IMMEDIATE" if write else "BEGIN")
