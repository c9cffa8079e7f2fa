"""Reads records from a file, one at a time whatever its size: JSON Lines, or one JSON document of six arrays."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TextIO

from portal.platform.errors import SettingsError
from portal.tracker.shapes import Json

KIND_OF_MEMBER = {
    "companies": "company",
    "users": "user",
    "stages": "stage",
    "vacancies": "vacancy",
    "candidates": "candidate",
    "applications": "application",
}
_CHUNK = 65_536
_RECORD_MOST = 16 * 1_048_576
"""Characters. A longer value means that the file is of another kind."""


@dataclass(frozen=True, slots=True)
class InputRecord:
    """A record, its declared kind, and its position in the file for error messages."""

    where: str
    kind: str
    record: Json


def in_file(file: TextIO) -> Iterator[InputRecord]:
    """Yield the records of a file in either layout. The first member tells them apart: JSON Lines have `kind`,
    `record`.
    """
    start = file.read(_CHUNK)
    file.seek(0)
    text = start.lstrip("\ufeff \t\r\n")
    first = next((name for name in (*KIND_OF_MEMBER, "kind", "record") if _starts_with_member(text, name)), None)
    if first in KIND_OF_MEMBER or text.startswith("{}") or text.replace(" ", "").replace("\n", "")[:2] == "{}":
        return in_document(file)
    return in_lines(file)


def in_lines(lines: Iterable[str | InputRecord]) -> Iterator[InputRecord]:
    """Yield records from lines of `{"kind": …, "record": {…}}`. Skips empty lines and passes on parsed records."""
    for number, line in enumerate(lines, 1):
        if isinstance(line, InputRecord):
            yield line
        elif line.strip(" \t\r\n\ufeff"):
            yield _of_line(number, line.strip(" \t\r\n\ufeff"))


def in_document(file: TextIO) -> Iterator[InputRecord]:
    """Yield records from one object with the members of KIND_OF_MEMBER, each an array, in any order."""
    source = _Source(file)
    source.expect("{")
    if source.peek() == "}":
        return
    while True:
        member = source.value()
        kind = KIND_OF_MEMBER.get(member) if isinstance(member, str) else None
        if kind is None:
            raise SettingsError(f"the file's members are {', '.join(KIND_OF_MEMBER)}; found another one")
        source.expect(":")
        source.expect("[")
        count = 0
        while source.peek() != "]":
            if count:
                source.expect(",")
            record = source.value()
            if not isinstance(record, dict):
                raise SettingsError(f"{member}/{count}: expected an object")
            yield InputRecord(f"{member}/{count}", kind, record)
            count += 1
        source.expect("]")
        if source.peek() == "}":
            return
        source.expect(",")


class _Source:
    """JSON text read in chunks; at most one value and one chunk are in memory."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._text = ""
        self._at = 0
        self._decoder = json.JSONDecoder(parse_constant=_no_number)

    def peek(self) -> str:
        """Return the next character that is not white space, without consuming it."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in " \t\r\n\ufeff":
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                raise SettingsError("the file ends in the middle: it is cut off or no JSON document")

    def expect(self, character: str) -> None:
        if self.peek() != character:
            raise SettingsError(f"expected {character!r} in the file, found something else: is it JSON?")
        self._at += 1

    def value(self) -> object:
        """Return the next value: a string or an object, since neither can look complete and go on in the next chunk."""
        self.peek()
        while True:
            try:
                value, self._at = self._decoder.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as exc:
                if len(self._text) - self._at > _RECORD_MOST or not self._more():
                    raise SettingsError("the file holds something that is no JSON record") from exc
            else:
                return value

    def _more(self) -> bool:
        """Read the next chunk; larger after each value that did not fit, so that a long one is not parsed too often."""
        chunk = self._file.read(max(_CHUNK, len(self._text) - self._at))
        self._text, self._at = self._text[self._at :] + chunk, 0
        return bool(chunk)


def _of_line(number: int, line: str) -> InputRecord:
    where = f"line {number}"
    try:
        content = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise SettingsError(f"{where}: not JSON") from None
    if not isinstance(content, dict) or set(content) != {"kind", "record"} or not isinstance(content["record"], dict):
        raise SettingsError(f'{where}: expected {{"kind": "vacancy", "record": {{…}}}}')
    return InputRecord(where, str(content["kind"]), content["record"])


def _starts_with_member(text: str, name: str) -> bool:
    return text[:1] == "{" and text[1:].lstrip(" \t\r\n").startswith(f'"{name}"')


def _no_number(_name: str) -> object:
    raise ValueError("NaN and Infinity are not JSON")
