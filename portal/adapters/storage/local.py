"""Attachments in a folder: one file for each object.

File names are not stored: names of CVs are names of people, and nothing is served from a folder.
"""

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, ClassVar

from portal.adapters.storage.store import FormPost, Pinned, check_key, check_round_trip, is_folder
from portal.platform.config import private_files
from portal.platform.errors import AttachmentMissing, StoreError, StoreMisconfigured, StoreUnavailable

_ATTACHMENTS = "attachment folder"
_CHUNK = 64 * 1024
_BRING_BACK = "bring it back, or mount its disk; if it is to begin anew, restart"
_FORMER = ".json"  # earlier releases wrote such a file beside each object; a key contains no dot, so it is not one
_INCOMING = ".incoming-"
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_WRONG_SETUP = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG})


class LocalStore:
    """A store below `folder`, which is created for the first object, and never again by this process.

    If the folder is missing, or was replaced by an empty one, its disk was unmounted: files written there now would be
    inaccessible once the disk is mounted again. So the store is then unavailable. called: the folder in error messages.
    """

    origin: ClassVar[str | None] = None

    def __init__(self, folder: Path, *, called: str = _ATTACHMENTS) -> None:
        self._folder, self._called = folder, called
        self._known: tuple[int, int] | None = None
        with suppress(OSError):
            self._require_same()

    def put(self, key: str, body: BinaryIO, *, size: int, media_type: str, filename: str) -> str:  # noqa: ARG002  Store's signature
        """Store the bytes durably; the object appears under its key in one step.

        1. Write and sync the bytes under a temporary name. 2. Rename. 3. Sync the folder, so that a power cut after the
        return loses nothing.
        """
        path = self._path(key)
        with self._failing():
            self._require_same()
            self._make(path.parent)
            etag = _write(path, body, size=size)
            _sync(path.parent)
        return etag

    @contextmanager
    def open(self, key: str) -> Iterator[BinaryIO]:
        """Open the object's bytes."""
        path = self._path(key)
        with self._failing():
            try:
                handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # opening a named pipe would wait for its writer
            except FileNotFoundError:
                raise AttachmentMissing("the attachment is not in the store") from None
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                os.close(handle)
                raise AttachmentMissing("what is in the store under this key is not a file")
        with os.fdopen(handle, "rb") as file:
            yield file

    @contextmanager
    def open_pinned(self, key: str) -> Iterator[Pinned]:
        """Open the object's bytes, with an ETag from the file's identity: every object is written to a new file."""
        with self.open(key) as file:
            found = os.fstat(file.fileno())
            yield Pinned(file, found.st_size, _pin(found))

    def copy(self, source: str, key: str, *, etag: str, media_type: str, filename: str) -> str:  # noqa: ARG002  Store's signature
        """Create a hard link to the same file. Where the file system supports none, the bytes are copied."""
        path, its = self._path(key), self._path(source)
        with self._failing():
            self._require_same()
            self._make(path.parent)
        with self.open_pinned(source) as found, self._failing():
            if found.etag != etag:
                raise AttachmentMissing("the attachment was replaced by another")
            try:
                path.hardlink_to(its)
            except OSError:
                _write(path, found.content, size=found.size)
            else:
                if _pin(path.stat()) != etag:
                    path.unlink()
                    raise AttachmentMissing("the attachment was replaced by another")
            _sync(path.parent)
        return etag

    def form_post(self, key: str, *, least: int, most: int, seconds: int) -> FormPost | None:  # noqa: ARG002  Store's signature
        """Return None: browsers cannot reach a folder."""
        return None

    def delete(self, key: str) -> None:
        """Delete the object, and what an earlier release wrote beside it."""
        path = self._path(key)
        with self._failing(), suppress(FileNotFoundError):
            path.unlink(missing_ok=True)
            path.with_name(path.name + _FORMER).unlink(missing_ok=True)
            _sync(path.parent)

    def delete_partial(self, before: datetime) -> None:
        """Delete the temporary files of writers that were killed."""
        with self._failing(), suppress(FileNotFoundError):
            for path in self._folder.glob(f"*/{_INCOMING}*"):
                if path.stat().st_mtime < before.timestamp():
                    path.unlink()

    def keys(self, prefix: str) -> Iterator[str]:
        """Yield the keys with this prefix."""
        slug = prefix.partition("/")[0] if "/" in prefix else None
        with self._failing(), suppress(FileNotFoundError):
            for folder in [slug] if slug is not None else filter(is_folder, _names(self._folder)):
                for name in _names(self._folder / folder):
                    key = f"{folder}/{name}"
                    if "." not in key and key.startswith(prefix):
                        yield key

    def sizes(self) -> Iterator[tuple[str, int]]:
        """Yield all keys with the sizes of their files."""
        for key in self.keys(""):
            with self._failing(), suppress(FileNotFoundError):
                yield key, (self._folder / key).stat().st_size

    def reach(self) -> None:
        """Create a temporary file in the folder, or in the nearest existing folder above it."""
        with self._failing():
            self._require_same()
            there = next(one for one in (self._folder, *self._folder.absolute().parents) if os.path.lexists(one))
            with tempfile.TemporaryFile(dir=there) as file:
                file.write(b"1")

    def check(self) -> None:
        """Write, read back and delete a small object."""
        check_round_trip(self)

    def _path(self, key: str) -> Path:
        check_key(key)
        return self._folder / key

    def _make(self, folder: Path) -> None:
        if not folder.is_dir():
            private_files.make_folder(folder)
            _sync(folder.parent)
        if self._known is None:
            self._require_same()

    def _require_same(self) -> None:
        """Raise StoreUnavailable if the known folder is missing, or was replaced by an empty one."""
        try:
            found = self._folder.stat()
        except FileNotFoundError:
            if self._known is None:
                return
            raise StoreUnavailable(f"the attachment folder {self._folder} is gone: {_BRING_BACK}") from None
        if self._known not in {None, (found.st_dev, found.st_ino)} and next(_names(self._folder), None) is None:
            raise StoreUnavailable(f"the attachment folder {self._folder} is another, empty one: {_BRING_BACK}")
        if stat.S_ISDIR(found.st_mode):
            self._known = found.st_dev, found.st_ino

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except OSError as exc:
            # Not chained: an OSError contains the file's path, and so the key.
            raise _as_store_error(exc, self._folder, self._called) from None


def _as_store_error(exc: OSError, folder: Path, called: str) -> StoreError:
    why = f"the {called} {folder} cannot be used ({errno.errorcode.get(exc.errno or 0, 'unknown error')})"
    if exc.errno in _WRONG_SETUP:
        named = "PORTAL_ATTACHMENTS" if called == _ATTACHMENTS else "its name"
        return StoreMisconfigured(f"{why}: check {named} and who owns the folder")
    return StoreUnavailable(f"{why}: its disk is full" if exc.errno in _FULL else why)


def _pin(found: os.stat_result) -> str:
    return f"{found.st_ino}-{found.st_mtime_ns}-{found.st_size}"


def _write(path: Path, body: BinaryIO, *, size: int) -> str:
    """Copy the bytes to a file that gets its name only once it is complete; return its identity as an ETag."""
    written = 0
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=_INCOMING)
    try:
        with os.fdopen(handle, "wb") as file:
            while chunk := body.read(_CHUNK):
                written += len(chunk)
                if written > size:
                    break
                file.write(chunk)
            if written != size:
                raise ValueError("the body does not hold as many bytes as were announced")
            file.flush()
            os.fsync(file.fileno())
            pin = _pin(os.fstat(file.fileno()))
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return pin


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _names(folder: Path) -> Iterator[str]:
    with suppress(NotADirectoryError), os.scandir(folder) as entries:
        yield from (entry.name for entry in entries)
