"""A text whose lines are in the order of their bytes, looked up by halving: all that is kept in memory is the text."""

import gzip
from bisect import bisect_left
from importlib.resources import files


class SortedLines:
    """Lines that end with a line feed each."""

    def __init__(self, text: bytes) -> None:
        self._text = text

    def line(self, beginning: bytes) -> bytes:
        """The first line that is not before `beginning`; b"" after the last one."""
        return self._line_at(self._position(beginning))

    def block(self, beginning: bytes) -> bytes:
        """Every line that begins so, as one text."""
        start = self._text.rfind(b"\n", 0, self._position(beginning)) + 1
        end = self._text.rfind(b"\n", 0, self._position(beginning + b"\xff")) + 1
        return self._text[start:end]

    def _position(self, beginning: bytes) -> int:
        return bisect_left(range(len(self._text)), beginning, key=self._line_at)

    def _line_at(self, position: int) -> bytes:
        start = self._text.rfind(b"\n", 0, position) + 1
        return self._text[start : self._text.find(b"\n", position)]


def unpacked(name: str) -> bytes:
    """What a file beside this one says."""
    return gzip.decompress((files("portal.vacancies") / name).read_bytes())
