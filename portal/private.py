"""Folders and files that only this process's user can read, whatever the umask says."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

FOLDER, FILE = 0o700, 0o600
_OTHERS = 0o077
_LOOKED_AT = 10_000
"""Files of a folder that are looked at: enough to see how they are made, and nobody waits for a million."""


def make_folder(folder: Path) -> None:
    """The folder and every one above it that is not there, each 0700. Raises OSError."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        try:
            each.mkdir(mode=FOLDER)
        except FileExistsError:  # another process was first, or it is no folder
            if not each.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(each)) from None


def make_file(file: Path) -> None:
    """An empty file of 0600, unless there is one; what cannot be made is said by who opens it next."""
    with suppress(OSError):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, FILE))


def create_database_file(file: Path | None) -> None:
    """Create an empty SQLite file of mode 0600 unless there is one, without opening it.

    SQLite itself would create it with the mode that the umask gives. It is never opened here: closing any descriptor
    of the file drops all locks that this process holds on it through SQLite, and the next process that exits then
    deletes the write-ahead log under the others (sqlite.org/howtocorrupt.html, section 2.2). What cannot be created is
    reported by SQLite, which opens it next.
    """
    if file is not None:
        with suppress(OSError):
            os.mknod(file, stat.S_IFREG | FILE)


def write(file: Path, text: str) -> None:
    """A file of 0600 with this text, whole or not at all. Raises OSError."""
    draft = file.with_name(f".{file.name}.new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE), "w", encoding="utf-8") as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())
    draft.replace(file)


def is_open_to_others(place: Path) -> bool:
    """Whether others can read or write it, or what lies in it. Symbolic links count as what they lead to."""
    return any(_is_open(each) for each in islice(_within(place), _LOOKED_AT))


def _within(place: Path) -> Iterator[Path]:
    yield place
    for folder, folders, files in os.walk(place):
        yield from (Path(folder, name) for name in (*folders, *files))


def _is_open(place: Path) -> bool:
    try:
        return bool(stat.S_IMODE(place.stat().st_mode) & _OTHERS)
    except OSError:
        return False
