"""Whether there is room for another file: on the disk of the store's folder, of temporary files and of SQLite.

A disk that is full stops everything that writes, receipts and sign-in too; one that is nearly full stops files alone,
which are what fills it.
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

LEAST_BYTES = 500_000_000
"""Some fifty of the largest files on their way, the log of the database, and time for somebody to come and look."""
LEAST_SHARE = 20
"""One part in so many: 5 %. What file systems keep back for the administrator is not counted as free."""

DATABASE = "database"
"""The place of SQLite's file, where that is the database."""
_LEAST_TO_WRITE = 5_000_000
"""Bytes without which a database of a file takes nothing: its log grows by about four before it is worked off."""


@dataclass(frozen=True, slots=True)
class Space:
    """Bytes of a disk, and those of them that this process may still write."""

    total: int
    free: int


FreeSpace = Callable[[Path], Space]


def of_disk(path: Path) -> Space:
    """Of the disk on which `path` is, or will be. Raises OSError."""
    there = next(one for one in (path, *path.absolute().parents) if one.exists())
    usage = shutil.disk_usage(there)
    return Space(usage.total, usage.free)


@dataclass(frozen=True, slots=True)
class Disks:
    """places: what is written there, as operators call it → a path on its disk."""

    places: Mapping[str, Path]
    space: FreeSpace

    def free(self) -> dict[str, float]:
        """Bytes that may still be written at each place; 0 where its disk does not even say."""
        found: dict[str, float] = {}
        for name, path in self.places.items():
            try:
                found[name] = self.space(path).free
            except OSError:
                found[name] = 0
        return found

    def short(self) -> list[str]:
        """Places with less room than there must be; none, and files are taken."""
        return [name for name, path in self.places.items() if self._is_short(path)]

    def lets_write(self, name: str) -> bool:
        """Whether there is room for a few more rows at a place; at one that is not on this machine there always is."""
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
            return True  # a disk that cannot even say how full it is takes no file either
        return found.free < LEAST_BYTES or found.free * LEAST_SHARE < found.total
