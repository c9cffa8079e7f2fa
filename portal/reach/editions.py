"""Feeds as files: made under another name and renamed, so that what can be read is always whole.

FOLDER/slug/feed/NUMBER-KEY-HASH is an edition, and its codings stand beside it with a suffix. The key stands for what
it was made of, the hash for its bytes. An edition that has a successor stays for a minute, for whoever is about to
open it; a file that is being sent goes on being sent after it was removed. The folder may be removed at any time.
"""

import fcntl
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import brotli

from portal import private
from portal.clock import Clock
from portal.errors import NotWhole
from portal.front.coding import Coding
from portal.uploads.space import Disks

_NAME = re.compile(r"(\d{12})-([0-9a-f]{32})-([0-9a-f]{32})")
_SUFFIXES = {Coding.IDENTITY: "", Coding.BROTLI: ".br", Coding.GZIP: ".gz"}
_OLD = 60
"""Seconds for which an edition stays that has a successor."""
_MOST = 4
"""Editions of a feed at once, whatever their age."""
_PIECE = 65_536
_TRIES = 50
_PAUSE = 0.1
"""Seconds between tries to be the one process that makes a feed."""


@dataclass(frozen=True, slots=True)
class Edition:
    """One whole feed. files: in each coding, with its size in bytes. etag: without quotes."""

    key: str
    etag: str
    files: dict[Coding, tuple[Path, int]]

    @property
    def path(self) -> Path:
        """The feed as it is."""
        return self.files[Coding.IDENTITY][0]


class Editions:
    """A folder of them, which any number of processes share. disks: whether there is room for more."""

    def __init__(self, folder: Path, clock: Clock, disks: Disks) -> None:
        self._folder = folder
        self._clock = clock
        self._disks = disks

    def last(self, slug: str, feed: str) -> Edition | None:
        """The newest, whatever it was made of."""
        return next(self._all(self._folder / slug / feed), None)

    def find(self, slug: str, feed: str, key: str) -> Edition | None:
        """The newest of this key."""
        return next((each for each in self._all(self._folder / slug / feed) if each.key == key), None)

    def make(self, slug: str, feed: str, key: str, pieces: Iterable[str], *, within: float) -> Edition:
        """A new one, or what another process has just made. within: seconds. Raises NotWhole, and what pieces do."""
        if short := self._disks.short():
            raise NotWhole(f"{feed} of {slug} was not made: hardly any room is left where {', '.join(short)} are")
        shelf = self._folder / slug / feed
        try:
            private.make_folder(shelf)
            with self._alone(shelf):
                return self.find(slug, feed, key) or self._made(shelf, key, pieces, within)
        except OSError as error:
            raise NotWhole(f"{feed} of {slug} cannot be written: {error.strerror}") from error

    def _made(self, shelf: Path, key: str, pieces: Iterable[str], within: float) -> Edition:
        before = next(self._all(shelf), None)
        drafts = {coding: shelf / f"draft{suffix}" for coding, suffix in _SUFFIXES.items()}
        try:
            digest = self._write(drafts, pieces, within)
            number = 1 + (int(before.path.name[:12]) if before else 0)
            if before is not None:
                os.utime(before.path, (self._clock.now().timestamp(),) * 2)  # from now on it is old
            name = f"{number:012}-{key}-{digest}"
            for coding in reversed(_SUFFIXES):  # the feed itself last: it is what makes an edition
                drafts[coding].replace(shelf / f"{name}{_SUFFIXES[coding]}")
        finally:
            for draft in drafts.values():
                draft.unlink(missing_ok=True)
        self._tidy(shelf)
        return _edition(shelf / name)

    def _write(self, drafts: dict[Coding, Path], pieces: Iterable[str], within: float) -> str:
        """Every coding in one go, so that nothing is read again; the hash of the bytes."""
        until, hashed = self._clock.monotonic() + within, blake2b(digest_size=16)
        smaller, smallest = zlib.compressobj(6, wbits=31), brotli.Compressor(quality=4)
        for draft in drafts.values():
            private.make_file(draft)
        with (
            drafts[Coding.IDENTITY].open("wb") as plain,
            drafts[Coding.GZIP].open("wb") as zipped,
            drafts[Coding.BROTLI].open("wb") as packed,
        ):
            for piece in _gathered(pieces):
                if self._clock.monotonic() > until:
                    raise NotWhole(f"{drafts[Coding.IDENTITY].parent.name} took longer than {within:.0f} s to make")
                hashed.update(piece)
                plain.write(piece)
                zipped.write(smaller.compress(piece))
                packed.write(smallest.process(piece))
            zipped.write(smaller.flush())
            packed.write(smallest.finish())
        return hashed.hexdigest()

    def _tidy(self, shelf: Path) -> None:
        now = self._clock.now().timestamp()
        _, *others = self._all(shelf)
        for place, old in enumerate(others, start=1):
            with suppress(FileNotFoundError):
                if place >= _MOST or now - old.path.stat().st_mtime >= _OLD:
                    for file, _ in reversed(old.files.values()):
                        file.unlink()

    @contextmanager
    def _alone(self, shelf: Path) -> Iterator[None]:
        """One process makes a feed; a lock of one that was killed is free."""
        private.make_file(shelf / "lock")
        with (shelf / "lock").open("wb") as file:
            for _ in range(_TRIES):
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    self._clock.sleep(_PAUSE)
                else:
                    break
            else:
                raise NotWhole(f"{shelf.name} of {shelf.parent.name} is being made by another process")
            yield

    @staticmethod
    def _all(shelf: Path) -> Iterator[Edition]:
        """Newest first."""
        try:
            names = sorted((path.name for path in shelf.iterdir() if _NAME.fullmatch(path.name)), reverse=True)
        except FileNotFoundError:
            return
        for name in names:
            with suppress(FileNotFoundError):  # removed in this moment
                yield _edition(shelf / name)


def _edition(path: Path) -> Edition:
    _, key, etag = path.name.split("-")
    files = {coding: path.with_name(path.name + suffix) for coding, suffix in _SUFFIXES.items()}
    return Edition(key, etag, {coding: (file, file.stat().st_size) for coding, file in files.items()})


def _gathered(pieces: Iterable[str]) -> Iterator[bytes]:
    """In portions that are worth compressing."""
    held = bytearray()
    for piece in pieces:
        held += piece.encode("utf-8", "replace")
        if len(held) >= _PIECE:
            yield bytes(held)
            held.clear()
    if held:
        yield bytes(held)
