"""Reads the data files of this folder; searches those with lines in byte order without splitting them."""

import gzip
from bisect import bisect_left
from functools import cache
from importlib.resources import files


class SortedLines:
    """Lines in byte order, each of which ends with a line feed."""

    def __init__(self, text: bytes) -> None:
        self._text = text

    def line(self, beginning: bytes) -> bytes:
        """Return the first line that does not sort before `beginning`; b"" if there is none."""
        return self._line_at(self._position(beginning))

    def block(self, beginning: bytes) -> bytes:
        """Return all lines with this prefix, as one text."""
        start = self._text.rfind(b"\n", 0, self._position(beginning)) + 1
        end = self._text.rfind(b"\n", 0, self._position(beginning + b"\xff")) + 1
        return self._text[start:end]

    def _position(self, beginning: bytes) -> int:
        return bisect_left(range(len(self._text)), beginning, key=self._line_at)

    def _line_at(self, position: int) -> bytes:
        start = self._text.rfind(b"\n", 0, position) + 1
        return self._text[start : self._text.find(b"\n", position)]


def unpacked(name: str) -> bytes:
    """Return the decompressed content of a file in this folder."""
    return gzip.decompress((files("portal.jobs.places") / name).read_bytes())


@cache
def translated(name: str) -> dict[tuple[str, str], str]:
    """Return (key, language) → name from a table of this folder.

    Each line has a key and names, separated by "|". The first line names the language of each column.
    """
    head, *rows = (line.split("|") for line in (files("portal.jobs.places") / name).read_text("utf-8").splitlines())
    languages = head[1:]
    return {(key, language): label for key, *names in rows for language, label in zip(languages, names, strict=True)}
