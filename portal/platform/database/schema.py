"""Schema versions: whether this release can work on a database's schema, and how to upgrade it.

Beside Alembic's own table is `schema_suits`, with one row: the oldest revision whose release can work on the schema,
and the tables that migrations created. A release that does not know the schema's revision, because a newer one made it,
reads there whether it may run.

Alembic is imported only to upgrade: every process reads the status at its start, which the import would make a tenth
slower.
"""

import json
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from portal.platform.errors import SchemaError, SchemaOutdated

if TYPE_CHECKING:
    from alembic.config import Config

_VERSIONS = sa.table("alembic_version", sa.column("version_num", sa.String))
LOCK_TIMEOUT = 0.5
"""Seconds that a migration waits for a lock on a table (PostgreSQL); later statements on the table wait as long.

Shorter than PostgreSQL's deadlock_timeout, so that the upgrade gives up before PostgreSQL cancels a writer.
"""

_suits = sa.Table(
    "schema_suits",
    sa.MetaData(),
    sa.Column("oldest", sa.String(32), nullable=False),
    sa.Column("tables", sa.Text, nullable=False),
)


class SchemaState(Enum):
    """State of a database's schema relative to this release."""

    EMPTY = auto()
    """It has no tables yet."""
    OLDER = auto()
    """At a revision that this release knows and that is not its latest."""
    CURRENT = auto()
    NEWER = auto()
    """A later release made it, and this one can work on it: migrations add first and remove a release later."""
    TOO_NEW = auto()
    """A later release made it, and removed what this one needs."""
    BROKEN = auto()
    """It has no version or several, some of its tables are gone, or it is marked."""


class SchemaMark(StrEnum):
    """Reason why a database must not be used although its schema is complete; stored as a prefix of the version."""

    COPYING = "copying"
    MOVED = "moved"


_MARKED = {
    SchemaMark.COPYING: "the database is being copied to: end that with `portal db copy FROM TO --finish`",
    SchemaMark.MOVED: "the database was moved: use the one to which `portal db copy --finish` copied it",
}


@dataclass(frozen=True, slots=True)
class SchemaStatus:
    """Status of a schema. says: message for operators; for CURRENT and NEWER what `portal db upgrade` finds.

    upgraded: what `portal db upgrade` prints when it has finished.
    """

    state: SchemaState
    says: str
    upgraded: str = ""

    def require(self) -> None:
        """Raise SchemaOutdated or SchemaError if this release cannot work on the schema."""
        if self.state in {SchemaState.EMPTY, SchemaState.OLDER}:
            raise SchemaOutdated(self.says)
        if self.state in {SchemaState.TOO_NEW, SchemaState.BROKEN}:
            raise SchemaError(self.says)


class Schema:
    """Schema that one folder of migrations defines. Methods that take a Connection run in the caller's transaction."""

    def __init__(self, migrations: Path) -> None:
        self._migrations = migrations

    def status(self, connection: sa.Connection) -> SchemaStatus:
        """Return the schema's status."""
        tables = _tables(connection)
        versions = _versions(connection, tables)
        if len(versions) != 1:
            return self._without_version(tables, versions)
        (version,) = versions
        if mark := next((one for one in SchemaMark if version.startswith(one)), None):
            return SchemaStatus(SchemaState.BROKEN, _MARKED[mark])
        suits = connection.execute(sa.select(_suits)).first() if _suits.name in tables else None
        if suits and (gone := sorted(set(json.loads(suits.tables)) - tables)):
            return _broken(f"its version is {version}, and tables of it are gone ({', '.join(gone)})")
        if version == self._head:
            done = f"Nothing to do: the schema is {version}, as this release needs it."
            return SchemaStatus(SchemaState.CURRENT, f"The schema is up to date ({version}).", done)
        if version in self._known:
            needs = f"the database schema ({version}) is older than this release needs ({self._head})"
            done = f"Upgraded the schema from {version} to {self._head}."
            return SchemaStatus(SchemaState.OLDER, f"{needs}: run `portal db upgrade`", done)
        return self._newer(version, suits.oldest if suits else None)

    def upgrade(self, connection: sa.Connection) -> None:
        """Upgrade the schema to this release's version, and record which releases can work on it."""
        from alembic import command

        before = _tables(connection)
        command.upgrade(self._config(connection), "head")
        self._note(connection, made=_tables(connection) - before)

    def mark(self, connection: sa.Connection, mark: SchemaMark | None, of: str = "") -> None:
        """Mark a schema of this release's version, or remove the mark. of: a few characters that belong to the mark."""
        version = f"{mark}-{self._head}{of}" if mark else self._head
        connection.execute(sa.text("UPDATE alembic_version SET version_num = :version"), {"version": version})

    def is_marked(self, connection: sa.Connection, mark: SchemaMark, of: str = "") -> bool:
        """Return whether it is of this release's version, and marked so."""
        return _versions(connection, _tables(connection)) == (f"{mark}-{self._head}{of}",)

    def note_if_new(self, connection: sa.Connection) -> None:
        """Record which releases can work on the schema, if the release that made it recorded nothing."""
        if _suits.name not in _tables(connection):
            self._note(connection, made=set())

    def _note(self, connection: sa.Connection, *, made: set[str]) -> None:
        _suits.create(connection, checkfirst=True)
        known = connection.execute(sa.select(_suits.c.tables)).scalar()
        # Only tables that migrations created: others in the database may be dropped again.
        ours = (set(json.loads(known or "[]")) | made) & _tables(connection)
        connection.execute(_suits.delete())
        connection.execute(_suits.insert().values(oldest=self.oldest, tables=json.dumps(sorted(ours))))

    @cached_property
    def oldest(self) -> str:
        """The oldest revision whose release can work on this schema.

        A migration that removes what a release needs names it (`runs_from`); those that only add do not change it.
        """
        from alembic.script import ScriptDirectory

        scripts = ScriptDirectory.from_config(self._config(None))
        named = (getattr(script.module, "runs_from", None) for script in scripts.walk_revisions())  # newest first
        return next(filter(None, named), self._known[0])

    def _without_version(self, tables: set[str], versions: tuple[str, ...]) -> SchemaStatus:
        if versions:
            return _broken(f"it says that it has several versions ({', '.join(sorted(versions))})")
        if _suits.name in tables or tables > {_VERSIONS.name}:
            return _broken("there are tables in it, and nothing says which version they are")
        done = f"Created the schema ({self._head})."
        return SchemaStatus(SchemaState.EMPTY, "the database has no schema yet: run `portal db upgrade`", done)

    def _newer(self, version: str, oldest: str | None) -> SchemaStatus:
        if oldest in self._known:
            here = f"The schema is newer ({version}) than this release needs ({self._head}), which can work on it"
            says = f"{here}: nothing to do, it is left as it is."
            return SchemaStatus(SchemaState.NEWER, says, says)
        needs = f" and needs one from {oldest} on" if oldest else ", which does not say what can work on it"
        made = f"the database was made by a newer release ({version}{needs}; this one is {self._head})"
        do = "start that release, or restore the backup from before its upgrade"
        return SchemaStatus(SchemaState.TOO_NEW, f"{made}: {do}")

    @property
    def _head(self) -> str:
        return self._known[-1]

    @cached_property
    def _known(self) -> list[str]:
        """The revisions, oldest first. Files are named after them; a house test compares them with Alembic's."""
        return sorted(file.stem.partition("_")[0] for file in (self._migrations / "versions").glob("[!_]*.py"))

    def _config(self, connection: sa.Connection | None) -> "Config":
        from alembic.config import Config

        config = Config()
        config.set_main_option("script_location", str(self._migrations).replace("%", "%%"))
        config.attributes["connection"] = connection
        return config


def _versions(connection: sa.Connection, tables: set[str]) -> tuple[str, ...]:
    return tuple(connection.scalars(sa.select(_VERSIONS.c.version_num))) if _VERSIONS.name in tables else ()


def _tables(connection: sa.Connection) -> set[str]:
    return set(sa.inspect(connection).get_table_names())


def _broken(what: str) -> SchemaStatus:
    says = f"the database's schema is broken: {what}; restore a backup, because `portal db upgrade` cannot repair it"
    return SchemaStatus(SchemaState.BROKEN, says)
