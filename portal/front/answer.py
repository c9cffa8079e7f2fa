"""An answer in one coding: whole, or 304 to who has it; its body is bytes, or a file as it is."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from werkzeug.http import parse_etags

from portal.front.coding import VARY, Coding

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

ALLOW_ORIGIN = "Access-Control-Allow-Origin"
BY_ORIGIN = ("Vary", "Origin")

Lines = list[tuple[str, str]]
Body = bytes | Path
"""What is sent: bytes, or a file as it is."""

_READ_AT_ONCE = 65_536
_NOT_ON_304 = frozenset({"content-type", "content-length", "content-encoding"})
_SET_HERE = frozenset({"etag", "content-length"})


@dataclass(frozen=True, slots=True)
class Variant:
    """An answer in one coding."""

    body: Body
    etag: str
    whole: Lines
    unchanged: Lines
    readers: frozenset[str]

    @classmethod
    def of(
        cls,
        lines: Lines,
        body: Body,
        size: int,
        coding: Coding,
        etag: str,
        *,
        varies: bool,
        readers: frozenset[str] | None = None,
    ) -> "Variant":
        """lines: headers that do not depend on the coding. size: bytes of the body. etag: without quotes.

        readers: origins whose scripts may read it; None where that is not asked.
        """
        own, tag = [line for line in lines if line[0].lower() not in _SET_HERE], f'"{etag}"'
        if readers is not None:
            own.append(BY_ORIGIN)
        if varies:
            own.append(VARY)
        if coding is not Coding.IDENTITY:
            tag = f'"{etag}-{coding}"'
            own.append(("Content-Encoding", coding.value))
        own += [("ETag", tag), ("Content-Length", str(size))]
        unchanged = [line for line in own if line[0].lower() not in _NOT_ON_304]
        return cls(body, tag, own, unchanged, readers or frozenset())

    def answer(self, environ: "WSGIEnvironment") -> "Answer":
        """To a GET or HEAD: 200, or 304 to who has it (RFC 9110 §13.1.2)."""
        known = environ.get("HTTP_IF_NONE_MATCH")
        if known and (known == self.etag or parse_etags(known).contains_weak(self.etag.strip('"'))):
            return Answer("304 NOT MODIFIED", self._for_reader(self.unchanged, environ), b"")
        body = b"" if environ["REQUEST_METHOD"] == "HEAD" else self.body
        return Answer("200 OK", self._for_reader(self.whole, environ), body)

    def _for_reader(self, lines: Lines, environ: "WSGIEnvironment") -> Lines:
        origin = environ.get("HTTP_ORIGIN") if self.readers else None
        return [*lines, (ALLOW_ORIGIN, origin)] if origin in self.readers else lines


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request is answered with. Its lines are nobody's to change."""

    status: str
    lines: Lines
    body: Body

    def send(self, start_response: "StartResponse") -> Iterable[bytes]:
        """As WSGI has it. Raises OSError for a file that is gone."""
        body = self.body
        sent = _read(body) if isinstance(body, Path) else [body]
        start_response(self.status, self.lines.copy())
        return sent


def _read(file: Path) -> Iterator[bytes]:
    opened = file.open("rb")  # now: once a status is sent it is too late to find that there is none

    def chunks() -> Iterator[bytes]:
        with opened:
            while chunk := opened.read(_READ_AT_ONCE):
                yield chunk

    return chunks()
