"""Pieces of files, read as one file."""

import io
from typing import Any, BinaryIO, NamedTuple, cast


class Piece(NamedTuple):
    """Piece of a seekable file: `size` bytes from offset `place`."""

    file: BinaryIO
    place: int
    size: int


def as_file(*pieces: Piece) -> BinaryIO:
    """Return the concatenated pieces as a seekable file. Closing it closes none of their files."""
    return io.BufferedReader(_Pieces(pieces))


class _Pieces(io.RawIOBase):
    def __init__(self, pieces: tuple[Piece, ...]) -> None:
        self._pieces = pieces
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        begin = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: sum(one.size for one in self._pieces)}[whence]
        self._at = max(0, begin + offset)
        return self._at

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401  a writable buffer, as in io
        at = self._at
        for file, place, size in self._pieces:
            if at < size:
                file.seek(place + at)
                came = cast("io.BytesIO", file).readinto(memoryview(buffer)[: size - at])
                self._at += came
                return came
            at -= size
        return 0
