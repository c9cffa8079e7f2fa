"""Which version a database's schema has, whether this release can work on it, and how it is brought up to date.

Beside alembic's own table stands `schema_suits`, one row: the revision from which on a release can work on the schema,
and the tables that migrations made. A release that does not know the schema's revision, for a newer one has made it,
reads there whether it may go on.
"""

import json
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from portal.errors import SchemaOutdated, SchemaUnfit

LOCK_TIMEOUT = 2.0
"""Seconds that a migration waits for a table at PostgreSQL: so long do those wait that come after it."""
STATEMENT_TIMEOUT = 60.0
"""Seconds that one of its statements may take there."""

_suits = sa.Table(
    "schema_suits",
    sa.MetaData(),
    sa.Column("oldest", sa.String(32), nullable=False),
    sa.Column("tables", sa.Text, nullable=False),
)


class SchemaState(Enum):
    """Where a database's schema stands beside this release."""

    EMPTY = auto()
    """There is none yet."""
    OLDER = auto()
    """At a revision that this release knows and has left behind."""
    CURRENT = auto()
    NEWER = auto()
    """A later release has made it, and this one can work on it: migrations add first and take away a release later."""
    TOO_NEW = auto()
    """A later release has made it, and took away what this one needs."""
    BROKEN = auto()
    """It has no version or several, or tables of it are gone."""


@dataclass(frozen=True, slots=True)
class Standing:
    """says: for an operator, in every place alike; for CURRENT and NEWER what `portal db upgrade` finds."""

    state: SchemaState
    says: str

    def require(self) -> None:
        """Raise SchemaOutdated or SchemaUnfit where this release cannot work on it."""
        if self.state in {SchemaState.EMPTY, SchemaState.OLDER}:
            raise SchemaOutdated(self.says)
        if self.state in {SchemaState.TOO_NEW, SchemaState.BROKEN}:
            raise SchemaUnfit(self.says)


class Schema:
    """What one folder of migrations makes. Functions that take a Connection are part of the caller's transaction."""

    def __init__(self, migrations: Path) -> None:
        self._migrations = migrations

    def standing(self, connection: sa.Connection) -> Standing:
        """Where it stands."""
        tables = _tables(connection)
        versions = MigrationContext.configure(connection).get_current_heads()
        if len(versions) != 1:
            return self._without_version(tables, versions)
        (version,) = versions
        suits = connection.execute(sa.select(_suits)).first() if _suits.name in tables else None
        if suits and (gone := sorted(set(json.loads(suits.tables)) - tables)):
            return _broken(f"its version is {version}, and tables of it are gone ({', '.join(gone)})")
        if version == self._head:
            return Standing(SchemaState.CURRENT, f"The schema is up to date ({version}).")
        if version in self._known:
            needs = f"the database schema ({version}) is older than this release needs ({self._head})"
            return Standing(SchemaState.OLDER, f"{needs}: run `portal db upgrade`")
        return self._newer(version, suits.oldest if suits else None)

    def upgrade(self, connection: sa.Connection) -> None:
        """Bring it to this release's version, and note who can work on it."""
        before = _tables(connection)
        command.upgrade(self._config(connection), "head")
        self._note(connection, made=_tables(connection) - before)

    def note_if_new(self, connection: sa.Connection) -> None:
        """Note who can work on one that a release made which noted nothing."""
        if _suits.name not in _tables(connection):
            self._note(connection, made=set())

    def _note(self, connection: sa.Connection, *, made: set[str]) -> None:
        _suits.create(connection, checkfirst=True)
        known = connection.execute(sa.select(_suits.c.tables)).scalar()
        # Only what migrations made: what somebody else put into the database may go again.
        ours = (set(json.loads(known or "[]")) | made) & _tables(connection)
        connection.execute(_suits.delete())
        connection.execute(_suits.insert().values(oldest=self.oldest, tables=json.dumps(sorted(ours))))

    @cached_property
    def oldest(self) -> str:
        """The revision from which on a release can work on this schema.

        A migration that takes away what a release needs names it (`runs_from`); those that only add leave it as it is.
        """
        for script in self._scripts.walk_revisions():  # from the newest on
            said: str | None = getattr(script.module, "runs_from", None)
            if said:
                return said
        return self._scripts.get_base() or ""

    def _without_version(self, tables: set[str], versions: tuple[str, ...]) -> Standing:
        if versions:
            return _broken(f"it says that it has several versions at once ({', '.join(sorted(versions))})")
        if _suits.name in tables or tables > {"alembic_version"}:
            return _broken("there are tables in it, and nothing says which version they are")
        return Standing(SchemaState.EMPTY, "the database has no schema yet: run `portal db upgrade`")

    def _newer(self, version: str, oldest: str | None) -> Standing:
        if oldest in self._known:
            here = f"The schema is newer ({version}) than this release needs ({self._head}), which can work on it"
            return Standing(SchemaState.NEWER, f"{here}: nothing to do, it is left as it is.")
        needs = f" and needs one from {oldest} on" if oldest else ", which does not say what can work on it"
        made = f"the database was made by a newer release ({version}{needs}; this one is {self._head})"
        do = "start that release, or restore the backup from before its upgrade"
        return Standing(SchemaState.TOO_NEW, f"{made}: {do}")

    @cached_property
    def _head(self) -> str | None:
        return self._scripts.get_current_head()

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(script.revision for script in self._scripts.walk_revisions())

    @cached_property
    def _scripts(self) -> ScriptDirectory:
        return ScriptDirectory.from_config(self._config(None))

    def _config(self, connection: sa.Connection | None) -> Config:
        config = Config()
        config.set_main_option("script_location", str(self._migrations).replace("%", "%%"))
        config.attributes["connection"] = connection
        return config


def _tables(connection: sa.Connection) -> set[str]:
    return set(sa.inspect(connection).get_table_names())


def _broken(what: str) -> Standing:
    says = f"the database's schema is broken: {what}; restore a backup, for `portal db upgrade` cannot mend it"
    return Standing(SchemaState.BROKEN, says)
