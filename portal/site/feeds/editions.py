"""Feeds as files: written under another name and renamed, so that a readable file is always complete.

FOLDER/slug/feed/NUMBER-KEY-HASH-SIZES is an edition; its compressed versions have the same name with a suffix. The key
stands for what the edition was made from, the hash for its bytes, the sizes for the bytes of each coding: a file of
another size is damaged, and its edition is ignored. Everything is synced to disk before it gets its name, so a power
failure leaves no partial edition. An edition that has a successor stays for a minute, for a process that is about to
open it; a file that is being sent continues to be sent after its removal. The folder may be deleted at any time.
"""

import fcntl
import logging
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import brotli

from portal.delivery.uploads.disk_space import Disks
from portal.gateway.compression import Coding
from portal.platform.clock import Clock
from portal.platform.config import private_files
from portal.platform.errors import FeedIncomplete

log = logging.getLogger(__name__)

_NAME = re.compile(r"(\d{12})-([0-9a-f]{32})-([0-9a-f]{32})-(\d+)-(\d+)-(\d+)")
_SUFFIXES = {Coding.IDENTITY: "", Coding.BROTLI: ".br", Coding.GZIP: ".gz"}
_OLD = 60
"""Seconds for which an edition with a successor is kept."""
_MOST = 4
"""Editions of a feed at once, whatever their age."""
_PIECE = 65_536
_TRIES = 100
_PAUSE = 0.1
"""Seconds between attempts to get the lock of a feed."""


class MadeElsewhere(FeedIncomplete):
    """Another process is building the feed, and takes longer than this one waits."""


@dataclass(frozen=True, slots=True)
class Edition:
    """One complete feed. files: (path, size in bytes) for each coding. etag: without quotes."""

    key: str
    etag: str
    files: dict[Coding, tuple[Path, int]]

    @property
    def path(self) -> Path:
        """The path of the uncompressed feed."""
        return self.files[Coding.IDENTITY][0]


class Editions:
    """A folder of editions, shared by any number of processes. disks: tells whether there is disk space for more.

    sync: writes what a descriptor's file holds to disk, as os.fsync does.
    """

    def __init__(self, folder: Path, clock: Clock, disks: Disks, sync: Callable[[int], None] = os.fsync) -> None:
        self._sync = sync
        self._folder = folder
        self._clock = clock
        self._disks = disks

    def last(self, slug: str, feed: str) -> Edition | None:
        """Return the newest edition, regardless of its key; None if there is none."""
        return next(self._all(self._folder / slug / feed), None)

    def find(self, slug: str, feed: str, key: str) -> Edition | None:
        """Return the newest edition of this key; None if there is none."""
        return next((each for each in self._all(self._folder / slug / feed) if each.key == key), None)

    def make(self, slug: str, feed: str, key: str, pieces: Iterable[str], *, within: float) -> Edition:
        """Build an edition, or return the one that another process has just built.

        within: seconds that this may take. Raises FeedIncomplete, MadeElsewhere, and the errors of pieces.
        """
        if short := self._disks.places_short_of_space():
            raise FeedIncomplete(f"{feed} of {slug} was not built: too little disk space for {', '.join(short)}")
        folder = self._folder / slug / feed
        try:
            private_files.make_folder(folder)
            with self._alone(folder):
                return self.find(slug, feed, key) or self._made(folder, key, pieces, within)
        except OSError as error:
            raise FeedIncomplete(f"{feed} of {slug} cannot be written: {error.strerror}") from error

    def _made(self, folder: Path, key: str, pieces: Iterable[str], within: float) -> Edition:
        before = next(self._all(folder), None)
        drafts = {coding: folder / f"draft{suffix}" for coding, suffix in _SUFFIXES.items()}
        try:
            digest = self._write(drafts, pieces, within)
            number = 1 + (int(before.path.name[:12]) if before else 0)
            if before is not None:
                os.utime(before.path, (self._clock.now().timestamp(),) * 2)  # it is kept for a minute from now on
            sizes = "-".join(str(draft.stat().st_size) for draft in drafts.values())
            name = f"{number:012}-{key}-{digest}-{sizes}"
            self._sync_folder(folder)
            for coding in reversed(_SUFFIXES):  # the uncompressed feed last: an edition exists once this file does
                drafts[coding].replace(folder / f"{name}{_SUFFIXES[coding]}")
            self._sync_folder(folder)
        finally:
            for draft in drafts.values():
                draft.unlink(missing_ok=True)
        self._tidy(folder)
        return _edition(folder / name)

    def _write(self, drafts: dict[Coding, Path], pieces: Iterable[str], within: float) -> str:
        """Write every coding in one pass, so that nothing is read again; return the hash of the bytes."""
        until, hashed = self._clock.monotonic() + within, blake2b(digest_size=16)
        smaller, smallest = zlib.compressobj(6, wbits=31), brotli.Compressor(quality=4)
        for draft in drafts.values():
            private_files.make_file(draft)
        with (
            drafts[Coding.IDENTITY].open("wb") as plain,
            drafts[Coding.GZIP].open("wb") as zipped,
            drafts[Coding.BROTLI].open("wb") as packed,
        ):
            for piece in _gathered(pieces):
                if self._clock.monotonic() > until:
                    raise FeedIncomplete(
                        f"{drafts[Coding.IDENTITY].parent.name} took longer than {within:.0f} s to make"
                    )
                hashed.update(piece)
                plain.write(piece)
                zipped.write(smaller.compress(piece))
                packed.write(smallest.process(piece))
            zipped.write(smaller.flush())
            packed.write(smallest.finish())
            for file in (plain, zipped, packed):
                file.flush()
                self._sync(file.fileno())
        return hashed.hexdigest()

    def _sync_folder(self, folder: Path) -> None:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self._sync(descriptor)
        finally:
            os.close(descriptor)

    def _tidy(self, folder: Path) -> None:
        now = self._clock.now().timestamp()
        whole = list(self._all(folder))
        self._remove_damaged(folder, {file for each in whole for file, _ in each.files.values()}, now)
        _, *others = whole
        for place, old in enumerate(others, start=1):
            with suppress(FileNotFoundError):
                if place >= _MOST or now - old.path.stat().st_mtime >= _OLD:
                    for file, _ in reversed(old.files.values()):
                        file.unlink()

    @staticmethod
    def _remove_damaged(folder: Path, whole: set[Path], now: float) -> None:
        """Delete files that belong to no complete edition: of damaged editions and of former releases."""
        for path in folder.glob("[0-9]*-*"):
            with suppress(FileNotFoundError):
                if path not in whole and now - path.stat().st_mtime >= _OLD:
                    path.unlink()
                    log.warning("%s of %s: removed a file of no complete edition", folder.name, folder.parent.name)

    @contextmanager
    def _alone(self, folder: Path) -> Iterator[None]:
        """Hold the lock of a feed, so that one process builds it; a killed process frees its lock.

        Raises MadeElsewhere.
        """
        private_files.make_file(folder / "lock")
        with (folder / "lock").open("wb") as file:
            for _ in range(_TRIES):
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    self._clock.sleep(_PAUSE)
                else:
                    break
            else:
                raise MadeElsewhere(f"{folder.name} of {folder.parent.name} is being made by another process")
            yield

    @staticmethod
    def _all(folder: Path) -> Iterator[Edition]:
        """Yield the complete editions of a feed, newest first."""
        try:
            names = sorted((path.name for path in folder.iterdir() if _NAME.fullmatch(path.name)), reverse=True)
        except FileNotFoundError:
            return
        for name in names:
            with suppress(FileNotFoundError):  # removed at this moment by another process
                edition = _edition(folder / name)
                if all(file.stat().st_size == size for file, size in edition.files.values()):
                    yield edition


def _edition(path: Path) -> Edition:
    """Return the edition that a file name describes."""
    _, key, etag, *sizes = path.name.split("-")
    files = [path.with_name(path.name + suffix) for suffix in _SUFFIXES.values()]
    return Edition(key, etag, dict(zip(_SUFFIXES, zip(files, map(int, sizes), strict=True), strict=True)))


def _gathered(pieces: Iterable[str]) -> Iterator[bytes]:
    """Join pieces into portions that are large enough to compress well."""
    held = bytearray()
    for piece in pieces:
        held += piece.encode("utf-8", "replace")
        if len(held) >= _PIECE:
            yield bytes(held)
            held.clear()
    if held:
        yield bytes(held)
