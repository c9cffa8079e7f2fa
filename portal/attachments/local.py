"""Attachments in a folder: one file an object, and its media type, once it is known, as JSON beside it.

The name stays away: names of CVs are names of people, and nobody is served from a folder.
"""

import errno
import io
import json
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, ClassVar

from portal import private
from portal.attachments.keys import check_key
from portal.attachments.store import INCOMING_TYPE, FormPost, Pinned, check_round_trip
from portal.errors import AttachmentMissing, StoreError, StoreMisconfigured, StoreUnavailable

_CHUNK = 64 * 1024
_BRING_BACK = "bring it back, or mount its disk; if it is to begin anew, restart"
_DESCRIPTION = ".json"  # no key has a dot, so that neither this nor a temporary name can be one
_WRONG_SETUP = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG})


class LocalStore:
    """A store below `folder`, which is made when the first object comes, and never again by this process.

    One that is gone, or empty and another than it was, is that of a disk which was taken away: what would be written
    there is lost to everybody as soon as the disk is back.
    """

    origin: ClassVar[str | None] = None

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: tuple[int, int] | None = None
        with suppress(OSError):
            self._require_same()

    def put(self, key: str, body: BinaryIO, *, size: int, media_type: str, filename: str) -> str:  # noqa: ARG002  Store's
        """Store the bytes durably; the object appears under its key at once, after its description.

        1. description, written and synced; 2. bytes, written and synced under another name; 3. renamed; 4. the folder
        synced, so that a power cut after the return loses nothing.
        """
        path = self._path(key)
        with self._failing():
            self._require_same()
            self._make(path.parent)
            if media_type != INCOMING_TYPE:
                _describe(path, media_type)
            etag = _write(path, body, size=size)
            _sync(path.parent)
        return etag

    @contextmanager
    def open(self, key: str) -> Iterator[BinaryIO]:
        """The object's bytes."""
        path = self._path(key)
        with self._failing():
            try:
                file = path.open("rb")
            except FileNotFoundError:
                raise AttachmentMissing("the attachment is not in the store") from None
        with file:
            yield file

    @contextmanager
    def open_pinned(self, key: str) -> Iterator[Pinned]:
        """The object's bytes, and which file they are in: another one is written for every object."""
        with self.open(key) as file:
            found = os.fstat(file.fileno())
            yield Pinned(file, found.st_size, _pin(found))

    def copy(self, source: str, key: str, *, etag: str, media_type: str, filename: str) -> str:  # noqa: ARG002  Store's
        """Give the same file another name. Where a file system has no such names, its bytes are copied."""
        path, its = self._path(key), self._path(source)
        with self._failing():
            self._require_same()
            self._make(path.parent)
            _describe(path, media_type)
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

    def form_post(self, key: str, *, least: int, most: int, seconds: int) -> FormPost | None:  # noqa: ARG002  Store's
        """No browser reaches a folder."""
        return None

    def delete(self, key: str) -> None:
        """Remove the object, then its description."""
        path = self._path(key)
        with self._failing(), suppress(FileNotFoundError):
            path.unlink(missing_ok=True)
            path.with_name(path.name + _DESCRIPTION).unlink(missing_ok=True)
            _sync(path.parent)

    def keys(self, prefix: str) -> Iterator[str]:
        """Keys that start so."""
        slug = prefix.partition("/")[0] if "/" in prefix else None
        with self._failing(), suppress(FileNotFoundError):
            for folder in [slug] if slug is not None else _names(self._folder):
                for name in _names(self._folder / folder):
                    key = f"{folder}/{name}"
                    if "." not in key and key.startswith(prefix):
                        yield key

    def reach(self) -> None:
        """Open a file without a name, in the folder or where it will be made."""
        with self._failing():
            self._require_same()
            there = next(one for one in (self._folder, *self._folder.absolute().parents) if os.path.lexists(one))
            with tempfile.TemporaryFile(dir=there) as file:
                file.write(b"1")

    def check(self) -> None:
        """Write, read back and delete a small object of its own."""
        check_round_trip(self)

    def _path(self, key: str) -> Path:
        check_key(key)
        return self._folder / key

    def _make(self, folder: Path) -> None:
        if not folder.is_dir():
            private.make_folder(folder)
            _sync(folder.parent)
        if self._known is None:
            self._require_same()

    def _require_same(self) -> None:
        """Raise StoreUnavailable where the folder that was there is not. One that has objects may be another."""
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
            # Not chained: an OSError names the file, and so the key.
            raise _as_store_error(exc, self._folder) from None


def _as_store_error(exc: OSError, folder: Path) -> StoreError:
    why = f"the attachment folder {folder} cannot be used ({errno.errorcode.get(exc.errno or 0, 'unknown error')})"
    if exc.errno in _WRONG_SETUP:
        return StoreMisconfigured(f"{why}: check PORTAL_ATTACHMENTS and who owns the folder")
    return StoreUnavailable(why)


def _pin(found: os.stat_result) -> str:
    return f"{found.st_ino}-{found.st_mtime_ns}-{found.st_size}"


def _describe(path: Path, media_type: str) -> None:
    description = json.dumps({"media_type": media_type}).encode()
    _write(path.with_name(path.name + _DESCRIPTION), io.BytesIO(description), size=len(description))


def _write(path: Path, body: BinaryIO, *, size: int) -> str:
    """Copy the bytes to a file that has its name only once it is whole; returns which file that is."""
    written = 0
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".incoming-")
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
