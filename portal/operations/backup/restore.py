"""Restore a backup to an empty installation, or verify it: restore it to a temporary place and read everything."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa

from portal.adapters.storage.store import TOMBSTONES, Store
from portal.background.mails.queue import KIND as MAIL
from portal.background.outbox import queue as outbox
from portal.background.outbox.tables import workers
from portal.delivery.envelopes import references
from portal.delivery.kinds import KINDS
from portal.delivery.privacy_requests import tombstones
from portal.delivery.uploads.disk_space import FreeSpace, nearest, of_disk
from portal.delivery.uploads.tables import uploads
from portal.operations.backup import dumps, files
from portal.operations.backup.manifest import BackupError, DatabaseCopy, Manifest, Report, record_run, sha256_of
from portal.operations.backup.take import KEYS, TENANTS, keys_named_in, sha256_of_texts
from portal.platform.clock import Clock
from portal.platform.config import private_files
from portal.platform.config.private_files import why_unwritable
from portal.platform.database.db import Database

_MAX_NAMED = 3
_BLOCK = 4_096
"""Bytes that a file may need on its disk beyond its size."""


@dataclass(frozen=True, slots=True)
class RestoreTarget:
    """The target of a restore. erasures: where tombstones are. home: the base of paths of keys. secrets: fingerprints.

    settle_service: discards emails that wait in the service's database, and returns how many. files: the folder of
    `store`, None for a bucket. space: returns the free space on the disk of a path.
    """

    portal: Database
    tracker: Database
    store: Store
    erasures: Store
    tenants: Path
    home: Path
    secrets: tuple[str, ...]
    settle_service: Callable[[Database, datetime], int]
    files: Path | None = None
    space: FreeSpace = of_disk

    def database(self, name: str) -> Database:
        """Return the database of the portal or of the service."""
        return self.portal if name == "portal" else self.tracker


def refuse_unless_empty(manifest: Manifest, folder: Path, target: RestoreTarget) -> None:
    """Raise BackupError that names everything that prevents a restore, or every secret key that is missing."""
    wrong = [
        f"{path} is another key"
        for number, path in _key_files(manifest, target).items()
        if path.exists() and path.read_bytes() != (folder / KEYS / number).read_bytes()
    ]
    for copy in manifest.databases:
        require_same_engine(copy, target.database(copy.name))
        if not dumps.is_empty(target.database(copy.name)):
            wrong.append(f"the database of the {dumps.CALLED[copy.name]} is not empty")
    if any(not key.startswith(TOMBSTONES) for key in target.store.keys("")):
        wrong.append("the file storage is not empty")
    if any(target.tenants.glob("*.toml")):
        wrong.append(f"there are tenant files in {target.tenants}")
    if wrong:
        raise BackupError(
            f"nothing was restored: {'; '.join(wrong)}: a backup is restored only where there is nothing; remove what "
            "an interrupted restore left, and keep what was not lost: see Restore in the manual"
        )
    if wrong := _unusable(manifest, folder, target):
        raise BackupError(f"nothing was restored: {'; '.join(wrong)}")
    if lacking := [one for one in manifest.secrets if one not in target.secrets]:
        raise BackupError(
            f"nothing was restored: secret keys are missing (fingerprints {', '.join(lacking)}): set PORTAL_SECRET_KEY "
            "and PORTAL_SECRET_KEY_FALLBACKS as they were; without them nothing that waits can be delivered"
        )


def _unusable(manifest: Manifest, folder: Path, target: RestoreTarget) -> list[str]:
    """Return problems that would otherwise appear hours after copying began. Raises StoreError, DatabaseUnavailable."""
    target.store.reach()
    places = {target.tenants, *(path.parent for path in _key_files(manifest, target).values() if not path.exists())}
    wrong = []
    for copy in manifest.databases:
        db = target.database(copy.name)
        places |= {db.file.parent} if db.file else set()
        wrong += dumps.obstacles(folder / copy.file, db)
    wrong += [f"{place} cannot be written to: {why}" for place in sorted(places) if (why := why_unwritable(place))]
    return wrong or _short_of_space(manifest, target)


def _short_of_space(manifest: Manifest, target: RestoreTarget) -> list[str]:
    """Return the disks of this machine that have less free space than a restore needs there. Raises OSError.

    SQLite's online backup writes everything to the write-ahead log, and from there to the database.
    """
    writes = {target.files: manifest.file_bytes + manifest.files * _BLOCK}
    writes |= {target.database(copy.name).file: copy.size * 201 // 100 for copy in manifest.databases}
    disks: dict[int, dict[Path, int]] = {}
    for path, size in writes.items():
        if path is not None:
            disks.setdefault(nearest(path).stat().st_dev, {})[path] = size
    return [
        f"the disk of {', '.join(map(str, sizes))} has {free} bytes free, and {needed} bytes are needed: free up space"
        for sizes in disks.values()
        if (free := target.space(next(iter(sizes))).free) < (needed := sum(sizes.values()))
    ]


def restore(home: Path, folder: Path, target: RestoreTarget, clock: Clock, *, report: Report) -> outbox.AfterRestore:
    """Restore one backup; return what is done about deliveries whose later state is unknown.

    Raises BackupError, StoreError, DatabaseUnavailable, SchemaError, OSError. Files come before the databases, and the
    tenant files last: without them nothing is served or delivered, so a restore that is interrupted does no harm.
    """
    manifest = Manifest.read(folder)
    if manifest.taken_at > clock.now() + tombstones.CLOCKS_DIFFER:
        raise BackupError(
            f"nothing was restored: this machine's clock is {clock.now():%Y-%m-%dT%H:%M:%SZ}, and the backup is from "
            f"{manifest.taken_at:%Y-%m-%dT%H:%M:%SZ}: correct the clock"
        )
    refuse_unless_empty(manifest, folder, target)
    if wrong := _damage(home, folder, manifest, report):
        raise BackupError(f"nothing was restored: {folder} is damaged: {'; '.join(wrong)}: choose another backup")
    _require_named(manifest, folder)
    files.put_back(home, folder, target.store, total=manifest.files, report=report)
    _put_texts(folder / KEYS, _key_files(manifest, target))
    of_service = 0
    for copy in sorted(manifest.databases, key=lambda one: one.name != "tracker"):
        db = target.database(copy.name)
        dumps.load(folder / copy.file, db, what=f"database of the {dumps.CALLED[copy.name]}", report=report)
        db.upgrade()
        if copy.name == "tracker":
            of_service = target.settle_service(db, clock.now())
    record_run(target.portal, manifest.taken_at)
    bad = files.copy_tombstones(files.tombstones_of(home), target.erasures, since=manifest.taken_at)
    done = settle_earlier_state(target.portal, target.erasures, manifest.taken_at, clock)
    _put_texts(
        folder / TENANTS, {number: target.tenants / Path(name).name for number, name in manifest.tenants.items()}
    )
    return replace(done, of_service=of_service, damaged_copies=tuple(f"{files.FOLDER}/{key}" for key in bad))


def settle_earlier_state(db: Database, erasures: Store, taken_at: datetime, clock: Clock) -> outbox.AfterRestore:
    """Prepare a portal's database that is as it was at an earlier instant; return what was done.

    erasures: where tombstones are. taken_at: the instant. Raises DatabaseUnavailable, StoreError.
    """
    now = clock.now()
    done = outbox.after_restore(db, now, deliveries=tuple(KINDS), mails=MAIL)
    references.record_restore(db, taken_at=taken_at, restored_at=now)
    erased, damaged = tombstones.apply_unknown(db, erasures, now)
    return replace(done, erased=erased, damaged=damaged)


def require_unused_since(db: Database, taken_at: datetime) -> None:
    """Raise BackupError if a worker wrote to the portal's database after the instant, or it is open elsewhere."""
    if dumps.is_open_elsewhere(db):
        raise BackupError("the database is in use: stop servers, workers and commands that use it")
    with db.read() as connection:
        seen_at = connection.scalar(sa.select(sa.func.max(workers.c.seen_at)))
    if seen_at and seen_at > taken_at + tombstones.CLOCKS_DIFFER:
        raise BackupError(
            f"a worker wrote at {seen_at:%Y-%m-%dT%H:%M:%SZ}, after {taken_at:%Y-%m-%dT%H:%M:%SZ}: stop the workers, "
            "and name the instant to which the database was restored"
        )


def _require_named(manifest: Manifest, folder: Path) -> None:
    """Raise BackupError for a tenant file that would be written elsewhere, or a key that no tenant file names."""
    texts = {name: (folder / TENANTS / Path(number).name).read_bytes() for number, name in manifest.tenants.items()}
    strange = {name for name in texts if Path(name).name != name or not name.endswith(".toml")}
    strange |= {*manifest.keys.values()} - keys_named_in(texts)
    if strange:
        raise BackupError(f"nothing was restored: the manifest names {len(strange)} files that no tenant file explains")


def _damage(home: Path, folder: Path, manifest: Manifest, report: Report) -> list[str]:
    """Return the parts that are missing or, by their hashes, damaged."""
    if sha256_of(folder / files.LIST) != manifest.list_sha256:
        return [f"{files.LIST} is damaged"]
    try:
        is_whole = sha256_of_texts(folder, manifest.tenants, manifest.keys) == manifest.texts_sha256
    except OSError:
        is_whole = False
    wrong = [] if is_whole else ["tenant files or keys are missing or damaged"]
    for copy in manifest.databases:
        file = folder / copy.file
        if not file.is_file() or sha256_of(file) != copy.sha256:
            wrong.append(f"{copy.file} is missing or damaged")
    if bad := files.damaged(home, folder, total=manifest.files, report=report):
        wrong.append(f"{bad} of {manifest.files} files are missing or damaged; the next backup copies them anew")
    return wrong


def _key_files(manifest: Manifest, target: RestoreTarget) -> dict[str, Path]:
    return {Path(number).name: target.home / path for number, path in manifest.keys.items()}


def _put_texts(source: Path, named: dict[str, Path]) -> None:
    for number, path in named.items():
        content = (source / Path(number).name).read_bytes()
        if not path.is_file() or path.read_bytes() != content:  # an existing key may be in a folder of root
            private_files.make_folder(path.parent)
            private_files.write(path, content)


def verify(home: Path, folder: Path, databases: dict[str, Database], *, report: Report) -> Manifest:
    """Read all of one backup; return its manifest. Raises BackupError that names everything that is wrong.

    databases: those of the settings by name: a copy from PostgreSQL is restored to a new database on the same server.
    """
    manifest = Manifest.read(folder)
    for copy in manifest.databases:
        dumps.remove_leftovers(databases[copy.name])
        dumps.require_program("pg_restore", databases[copy.name])
    wrong = _damage(home, folder, manifest, report)
    for copy in manifest.databases if not wrong else ():
        wrong += _wrong_with(folder, copy, databases[copy.name], report)
    if bad := files.damaged_tombstones(home):
        raise BackupError(
            f"{len(bad)} of the erasures recorded in {home} are damaged ({', '.join(bad[:_MAX_NAMED])}), and a restore "
            f"may bring these people back; the next backup copies them anew{'; '.join(['', *wrong])}"
        )
    if wrong:
        raise BackupError(f"{folder} is damaged: {'; '.join(wrong)}: choose another backup")
    return manifest


def require_same_engine(copy: DatabaseCopy, db: Database) -> None:
    """Raise BackupError unless the settings name a database of the engine that the copy is from."""
    if dumps.engine_of(db) != copy.engine:
        raise BackupError(
            f"the backup of the {copy.name} is from {copy.engine}, and the settings name {dumps.engine_of(db)}: "
            "restore to the same, then use `portal db copy`"
        )


def _wrong_with(folder: Path, copy: DatabaseCopy, db: Database, report: Report) -> list[str]:
    require_same_engine(copy, db)
    file = folder / copy.file
    with tempfile.TemporaryDirectory() as place, dumps.temporary(db, Path(place)) as restored:
        dumps.load(file, restored, what=f"database of the {dumps.CALLED[copy.name]}", report=report)
        with restored.read() as connection:
            wrong = [f"{copy.file}: {message}" for message in _integrity(connection) if message != "ok"]
            found = dumps.schema_and_rows(connection)
            if found != (copy.schema, copy.rows):
                wrong.append(f"{copy.file}: other rows than the manifest says")
            if copy.name == "portal":
                wrong += _without_files(connection, folder, copy)
    return wrong


def _integrity(connection: sa.Connection) -> list[str]:
    if connection.dialect.name != "sqlite":
        return []  # pg_restore has read and checked every row, and made every index and constraint anew
    return [str(message) for message in connection.execute(sa.text("PRAGMA integrity_check(5)")).scalars()]


def _without_files(connection: sa.Connection, folder: Path, copy: DatabaseCopy) -> list[str]:
    wanted = set(connection.scalars(sa.select(uploads.c.key).where(uploads.c.claimed_by.is_not(None))))
    lacking = len(wanted - {key for key, _ in files.read_list(folder)})
    known = Manifest.read(folder).missing
    return [f"{copy.file}: {lacking} submissions have no file in the backup"] if lacking > known else []
