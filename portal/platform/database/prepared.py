"""Statements that are compiled once and passed to the driver directly.

SQLAlchemy's execution costs several times what the database takes to read a row by its key. This module keeps its
dialects, types and pool and the portal's error tree, and skips the rest. Use it only on paths where `make bench` shows
a benefit: accepting a delivery, reading its envelope to send it, §4.1, §4.3 and §4.8 of the service (decision 0064;
tests/house lists the modules). A statement is still an SQLAlchemy expression, or one for each dialect; its parameters
are named, and none of them is a list.
"""

from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.pool import PoolProxiedConnection

from portal.platform.database.db import Database
from portal.platform.database.outages import raise_outage

Statement = sa.Select[Any] | sa.Insert | sa.Update | sa.Delete
AnyConnection = sa.Connection | PoolProxiedConnection
"""A connection in a transaction of Database.write or Database.read, or one of autocommit_reads()."""
Values = Mapping[str, Any]
Step = tuple["PreparedStatement", Values]
_Convert = Callable[[Any], Any]
_KEPT = "portal.platform.database.prepared"


@contextmanager
def autocommit_reads(database: Database) -> Iterator[PoolProxiedConnection]:
    """Yield a connection for independent read statements: there is no transaction around them."""
    with database.answering():
        try:
            connection = database.engine.raw_connection()
        except database.engine.dialect.loaded_dbapi.Error as error:
            raise_outage(error)
            raise
        try:
            if _KEPT not in connection.info:
                _opened(connection, database.engine.dialect)
            yield connection
        finally:
            connection.close()


class PreparedStatement:
    """Prepared statement, or one for each dialect. An INSERT sets only the columns that it is given values for."""

    def __init__(self, statement: Statement | Mapping[str, Statement]) -> None:
        self._statement = statement
        self._compiled: dict[object, _Compiled] = {}

    def run(self, at: AnyConnection, values: Values) -> int:
        """Execute it; return the number of affected rows."""
        driver = _driver(at)
        _execute(driver, *self._for(driver, values).filled(values))
        return int(driver.cursor.rowcount)

    def all(self, at: AnyConnection, values: Values) -> list[Any]:
        """Return its rows as named tuples, with values converted to the columns' types."""
        driver = _driver(at)
        compiled = self._for(driver, values)
        _execute(driver, *compiled.filled(values))
        return compiled.rows(driver.cursor.fetchall())

    def first(self, at: AnyConnection, values: Values) -> Any | None:  # noqa: ANN401  a row of the statement's columns
        """Return its first row, for a statement that finds at most one."""
        found = self.all(at, values)
        return found[0] if found else None

    def _for(self, driver: "_Driver", values: Values) -> "_Compiled":
        name = driver.dialect.name
        statement = self._statement[name] if isinstance(self._statement, Mapping) else self._statement
        columns = tuple(values) if isinstance(statement, sa.Insert) else None
        found = self._compiled.get((name, columns))
        if found is None:
            found = self._compiled[name, columns] = _compiled(statement, driver.dialect, columns)
        return found


def together(at: AnyConnection, steps: Sequence[Step]) -> None:
    """Run statements whose results are not needed, in order; PostgreSQL gets all of them in one round trip."""
    driver = _driver(at)
    if driver.dialect.name == "sqlite":
        for statement, values in steps:
            statement.run(at, values)
        return
    filled = [statement._for(driver, values).filled(values) for statement, values in steps]  # noqa: SLF001  this module's own
    try:
        with driver.connection.pipeline():
            for text, given in filled:
                driver.cursor.execute(text, given)
    except driver.failures as error:
        raise_outage(error)
        raise


@dataclass(frozen=True, slots=True)
class _Driver:
    """State of one driver connection; the pool keeps it as long as that connection."""

    dialect: sa.Dialect
    connection: Any
    cursor: Any
    failures: type[Exception]


@dataclass(frozen=True, slots=True)
class _Compiled:
    """Statement text for one dialect. order: its parameters where they are positional.

    constants: parameters with a fixed value. given: converters of parameters by name. found: converters of result
    columns by position.
    """

    text: str
    order: tuple[str, ...] | None
    constants: Values
    given: Mapping[str, _Convert]
    found: tuple[tuple[int, _Convert], ...]
    row: Callable[[Any], Any]

    def filled(self, values: Values) -> tuple[str, Any]:
        """Return the text with its parameters as the driver takes them."""
        if self.given or self.constants:
            converted = {name: convert(values[name]) for name, convert in self.given.items()}
            values = {**values, **converted, **self.constants}
        return self.text, values if self.order is None else [values[name] for name in self.order]

    def rows(self, found: list[tuple[Any, ...]]) -> list[Any]:
        """Return the driver's rows with values converted to the statement's types."""
        if not self.found:
            return [self.row(one) for one in found]
        made = []
        for one in found:
            cells = list(one)
            for place, convert in self.found:
                cells[place] = convert(cells[place])
            made.append(self.row(cells))
        return made


def _compiled(statement: Statement, dialect: sa.Dialect, columns: Sequence[str] | None) -> _Compiled:
    made = statement.compile(dialect=dialect, column_keys=columns)
    found = statement.selected_columns if isinstance(statement, sa.Select) else statement.exported_columns
    shown = [column.type.dialect_impl(dialect).result_processor(dialect, None) for column in found]
    given, constants = {}, {}
    for name in made.params:
        bind = made.binds[name]
        convert = bind.type.dialect_impl(dialect).bind_processor(dialect)
        if not bind.required:
            constants[name] = bind.value if convert is None else convert(bind.value)
        elif convert is not None:
            given[name] = convert
    order = made.positiontup
    row = namedtuple("Row", [column.key for column in found], rename=True)  # type: ignore[misc]  # noqa: PYI024  the statement defines the columns
    return _Compiled(
        text=str(made),
        order=None if order is None else tuple(order),
        constants=constants,
        given=given,
        found=tuple((place, convert) for place, convert in enumerate(shown) if convert is not None),
        row=row._make,  # noqa: SLF001  a public method of namedtuple
    )


def _driver(at: AnyConnection) -> _Driver:
    found: _Driver | None = at.info.get(_KEPT)
    if found is None and isinstance(at, sa.Connection):
        found = _opened(at.connection, at.dialect)
    if found is None:
        raise TypeError("neither a connection of Database nor of autocommit_reads()")
    return found


def _opened(connection: PoolProxiedConnection, dialect: sa.Dialect) -> _Driver:
    failures = dialect.loaded_dbapi.Error
    made = _Driver(dialect, connection.dbapi_connection, connection.cursor(), failures)
    connection.info[_KEPT] = made
    return made


def _execute(driver: _Driver, text: str, given: object) -> None:
    try:
        driver.cursor.execute(text, given)
    except driver.failures as error:
        raise_outage(error)  # as Database does for errors of SQLAlchemy
        raise
