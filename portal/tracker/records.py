"""Records in a file, one at a time whatever its size: JSON Lines, or one JSON document of six arrays."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TextIO

from portal.errors import SettingsError
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
"""Characters; what is longer is no record but a file of another kind."""


@dataclass(frozen=True, slots=True)
class Found:
    """A record, what it claims to be, and where it stands for whoever has to mend it."""

    where: str
    kind: str
    record: Json


def in_file(file: TextIO) -> Iterator[Found]:
    """Either layout, told apart by the first member: a line of JSON Lines has `kind` and `record`."""
    start = file.read(_CHUNK)
    file.seek(0)
    text = start.lstrip("\ufeff \t\r\n")
    first = next((name for name in (*KIND_OF_MEMBER, "kind", "record") if _starts_with_member(text, name)), None)
    if first in KIND_OF_MEMBER or text.startswith("{}") or text.replace(" ", "").replace("\n", "")[:2] == "{}":
        return in_document(file)
    return in_lines(file)


def in_lines(lines: Iterable[str | Found]) -> Iterator[Found]:
    """One `{"kind": …, "record": {…}}` a line; empty lines are skipped, records that were found already pass."""
    for number, line in enumerate(lines, 1):
        if isinstance(line, Found):
            yield line
        elif line.strip(" \t\r\n\ufeff"):
            yield _of_line(number, line.strip(" \t\r\n\ufeff"))


def in_document(file: TextIO) -> Iterator[Found]:
    """One object with the members of KIND_OF_MEMBER, each an array, in any order."""
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
            yield Found(f"{member}/{count}", kind, record)
            count += 1
        source.expect("]")
        if source.peek() == "}":
            return
        source.expect(",")


class _Source:
    """JSON text read a chunk at a time; never more than one value and a chunk in memory."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._text = ""
        self._at = 0
        self._decoder = json.JSONDecoder(parse_constant=_no_number)

    def peek(self) -> str:
        """The next character that is not white space, still to be read."""
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
        """The next value, which is a string or an object: neither can be complete and go on in the next chunk."""
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
        """Read on, more each time a value has not fitted, so that a long one is not tried too often."""
        chunk = self._file.read(max(_CHUNK, len(self._text) - self._at))
        self._text, self._at = self._text[self._at :] + chunk, 0
        return bool(chunk)


def _of_line(number: int, line: str) -> Found:
    where = f"line {number}"
    try:
        content = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise SettingsError(f"{where}: not JSON") from None
    if not isinstance(content, dict) or set(content) != {"kind", "record"} or not isinstance(content["record"], dict):
        raise SettingsError(f'{where}: expected {{"kind": "vacancy", "record": {{…}}}}')
    return Found(where, str(content["kind"]), content["record"])


def _starts_with_member(text: str, name: str) -> bool:
    return text[:1] == "{" and text[1:].lstrip(" \t\r\n").startswith(f'"{name}"')


def _no_number(_name: str) -> object:
    raise ValueError("NaN and Infinity are not JSON")
