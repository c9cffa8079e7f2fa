"""Whether there is enough disk space for another file: for file storage in a folder, temporary files and SQLite.

A full disk stops everything that writes, receipts and sign-in included; on a nearly full disk only files are rejected,
because files use most of the space.
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

LEAST_BYTES = 500_000_000
"""About fifty of the largest files in progress, the log of the database, and time for an operator to respond."""
LEAST_SHARE = 20
"""One part in this many: 5 %. Space that file systems reserve for the administrator does not count as free."""

DATABASE_DISK_FULL = "the database disk is full: free up disk space"
DATABASE = "database"
"""The name of the place of SQLite's file, if the database is SQLite."""
_LEAST_TO_WRITE = 5_000_000
"""Bytes that SQLite needs to write anything: its log grows by about four million before a checkpoint."""


@dataclass(frozen=True, slots=True)
class Space:
    """The size of a disk in bytes, and how much of it this process may still write."""

    total: int
    free: int


FreeSpace = Callable[[Path], Space]


def nearest(path: Path) -> Path:
    """Return the path, or the nearest one above it that exists: it is on the disk on which `path` will be."""
    return next(one for one in (path, *path.absolute().parents) if one.exists())


def of_disk(path: Path) -> Space:
    """Return the space of the disk on which `path` is, or will be. Raises OSError."""
    usage = shutil.disk_usage(nearest(path))
    return Space(usage.total, usage.free)


@dataclass(frozen=True, slots=True)
class Disks:
    """The disks that are written to. places: name as operators know it → a path on its disk."""

    places: Mapping[str, Path]
    space: FreeSpace

    def free(self) -> dict[str, float]:
        """Return the bytes that may still be written at each place; 0 if its disk cannot be read."""
        found: dict[str, float] = {}
        for name, path in self.places.items():
            try:
                found[name] = self.space(path).free
            except OSError:
                found[name] = 0
        return found

    def places_short_of_space(self) -> list[str]:
        """Return the places with too little space; files are accepted only if there are none."""
        return [name for name, path in self.places.items() if self._is_short(path)]

    def lets_write(self, name: str) -> bool:
        """Return whether a place has space for a few more rows; one that is not on this machine always has."""
        path = self.places.get(name)
        if path is None:
            return True
        try:
            return self.space(path).free >= _LEAST_TO_WRITE
        except OSError:
            return False

    def _is_short(self, path: Path) -> bool:
        try:
            found = self.space(path)
        except OSError:
            return True  # no file is accepted either if the free space cannot be read
        return found.free < LEAST_BYTES or found.free * LEAST_SHARE < found.total
