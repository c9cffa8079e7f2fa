"""Stored files in a backup: each is copied once, however many backups contain it.

Every object has a random key and is never written again, so a file that was copied stays as it is. Each backup has a
list of the files that were there when it was made: `files.gz`, a line for each, with SHA-256, size, key, media type and
the name, encoded as in URLs; earlier releases wrote the first three.
"""

import gzip
import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, cast
from urllib.parse import quote, unquote

from portal.adapters.storage.local import LocalStore
from portal.adapters.storage.store import INCOMING_TYPE, TOMBSTONES, Store, check_key, is_key
from portal.delivery.privacy_requests import tombstones
from portal.operations.backup.manifest import BackupError, Report
from portal.platform.errors import AttachmentMissing

LIST = "files.gz"
FOLDER = "files"
_CHUNK = 256 * 1024
_LONGEST_LINE = 1_000


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file in a backup. sha256: in hex. media_type, filename: with which it was stored."""

    sha256: str
    size: int
    media_type: str = INCOMING_TYPE
    filename: str = "cv"


class _Hashed:
    """Reads from another stream and hashes what was read."""

    def __init__(self, body: BinaryIO) -> None:
        self._body = body
        self.digest = hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        chunk = self._body.read(size)
        self.digest.update(chunk)
        return chunk


class CopiedFiles:
    """The files of one backup while it is made. known: those of the last backup. home: the folder of all backups."""

    def __init__(self, store: Store, home: Path, known: dict[str, FileEntry]) -> None:
        self._store, self._known = store, known
        self._copies = LocalStore(home / FOLDER, called="folder of the backups")
        self._folder = home / FOLDER
        self.entries: dict[str, FileEntry] = {}

    def copy_all(self, *, report: Report) -> None:
        """Copy every object that is stored now and was not copied before. Raises StoreError, OSError."""
        for number, key in enumerate(self._store.keys("")):
            # Not the quarantine and tombstones, where no submission has a file, nor objects that are not the portal's.
            if is_key(key) and not key.startswith("_"):
                self.copy(key)
            if number % 100 == 0:
                report("files", len(self.entries), len(self._known))
        report("files", len(self.entries), len(self.entries))

    def copy(self, key: str) -> bool:
        """Copy one object if not copied yet; return whether it is in the backup: it may have been deleted meanwhile."""
        if key in self.entries:
            return True
        known = self._known.get(key)
        if known and self._has(key, known.size):
            self.entries[key] = known
            return True
        try:
            with self._store.open_pinned(key) as found:
                hashed = _Hashed(found.content)
                body = cast("BinaryIO", hashed)  # it can be read, and a folder needs nothing else
                self._copies.put(key, body, size=found.size, media_type=INCOMING_TYPE, filename="")
        except AttachmentMissing:
            return False
        self.entries[key] = FileEntry(hashed.digest.hexdigest(), found.size, found.media_type, found.filename)
        return True

    def _has(self, key: str, size: int) -> bool:
        try:
            return (self._folder / key).stat().st_size == size
        except OSError:
            return False


def copy_tombstones(source: Store, target: Store, *, since: datetime | None = None) -> list[str]:
    """Copy tombstones that are not complete in the target yet; return the keys of those that are damaged at the source.

    since: tombstones of erasures that were earlier by every clock are skipped. Tombstones are in no backup's list:
    after a restore of any backup, all later ones apply. Raises StoreError.
    """
    there, damaged = tombstones.keys(target), []
    least = int((since - tombstones.CLOCKS_DIFFER).timestamp()) if since else 0
    for key in filter(tombstones.is_tombstone, tombstones.keys(source)):
        if int(key.removeprefix(TOMBSTONES).partition("-")[0]) < least:
            continue
        with suppress(AttachmentMissing):  # deleted since it was listed
            if key in there and tombstones.read_whole(target, key) is not None:
                continue
            if (content := tombstones.read_whole(source, key)) is None:
                damaged.append(key)
                continue
            tombstones.put(target, key, content)
    return damaged


def damaged_tombstones(home: Path) -> list[str]:
    """Return the names of the copies of tombstones in a folder of backups that are damaged. Raises StoreError."""
    copies = tombstones_of(home)
    there = sorted(filter(tombstones.is_tombstone, tombstones.keys(copies)))
    return [f"{FOLDER}/{key}" for key in there if tombstones.read_whole(copies, key) is None]


def tombstones_of(home: Path) -> Store:
    """Return the store of the tombstones in a folder of backups."""
    return LocalStore(home / FOLDER, called="folder of the backups")


def write_list(folder: Path, entries: dict[str, FileEntry]) -> None:
    """Write the list of a backup's files. Raises OSError."""
    with gzip.open(folder / LIST, "wt", encoding="ascii") as out:
        for key, entry in sorted(entries.items()):
            stored = f"{quote(entry.media_type, safe='/')} {quote(entry.filename, safe='')}"
            out.write(f"{entry.sha256} {entry.size} {key} {stored}\n")


def read_list(folder: Path) -> Iterator[tuple[str, FileEntry]]:
    """Yield each file of a backup with its key. Raises BackupError."""
    try:
        with gzip.open(folder / LIST, "rt", encoding="ascii") as lines:
            while line := lines.readline(_LONGEST_LINE):
                digest, size, key, *stored = line.split()
                check_key(key)
                yield key, FileEntry(digest, int(size), *map(unquote, stored[:2]))
    except (OSError, EOFError, ValueError) as error:
        raise BackupError(f"{folder / LIST} cannot be read ({type(error).__name__}): choose another backup") from error


def damaged(home: Path, folder: Path, *, total: int, report: Report) -> int:
    """Read every file of a backup; return how many are missing or differ from the copied ones.

    A damaged one is renamed, so that the next backup copies it anew.
    """
    bad = 0
    for number, (key, entry) in enumerate(read_list(folder), 1):
        file = home / FOLDER / key
        if not _is_whole(file, entry):
            bad += 1
            with suppress(OSError):
                file.rename(file.with_name(f"{file.name}.damaged"))  # a name with a dot is no key
        report("files", number, total)
    return bad


def _is_whole(file: Path, entry: FileEntry) -> bool:
    digest, size = hashlib.sha256(), 0
    try:
        if not file.is_file():  # nor a pipe or a device, which would never end
            return False
        with file.open("rb") as opened:
            while size <= entry.size and (chunk := opened.read(_CHUNK)):
                digest.update(chunk)
                size += len(chunk)
    except OSError:
        return False
    return size == entry.size and digest.hexdigest() == entry.sha256


def put_back(home: Path, folder: Path, store: Store, *, total: int, report: Report) -> None:
    """Store every file of a backup under its key. Raises BackupError, StoreError."""
    copies = LocalStore(home / FOLDER, called="folder of the backups")
    for number, (key, entry) in enumerate(read_list(folder), 1):
        with copies.open(key) as body:
            store.put(key, body, size=entry.size, media_type=entry.media_type, filename=entry.filename)
        report("files", number, total)


def remove_unlisted(home: Path, backups: list[Path]) -> int:
    """Delete the copies that are in no list of the backups that are kept; return how many."""
    listed = {key for folder in backups for key, _ in read_list(folder)}
    copies = LocalStore(home / FOLDER, called="folder of the backups")
    gone = [key for key in copies.keys("") if key not in listed and not key.startswith(TOMBSTONES)]
    for key in gone:
        copies.delete(key)
    return len(gone)
