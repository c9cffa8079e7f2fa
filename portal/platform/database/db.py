"""One database behind SQLAlchemy Core: read and write transactions, and the schema's version.

A write transaction is BEGIN IMMEDIATE on SQLite, because a deferred one that upgrades to writing fails at once,
regardless of the busy timeout. Commits are durable: WAL with synchronous=FULL on SQLite, synchronous_commit=on on
PostgreSQL.
"""

import math
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from portal.platform.clock import Clock, SystemClock
from portal.platform.config import private_files
from portal.platform.database.engines import KEPT, MORE, SESSIONS, Statements, TimeoutGuard, on_postgresql, on_sqlite
from portal.platform.database.outages import LOCK_NOT_GIVEN, DatabaseOutage, code_of, only_reads, raising_unavailable
from portal.platform.database.schema import LOCK_TIMEOUT, Schema, SchemaMark, SchemaState, SchemaStatus
from portal.platform.errors import DatabaseUnavailable, SchemaError, SchemaOutdated, SettingsError

NAMING = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

metadata = sa.MetaData(naming_convention=NAMING)
"""The portal's tables; each is defined and written by one package. The tracking service has a MetaData of its own."""


class Instant(sa.types.TypeDecorator[datetime]):
    """An aware UTC datetime to the microsecond, as an integer that sorts and compares alike on every database."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> int | None:  # noqa: ARG002  SQLAlchemy's signature
        """Return microseconds since 1970."""
        if value is None:
            return None
        delta = value.astimezone(UTC) - EPOCH
        return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds

    def process_result_value(self, value: int | None, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002  SQLAlchemy's signature
        """Return the instant, in UTC."""
        if value is None:
            return None
        seconds, micros = divmod(value, 1_000_000)
        return datetime.fromtimestamp(seconds, UTC).replace(microsecond=micros)


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _make_folder(folder: Path) -> None:
    try:
        private_files.make_folder(folder)
    except OSError as exc:
        raise SettingsError(f"the database's folder {folder} cannot be made: {exc.strerror}") from exc


def insert(connection: sa.Connection, table: sa.Table) -> postgresql.Insert | sqlite.Insert:
    """Return an INSERT with ON CONFLICT, which both databases support and SQLAlchemy has in their dialects only."""
    return sqlite.insert(table) if connection.dialect.name == "sqlite" else postgresql.insert(table)


_REAL = SystemClock()
"""The clock for waiting: locks take real time even where tests set the portal's clock."""
_AT_ONCE = 500


def in_steps(step: Callable[[], bool]) -> None:
    """Call `step` until it returns False; pause after each call for as long as it took, so that others can write."""
    while True:
        began = _REAL.monotonic()
        if not step():
            return
        _REAL.sleep(_REAL.monotonic() - began)


def delete_old(db: "Database", table: sa.Table, old: sa.ColumnElement[bool]) -> None:
    """Delete the rows that meet a condition, in short transactions.

    Checks first without a lock whether there are any.
    """
    key = tuple(table.primary_key)
    some = sa.select(*key).where(old)
    with db.read() as connection:
        if connection.execute(some.limit(1)).first() is None:
            return

    def step() -> bool:
        with db.write() as connection:
            gone = table.delete().where(sa.tuple_(*key).in_(some.limit(_AT_ONCE)))
            return connection.execute(gone).rowcount == _AT_ONCE

    in_steps(step)


class Database(Statements):
    """SQLAlchemy engine with two kinds of transaction.

    url: `sqlite:///path` or `postgresql+psycopg://…`. migrations: the folder of Alembic scripts that own its schema.
    timeout: seconds that a statement or a connection may take on PostgreSQL; None: unlimited.
    """

    def __init__(self, url: str, *, migrations: Path, timeout: float | None = None, clock: Clock | None = None) -> None:
        self.url, self.migrations = url, migrations
        self._schema = Schema(migrations)
        self._clock = clock or SystemClock()
        self._timeouts = TimeoutGuard(timeout or math.inf, self._clock.monotonic)
        self.outage = DatabaseOutage(self._clock, has_room=lambda: self.connections < self.connections_most)
        self._sessions = threading.BoundedSemaphore(SESSIONS)
        try:
            parsed = sa.make_url(url)
        except sa.exc.ArgumentError as exc:
            raise SettingsError(
                f"not a database address: expected sqlite:///… or postgresql+psycopg://… ({exc})"
            ) from exc
        self.is_sqlite = parsed.get_backend_name() == "sqlite"
        if self.is_sqlite and parsed.database and parsed.database != ":memory:":
            _make_folder(Path(parsed.database).parent)
        self.engine = on_sqlite(url) if self.is_sqlite else on_postgresql(url, timeout, self._timeouts)
        if self.is_sqlite:
            sa.event.listen(self.engine, "do_connect", lambda *_: private_files.create_database_file(self.file))
        self._closed = 0  # how often
        sa.event.listen(self.engine, "connect", lambda _, entry: entry.info.update(closed=self._closed))
        sa.event.listen(self.engine, "checkin", lambda _, one: one.info.get("closed") == self._closed or one.close())
        self._writing = self.engine.execution_options(portal_write=True)
        alone = {} if self.is_sqlite else {"isolation_level": "AUTOCOMMIT"}  # BEGIN and COMMIT are round trips, too
        self._reading_once = self.engine.execution_options(**alone)

    @property
    def file(self) -> Path | None:
        """SQLite's file; None on PostgreSQL, or in memory."""
        path = self.engine.url.database if self.is_sqlite and "uri" not in self.engine.url.query else None
        return Path(path) if path and path != ":memory:" else None

    @property
    def connections(self) -> int:
        """How many connections this process has in use."""
        return self.engine.pool.checkedout() if isinstance(self.engine.pool, sa.QueuePool) else 0

    @property
    def connections_most(self) -> int:
        """How many connections this process may have."""
        return KEPT + MORE

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Open a transaction that only reads."""
        with self.answering(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def read_once(self) -> Iterator[sa.Connection]:
        """Open a connection for a statement that reads, or for several that need not see the same state."""
        with self.answering(), self._reading_once.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """Open a transaction that may write; on SQLite it holds the write lock from the start."""
        with self.answering(writes=True), self._writing.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def answering(self, *, writes: bool = False) -> Iterator[None]:
        """Raise DatabaseUnavailable for an outage inside the block, or at once if another wait has just timed out.

        An outage that affects only writing ends with the next successful write; successful reads do not end it.
        """
        asked_at = self._clock.monotonic()
        try:
            with self._timeouts.recorded(), raising_unavailable():
                yield
        except DatabaseUnavailable as error:
            self.outage.begins(error, only_reads=writes and only_reads(error))
            raise
        self.outage.ends(asked_at, writes=writes)

    def require_writable(self) -> None:
        """Raise DatabaseUnavailable where PostgreSQL is read-only: on a standby, or because it was configured so.

        SQLite can write as long as its disk has space, which `delivery.uploads.disk_space` checks.
        """
        asked_at = self._clock.monotonic()
        if not self.is_sqlite:
            with self.read() as connection:
                closed = connection.scalar(sa.text("SELECT current_setting('transaction_read_only') = 'on'"))
            if closed:
                error = DatabaseUnavailable("the database only reads: `portal check` says why and what to do")
                self.outage.begins(error, only_reads=True)
                raise error
        self.outage.ends(asked_at, writes=True)

    @contextmanager
    def session(self) -> Iterator[sa.Connection]:
        """Open a connection without a transaction, for a session lock or to listen (PostgreSQL); SESSIONS at most."""
        with self._sessions, raising_unavailable(), self.engine.connect() as plain:
            yield plain.execution_options(isolation_level="AUTOCOMMIT")

    def upgrade(self, *, tries: int = 20, pause: float = 1.0) -> SchemaStatus:
        """Upgrade an older schema to this release's version; safe when several processes call it at once.

        Returns the status before. A newer schema is left alone; SchemaError is raised for one that is unusable. The
        upgrade is done completely or not at all: SchemaError says why not. tries: attempts to get the locks that it
        needs, with LOCK_TIMEOUT each, `pause` seconds apart, during which other writers can proceed.
        """
        for attempt in range(1, tries + 1):
            try:
                return self._upgrade()
            except (sa.exc.SQLAlchemyError, DatabaseUnavailable) as error:
                code = code_of(error)
                if code in LOCK_NOT_GIVEN and attempt < tries:
                    self._clock.sleep(pause)
                    continue
                if code in LOCK_NOT_GIVEN:
                    busy = f"somebody used what it changes for too long, {tries} times"
                    do = "let what runs so long come to its end (pg_stat_activity shows it), then run it again"
                    raise SchemaError(f"the upgrade failed, and the schema is as it was: {busy}; {do}") from error
                if isinstance(error, DatabaseUnavailable):
                    raise
                what = f"{type(error).__name__}, {code or 'no code'}"
                raise SchemaError(f"the upgrade failed, and the schema is as it was: {what}") from error
        raise AssertionError("at least one try")

    def _upgrade(self) -> SchemaStatus:
        with self.write() as connection:
            if not self.is_sqlite:
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(7205759403792794)"))
                # A statement takes longer on a larger table: with a time limit it could fail again each time.
                for name, seconds in (("lock_timeout", LOCK_TIMEOUT), ("statement_timeout", 0)):
                    connection.execute(sa.text(f"SET LOCAL {name} = '{seconds * 1000:.0f}ms'"))
            found = self._schema.status(connection)
            if found.state in {SchemaState.EMPTY, SchemaState.OLDER}:
                self._schema.upgrade(connection)
            else:
                found.require()
                if found.state is SchemaState.CURRENT:
                    self._schema.note_if_new(connection)
        return found

    def require_current_schema(self) -> None:
        """Raise SchemaOutdated if the schema is older than this release needs, SchemaError if it cannot be used.

        A newer schema is accepted if this release can work on it: so two releases can run side by side.
        """
        address = sa.make_url(self.url)
        is_file = self.is_sqlite and address.database not in {None, "", ":memory:"} and "uri" not in address.query
        if is_file and not Path(str(address.database)).exists():  # connecting would create an empty file
            raise SchemaOutdated(
                f"the database {address.database} does not exist: check PORTAL_DATABASE_URL, or run `portal db upgrade`"
            )
        with self.read() as connection:
            found = self._schema.status(connection)
        found.require()

    def mark(self, connection: sa.Connection, mark: SchemaMark | None, of: str = "") -> None:
        """Mark the schema, which is this release's, so that no process uses the database; None: remove the mark."""
        self._schema.mark(connection, mark, of)

    def is_marked(self, connection: sa.Connection, mark: SchemaMark, of: str = "") -> bool:
        """Return whether the schema is this release's and marked so."""
        return self._schema.is_marked(connection, mark, of)

    def truncate_log(self) -> bool:
        """Truncate SQLite's write-ahead log, which still holds what secure_delete has zeroed in the file.

        Returns whether it is empty then. It neither waits nor blocks: parts that a reader still needs are left to a
        later call, so code that erases data calls it repeatedly. True on PostgreSQL, which manages its own log.
        """
        if not self.is_sqlite:
            return True
        with raising_unavailable(), self.engine.connect() as connection:
            raw = connection.connection.dbapi_connection
            if not isinstance(raw, sqlite3.Connection):
                return False
            timeout = raw.execute("PRAGMA busy_timeout").fetchone()[0]
            raw.execute("PRAGMA busy_timeout=0")
            try:
                # Move what can be moved without the write lock first; truncating, which holds it, then has almost
                # nothing to do.
                raw.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
                is_busy, *_ = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            finally:
                raw.execute(f"PRAGMA busy_timeout={timeout}")
        return not is_busy

    def close(self) -> None:
        """Close every connection; one that a thread still uses, when it is returned."""
        self._closed += 1
        self.engine.dispose()
