"""Make a backup.

The order makes it consistent. Files are copied first, then the portal's database at one instant, then the files that
came in between: so each submission in the copy has its CV. If such a file was deleted meanwhile, the copy of the
database is made again. The service's database comes last: it contains everything that was delivered meanwhile, so the
restored portal, which has no record of that delivery, finds it there instead of losing it.
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

import sqlalchemy as sa

from portal.adapters.storage.store import Store
from portal.contract.bounds import SLUG
from portal.delivery.uploads.tables import uploads
from portal.operations.backup import dumps, files
from portal.operations.backup.manifest import (
    BackupError,
    DatabaseCopy,
    Manifest,
    Report,
    complete,
    folder_name,
    part_of,
    record_run,
    sha256_of,
    unfinished,
)
from portal.operations.rekey import needed_keys
from portal.platform.clock import Clock
from portal.platform.config import private_files
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database
from portal.tenants.folder import named_files

_TRIES = 5
_PAUSE = 0.2
"""Seconds between two readings of tenant files and keys: so that files that are being written are noticed."""
TENANTS, KEYS = "tenants", "keys"


@dataclass(frozen=True, slots=True)
class BackupSource:
    """What is backed up. tracker: the service's database, None if it is not here. tenants: the folder of tenant files.

    erasures: where tombstones are. home: the base of the paths of keys.
    """

    portal: Database
    tracker: Database | None
    store: Store
    erasures: Store
    tenants: Path
    home: Path
    seal: Seal


@dataclass(slots=True)
class _PortalCopy:
    """A copy of the portal's database. missing: keys of files of its submissions that are not in the backup.

    secrets: fingerprints of the secret keys that something in it is sealed with. unreadable: data that needs other
    keys.
    """

    copy: DatabaseCopy
    secrets: tuple[str, ...]
    unreadable: str
    missing: set[str] = field(default_factory=set)


def take(source: BackupSource, home: Path, clock: Clock, *, report: Report) -> Path:
    """Make a backup in `home`; return its folder.

    Raises BackupError, StoreError, DatabaseUnavailable, OSError; an interrupted backup is never mistaken for a complete
    one.
    """
    for db in filter(None, (source.portal, source.tracker)):
        dumps.require_program("pg_dump", db)
    private_files.make_folder(home)
    with _alone(home):
        for left in unfinished(home):
            shutil.rmtree(left)
        taken_at = clock.now()
        folder = home / folder_name(taken_at)
        if (there := complete(home)) and there[-1].name >= folder.name:
            raise BackupError(f"{there[-1]} is not older than this machine's clock: correct the clock, or move it away")
        part = part_of(folder)
        part.mkdir(mode=private_files.FOLDER)
        known = _known(there)
        manifest = _written(source, home, part, known, taken_at, clock, report)
        manifest.write(part)
        _sync(part)
        files.copy_tombstones(source.erasures, files.tombstones_of(home))
        part.rename(folder)
        _sync(home)
    if not manifest.lost:  # an incomplete one counts as missed
        record_run(source.portal, taken_at)
    return folder


def _written(
    source: BackupSource,
    home: Path,
    part: Path,
    known: dict[str, files.FileEntry],
    taken_at: datetime,
    clock: Clock,
    report: Report,
) -> Manifest:
    began = clock.monotonic()
    copied = files.CopiedFiles(source.store, home, known)
    copied.copy_all(report=report)
    portal = _portal_with_files(source, part, copied, report)
    databases = [portal.copy]
    if source.tracker:
        file, what = _place(part, "tracker", source.tracker)
        with dumps.dumped(source.tracker, file, what=what, report=report) as connection:
            databases.append(_described(part, "tracker", source.tracker, connection))
    files.write_list(part, copied.entries)
    texts = _steady_texts(source, clock)
    tenants, keys = _copied_texts(texts.tenants, part / TENANTS), _copied_texts(texts.keys, part / KEYS)
    return Manifest(
        release=version("careers-portal"),
        taken_at=taken_at,
        seconds=round(clock.monotonic() - began, 3),
        databases=tuple(databases),
        files=len(copied.entries),
        file_bytes=sum(entry.size for entry in copied.entries.values()),
        missing=len(portal.missing),
        list_sha256=sha256_of(part / files.LIST),
        texts_sha256=sha256_of_texts(part, tenants, keys),
        tenants=tenants,
        keys=keys,
        secrets=portal.secrets,
        unreadable=portal.unreadable,
        lost=texts.lost,
    )


def _known(there: list[Path]) -> dict[str, files.FileEntry]:
    """Return the files of the newest backup; none if its list is damaged: then each copy is read anew."""
    try:
        return dict(files.read_list(there[-1])) if there else {}
    except BackupError:
        return {}


def sha256_of_texts(folder: Path, tenants: dict[str, str], keys: dict[str, str]) -> str:
    """Return one SHA-256 of all tenant files and keys in a backup, in hex. Raises OSError."""
    numbered = [folder / place / Path(number).name for place, of in ((TENANTS, tenants), (KEYS, keys)) for number in of]
    return hashlib.sha256("".join(sha256_of(path) for path in numbered).encode()).hexdigest()


def _portal_with_files(source: BackupSource, part: Path, copied: files.CopiedFiles, report: Report) -> _PortalCopy:
    """Copy the portal's database, and those of its files that are missing; again if one was deleted in between."""
    for _ in range(_TRIES):
        file, what = _place(part, "portal", source.portal)
        file.unlink(missing_ok=True)
        with dumps.dumped(source.portal, file, what=what, report=report) as connection:
            made = _PortalCopy(
                _described(part, "portal", source.portal, connection), *needed_keys(connection, source.seal)
            )
            wanted = set(connection.scalars(sa.select(uploads.c.key).where(uploads.c.claimed_by.is_not(None))))
        made.missing = {key for key in wanted if not copied.copy(key)}
        if made.missing <= _claimed(source.portal):  # they were gone before the backup began
            return made
    raise BackupError("files of submissions were deleted while they were copied, five times: run the backup again")


def _claimed(db: Database) -> set[str]:
    with db.read() as connection:
        return set(connection.scalars(sa.select(uploads.c.key).where(uploads.c.claimed_by.is_not(None))))


def _place(part: Path, name: str, db: Database) -> tuple[Path, str]:
    return part / f"{name}.{dumps.SUFFIXES[dumps.engine_of(db)]}", f"database of the {dumps.CALLED[name]}"


def _described(part: Path, name: str, db: Database, connection: sa.Connection) -> DatabaseCopy:
    file, _ = _place(part, name, db)
    schema, rows = dumps.schema_and_rows(connection)
    return DatabaseCopy(name, dumps.engine_of(db), file.name, file.stat().st_size, sha256_of(file), schema, rows)


@dataclass(frozen=True, slots=True)
class _Texts:
    """Small files. tenants: by name, strays included. keys: by the path that a tenant file names.

    lost: tenant files and keys that cannot be read.
    """

    tenants: dict[str, bytes]
    keys: dict[str, bytes]
    lost: tuple[str, ...]


def _steady_texts(source: BackupSource, clock: Clock) -> _Texts:
    """Return tenant files and keys once two readings in a row are equal. Raises BackupError, OSError."""
    found = _texts(source)
    for _ in range(_TRIES):
        clock.sleep(_PAUSE)
        before, found = found, _texts(source)
        if before == found:
            return found
    raise BackupError(
        f"tenant files in {source.tenants}, or their keys, were changed while they were read, five times: "
        "run the backup again once nobody edits them"
    )


def _texts(source: BackupSource) -> _Texts:
    there = sorted(source.tenants.iterdir()) if source.tenants.is_dir() else []
    paths = {path.name: path for path in there if path.name.endswith(".toml")}
    tenants = _read(paths)
    keys = {where: source.home / where for where in keys_named_in(tenants)}
    found = _read(keys)
    lost = {name for name in paths if is_tenant_file(name)} - {*tenants} | ({*keys} - {*found})
    return _Texts(tenants, found, tuple(sorted(lost)))


def is_tenant_file(name: str) -> bool:
    """Return whether a file of this name can be a tenant's; others in the folder are strays."""
    return name.endswith(".toml") and SLUG.fullmatch(name.removesuffix(".toml")) is not None


def keys_named_in(tenants: dict[str, bytes]) -> set[str]:
    """Return the paths of all keys that tenant files name. tenants: the files by name, of which strays name none."""
    texts = [text.decode("utf-8", "replace") for name, text in tenants.items() if is_tenant_file(name)]
    return {where for text in texts for where in named_files(text).values()}


def _read(paths: dict[str, Path]) -> dict[str, bytes]:
    """Read each file; one that cannot be read is left out."""
    found = {}
    for name, path in paths.items():
        with suppress(OSError, ValueError):  # ValueError: not a possible file name
            if path.is_file():  # not a pipe, of which the reading would never end
                found[name] = path.read_bytes()
    return found


def _copied_texts(named: dict[str, bytes], folder: Path) -> dict[str, str]:
    """Write small files under numbers; return number → name."""
    folder.mkdir(mode=private_files.FOLDER)
    numbered = {str(number): name for number, name in enumerate(named, 1)}
    for number, name in numbered.items():
        private_files.write(folder / number, named[name])
    return numbered


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Hold the folder's lock, which the system releases however the process ends. Raises BackupError."""
    with os.fdopen(os.open(home / ".lock", os.O_RDWR | os.O_CREAT, private_files.FILE)) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BackupError(f"another backup is being made in {home}: wait for it to end") from None
        yield


def remove_old(home: Path, keep: int) -> None:
    """Delete all backups but the newest `keep`. Raises BackupError, StoreError, OSError."""
    with _alone(home):
        found = complete(home)
        for old in found[:-keep]:
            shutil.rmtree(old.rename(part_of(old)))  # under a name that the next run removes if this one is killed
        with suppress(BackupError):  # a kept list is damaged, which `verify` reports: nothing is deleted then
            files.remove_unlisted(home, found[-keep:])


def _sync(folder: Path) -> None:
    """Force a folder's files and their names to the disk."""
    for path in (*(one for one in folder.rglob("*") if one.is_file() and folder.name.endswith(".part")), folder):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
