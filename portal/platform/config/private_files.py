"""Folders and files that only this process's user can read, regardless of the umask."""

import errno
import os
import pwd
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

FOLDER, FILE = 0o700, 0o600
_OTHERS = 0o077
_LOOKED_AT = 10_000
"""Files of a folder that are checked: enough to see how they are created, without waiting for a million of them."""


def make_folder(folder: Path) -> None:
    """Create the folder and every missing one above it, with mode 0700. Raises OSError."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        try:
            each.mkdir(mode=FOLDER)
        except FileExistsError:  # another process was faster, or it is not a folder
            if not each.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(each)) from None


def make_file(file: Path) -> None:
    """Create an empty file of mode 0600, unless it exists; a failure is reported when the file is opened next."""
    with suppress(OSError):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, FILE))


def create_database_file(file: Path | None) -> None:
    """Create an empty SQLite file of mode 0600 unless there is one, without opening it; it gets its folder's owner.

    SQLite itself would create it with the mode that the umask gives. It is never opened here: closing any descriptor
    of the file drops all locks that this process holds on it through SQLite, and the next process that exits then
    deletes the write-ahead log under the others (sqlite.org/howtocorrupt.html, section 2.2). If it cannot be created,
    SQLite reports that when it opens the file.
    """
    if file is not None:
        with suppress(OSError):
            os.mknod(file, stat.S_IFREG | FILE)
            if os.geteuid() == 0:  # SQLite gives the files beside it the same owner
                owner = file.parent.stat()
                os.chown(file, owner.st_uid, owner.st_gid, follow_symlinks=False)


def why_unwritable(folder: Path) -> str:
    """Return why no file can be made in a folder, which may have to be made first; "" if it can."""
    there = next(one for one in (folder, *folder.absolute().parents) if os.path.lexists(one))
    try:
        tempfile.TemporaryFile(dir=there).close()
    except OSError as exc:
        return why_unreadable(there, exc)
    return ""


def write(file: Path, content: str | bytes) -> None:
    """Write a file of mode 0600 with this text, completely or not at all. Raises OSError."""
    draft = file.with_name(f".{file.name}.new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE), "wb") as opened:
        opened.write(content.encode() if isinstance(content, str) else content)
        opened.flush()
        os.fsync(opened.fileno())
    draft.replace(file)


def why_unreadable(file: Path, error: Exception) -> str:
    """Return why a file cannot be read, by the error of an attempt, and what to do about it."""
    if isinstance(error, PermissionError):
        return whose(file)
    if isinstance(error, FileNotFoundError):
        return "it does not exist"
    return getattr(error, "strerror", None) or type(error).__name__


def whose(file: Path) -> str:
    """Return the owner of a file that this process may not use, or of the closest visible folder, and what to do."""
    me = _user(os.geteuid())
    for place in (file, *file.parents):
        with suppress(OSError):
            owner = _user(place.stat().st_uid)
            advice = f"chmod u+rw {place}" if owner == me else f"chown {me} {place}"
            return f"{place} belongs to {owner}, and this process runs as {me}: run `{advice}` as root"
    return "no folder of its path can be read"


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def is_open_to_others(place: Path) -> bool:
    """Return whether other users can read or write it, or its content. Symbolic links count as their targets."""
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


_HERE = Path(__file__).parents[2]


def folder(name: str) -> Path:
    """Return the path of the folder of this name."""
    inside = _HERE / name
    return inside if inside.is_dir() else _HERE.parent / name
