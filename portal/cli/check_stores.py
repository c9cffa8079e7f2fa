"""Whether database, files and rate limits can be used, and by nobody else."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sa

from portal import private, unreachable
from portal.attachments.address import folder_of
from portal.cli.preflight import Line
from portal.db import metadata
from portal.errors import DatabaseUnavailable, PortalError, SettingsError
from portal.parts import Parts

_NAMED = 3
_OF_SQLITE = ("", "-wal", "-shm")
_RIGHTS = ("SELECT", "INSERT", "UPDATE", "DELETE")


def schema(parts: Parts) -> Line:
    """Whether the database is there, of this release, and this process may write to it."""
    what = "database schema"
    try:
        parts.database.require_current_schema()
        _require_rights(parts)
    except (DatabaseUnavailable, sa.exc.DBAPIError) as error:
        return Line(what, ok=False, says=unreachable.why(error, parts.settings.database_url))
    except PortalError as error:
        return Line(what, ok=False, says=str(error))
    return Line(what, ok=True, says="up to date")


def _require_rights(parts: Parts) -> None:
    """Raise unless everything of ours may be read and written. SQLite says so when a write begins."""
    with parts.database.write() as connection:
        if parts.database.is_sqlite:
            return
        if connection.scalar(sa.text("SELECT current_setting('transaction_read_only') = 'on'")):
            raise SettingsError(
                "PostgreSQL lets this role only read, as a standby does: name the primary in PORTAL_DATABASE_URL"
            )
        there = set(sa.inspect(connection).get_table_names())
        may = " AND ".join(f"has_table_privilege(:name, '{right}')" for right in _RIGHTS)
        without = [
            name
            for name in sorted(there & set(metadata.tables))
            if not connection.scalar(sa.text(f"SELECT {may}"), {"name": name})
        ]
        role = connection.scalar(sa.text("SELECT current_user"))
    if without:
        raise SettingsError(
            f"the role {role} may not read and write {_some(without)}: let it own the database, or as the owner run "
            f"`GRANT {', '.join(_RIGHTS)} ON ALL TABLES IN SCHEMA public TO {role}`"
        )


def files(parts: Parts) -> Line:
    """Whether anybody else on this machine can read what people have sent."""
    # What lies within is not named: the name of a CV is its key. SQLite's log and index come and go.
    found = [shlex.quote(str(place)) for place in _folders(parts) if private.is_open_to_others(place)]
    database = parts.database.file
    if database and any(private.is_open_to_others(database.with_name(database.name + end)) for end in _OF_SQLITE):
        found.insert(0, f"{shlex.quote(str(database))}*")
    if not found:
        return Line("files", ok=True, says="nobody else can read what is kept on this machine")
    mend = f"others on this machine can read what is kept: chmod -R go= {' '.join(found)}"
    return Line("files", ok=True, says=mend, warns=True)


def _folders(parts: Parts) -> Iterator[Path]:
    for address in (parts.settings.attachments, parts.settings.mail):
        if folder := folder_of(address):
            yield folder


def room(parts: Parts) -> Line:
    """Whether the disks have room for what comes; files are refused before there is none."""
    short = parts.disks.short()
    says = f"hardly any room is left where {', '.join(short)} are: no CV is taken before there is more" if short else ""
    return Line("room on disks", ok=not short, says=says or "enough")


def limits(parts: Parts) -> Line:
    """Whether what people may do is counted, and for whom."""
    try:
        shared = parts.throttle.check()
    except PortalError as error:
        return Line("rate limits", ok=False, says=f"{error}; meanwhile each process counts for itself")
    alone = "each process counts for itself: with several, or several machines, set PORTAL_RATE_LIMITS to a Redis"
    return Line("rate limits", ok=True, says="counted for all processes together" if shared else alone)


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
