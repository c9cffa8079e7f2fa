"""Copy a database of the portal or the service from SQLite to PostgreSQL, while it is in use.

1. The schema is made in the target and marked: servers and workers refuse a database that is being copied to.
2. The source is read at one instant. Each table is compared with the target's in the order of its key, and differences
   are written. So a copy that was interrupted continues, and a later one writes only what changed since.
3. The rows of both are counted and hashed.
4. At the end no other process may have the source open. Steps 2 and 3 are repeated; then the source is marked as moved,
   so that nothing can be accepted there any more, and after that the target is released.
"""

import hashlib
import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from heapq import merge
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from portal.background.outbox.tables import workers
from portal.operations.backup.dumps import opened_alone
from portal.operations.backup.manifest import BackupError, Report
from portal.platform.database.db import Database
from portal.platform.database.schema import SchemaMark

_AT_ONCE, _LARGE_AT_ONCE = 500, 20
"""Rows that are read and written together; of tables with pictures, whose rows are large."""
_LOCK = 7_205_759_403_792_795
"""The number of the lock that one copy at a time holds in its target."""
_LEFT_OUT = {"alembic_version", "schema_suits", workers.name}
"""The schema's own tables, and the heartbeats of the source's processes."""

Row = sa.Row[Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CopyResult:
    """rows: by table, as counted in both. written, deleted: rows of the target that were changed."""

    rows: dict[str, int]
    written: int
    deleted: int


def copy_database(source: Database, target: Database, *, finish: bool, report: Report) -> CopyResult:
    """Copy the source to the target. finish: release the target for use, and mark the source as moved.

    Raises BackupError, SchemaError, DatabaseUnavailable.
    """
    if not source.is_sqlite or target.is_sqlite:
        raise BackupError("databases are copied from SQLite to PostgreSQL: check the order of the two addresses")
    with source.read() as connection:  # an earlier run to this target may have been interrupted
        was_moved = finish and source.is_marked(connection, SchemaMark.MOVED, of=name_of(target))
    if not was_moved:
        source.require_current_schema()
    with target.session() as lock:
        if not lock.scalar(sa.select(sa.func.pg_try_advisory_lock(_LOCK))):
            raise BackupError("another copy to the target is running: wait for its end")
        return _copied(source, target, finish=finish, was_moved=was_moved, report=report)


def name_of(target: Database) -> str:
    """Return a few characters by which a moved database knows to which one it was moved."""
    with target.read() as connection:
        here = sa.text("SELECT oid, datname FROM pg_database WHERE datname = current_database()")
        oid, name = connection.execute(here).one()
    return "-" + hashlib.sha256(f"{oid} {name}".encode()).hexdigest()[:8]


def _copied(source: Database, target: Database, *, finish: bool, was_moved: bool, report: Report) -> CopyResult:
    _prepare(target, was_moved=was_moved)
    tables = _tables(target)
    with _opened(source, alone=finish) as connection:
        known = set(sa.inspect(connection).get_table_names())
        if others := sorted(table.name for table in tables if table.name not in known):
            raise BackupError(f"the target has tables that the source lacks ({', '.join(others)}): drop them")
        result = _make_equal(connection, target, tables, report)
        if finish:
            _continue_numbers(connection, target, tables)
            source.mark(connection, SchemaMark.MOVED, of=name_of(target))
            connection.commit()
            with target.write() as written:
                target.mark(written, None)
    return result


def _prepare(target: Database, *, was_moved: bool) -> None:
    """Make the schema, or check that it is that of an earlier run. Raises BackupError for any other database."""
    with target.write() as connection:
        if target.is_marked(connection, SchemaMark.COPYING):
            return
        if was_moved:
            raise BackupError("the source was moved already, and no copy to this target is unfinished: nothing to do")
        if not connection.scalar(sa.select(sa.func.has_schema_privilege(sa.func.current_schema(), "CREATE"))):
            raise BackupError("the role may not create tables in the target: make it the owner of that database")
        if sa.inspect(connection).get_table_names():
            raise BackupError("the target is not empty, and not of an earlier copy by this release: name an empty one")
    target.upgrade()
    with target.write() as connection:
        target.mark(connection, SchemaMark.COPYING)


def _tables(target: Database) -> list[sa.Table]:
    """Return the tables to copy as PostgreSQL has them, parents first."""
    metadata = sa.MetaData()
    with target.read() as connection, warnings.catch_warnings():
        warnings.simplefilter("ignore", sa.exc.SAWarning)  # indexes of expressions are not needed here
        metadata.reflect(connection)
    return [table for table in metadata.sorted_tables if table.name not in _LEFT_OUT]


@contextmanager
def _opened(source: Database, *, alone: bool) -> Iterator[sa.Connection]:
    """Yield a connection that reads the source at one instant. alone: require exclusive access to it."""
    if not alone:
        with source.read() as connection:
            yield connection
        return
    try:
        with opened_alone(source) as plain:
            engine = sa.create_engine("sqlite://", creator=lambda: plain, poolclass=sa.StaticPool)
            with engine.connect() as connection:
                yield connection
    except sqlite3.OperationalError as error:
        raise BackupError("the source is in use: stop the servers, workers and commands that use it") from error
        plain.close()


def _make_equal(source: sa.Connection, target: Database, tables: list[sa.Table], report: Report) -> CopyResult:
    deleted = sum(_delete_extra(source, target, table) for table in reversed(tables))
    written = sum(_write_missing(source, target, table, report) for table in tables)
    rows = {}
    for table in tables:
        with target.read() as read:
            copied = _counted_and_hashed(read, table)
        if copied != _counted_and_hashed(source, table):
            raise BackupError(
                f"the table {table.name} differs after it was copied: nobody else may write to the target; run it again"
            )
        rows[table.name] = copied[0]
    return CopyResult(rows, written, deleted)


def _delete_extra(source: sa.Connection, target: Database, table: sa.Table) -> int:
    key, deleted = list(table.primary_key), 0
    with target.read() as read:
        pairs = _pairs(_rows(source, table, key), _rows(read, table, key), len(key))
        for some in _batches((tuple(other) for one, other in pairs if one is None and other), _AT_ONCE):
            with target.write() as connection:
                connection.execute(table.delete().where(sa.tuple_(*key).in_(some)))
            deleted += len(some)
    return deleted


def _write_missing(source: sa.Connection, target: Database, table: sa.Table, report: Report) -> int:
    key = list(table.primary_key)
    columns = _columns(table)
    insert = postgresql.insert(table)
    values = {column.name: insert.excluded[column.name] for column in columns[len(key) :]}
    change = insert.on_conflict_do_update(index_elements=key, set_=values) if values else insert
    total, done, written = source.scalar(sa.select(sa.func.count()).select_from(table)) or 0, 0, 0
    with target.read() as read:
        pairs = _pairs(_rows(source, table, columns), _rows(read, table, columns), len(key))
        for compared in _batches(pairs, _size(table)):
            some = [dict(one._mapping) for one, other in compared if one and one != other]
            if some:
                with target.write() as connection, _named(table):
                    connection.execute(change, some)
            done, written = done + len(compared), written + len(some)
            report(f"{table.name} rows", done, max(done, total))
    return written


@contextmanager
def _named(table: sa.Table) -> Iterator[None]:
    try:
        yield
    except (sa.exc.DataError, sa.exc.IntegrityError) as error:
        raise BackupError(
            f"PostgreSQL refuses a row of {table.name} ({type(error.orig).__name__}): report this with the release"
        ) from error


def _rows(connection: sa.Connection, table: sa.Table, columns: list[sa.Column[Any]]) -> Iterator[Row]:
    """Yield a table's rows in the order of its key, in which both databases and Python agree: by code points."""
    is_sqlite = connection.dialect.name == "sqlite"
    order = [
        column if is_sqlite or not isinstance(column.type, sa.String) else column.collate("C")
        for column in table.primary_key
    ]
    streamed = connection.execution_options(yield_per=_size(table))
    yield from streamed.execute(sa.select(*columns).order_by(*order))


def _columns(table: sa.Table) -> list[sa.Column[Any]]:
    """Return the key's columns, and then all others that PostgreSQL does not compute by itself."""
    rest = (one for one in table.columns if one.computed is None and not one.primary_key)
    return [*table.primary_key, *rest]


def _size(table: sa.Table) -> int:
    return _LARGE_AT_ONCE if any(isinstance(one.type, sa.LargeBinary) for one in table.columns) else _AT_ONCE


def _pairs(source: Iterator[Row], target: Iterator[Row], key: int) -> Iterator[tuple[Row | None, Row | None]]:
    """Yield rows with the same first `key` columns together; None where one of both is missing."""
    sides = (_keyed(rows, side, key) for side, rows in enumerate((source, target)))
    for _, group in groupby(merge(*sides, key=itemgetter(0)), key=lambda one: one[0][0]):
        found = {side: row for (_, side), row in group}
        yield found.get(0), found.get(1)


def _keyed(rows: Iterator[Row], side: int, key: int) -> Iterator[tuple[tuple[tuple[Any, ...], int], Row]]:
    for row in rows:
        yield (tuple(row[:key]), side), row


def _batches(items: Iterator[T], size: int) -> Iterator[list[T]]:
    while some := list(islice(items, size)):
        yield some


def _counted_and_hashed(connection: sa.Connection, table: sa.Table) -> tuple[int, str]:
    count, digest = 0, hashlib.sha256()
    for row in _rows(connection, table, _columns(table)):
        count += 1
        digest.update(repr(tuple(row)).encode("utf-8", "surrogatepass"))
    return count, digest.hexdigest()


def _continue_numbers(source: sa.Connection, target: Database, tables: list[sa.Table]) -> None:
    """Set PostgreSQL's sequences to the highest ids that SQLite ever assigned, so that no id is assigned twice."""
    given: dict[str, int] = {}
    if sa.inspect(source).has_table("sqlite_sequence"):
        given = dict(source.execute(sa.text("SELECT name, seq FROM sqlite_sequence")).tuples().all())
    with target.write() as connection:
        for table in tables:
            key = list(table.primary_key)
            if len(key) != 1 or not isinstance(key[0].type, sa.Integer):
                continue
            sequence = connection.scalar(sa.select(sa.func.pg_get_serial_sequence(table.name, key[0].name)))
            last = max(given.get(table.name, 0), source.scalar(sa.select(sa.func.max(key[0]))) or 0)
            if sequence and last:
                connection.execute(sa.select(sa.func.setval(sequence, last)))
