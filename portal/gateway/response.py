"""A response in one content coding: whole, or 304 for a client that has it; its body is bytes or a file."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from werkzeug.http import parse_etags

from portal.gateway.compression import VARY, Coding

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

ALLOW_ORIGIN = "Access-Control-Allow-Origin"
BY_ORIGIN = ("Vary", "Origin")
HSTS = ("Strict-Transport-Security", "max-age=31536000")
"""For a server whose public address is https: browsers then use only https with its host, for a year."""

Lines = list[tuple[str, str]]
Body = bytes | Path
"""The body to send: bytes, or a file with its content."""

_READ_AT_ONCE = 65_536
_NOT_ON_304 = frozenset({"content-type", "content-length", "content-encoding"})
_SET_HERE = frozenset({"etag", "content-length"})


@dataclass(frozen=True, slots=True)
class Variant:
    """Response in one coding."""

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
        """Make a variant. lines: headers for every coding. size: bytes of the body. etag: without quotes.

        varies: whether to add `Vary: Accept-Encoding`. readers: origins whose scripts may read it; None: it does not
        depend on Origin.
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

    def answer(self, environ: "WSGIEnvironment") -> "GatewayResponse":
        """Return the response to a GET or HEAD: 200, or 304 for a client that has it (RFC 9110 §13.1.2)."""
        known = environ.get("HTTP_IF_NONE_MATCH")
        if known and (known == self.etag or parse_etags(known).contains_weak(self.etag.strip('"'))):
            return GatewayResponse("304 NOT MODIFIED", self._for_reader(self.unchanged, environ), b"")
        body = b"" if environ["REQUEST_METHOD"] == "HEAD" else self.body
        return GatewayResponse("200 OK", self._for_reader(self.whole, environ), body)

    def _for_reader(self, lines: Lines, environ: "WSGIEnvironment") -> Lines:
        origin = environ.get("HTTP_ORIGIN") if self.readers else None
        return [*lines, (ALLOW_ORIGIN, origin)] if origin in self.readers else lines


class GatewayResponse(NamedTuple):
    """Response to a request. Its header list is shared: do not change it."""

    status: str
    lines: Lines
    body: Body

    def send(self, start_response: "StartResponse") -> Iterable[bytes]:
        """Send it as WSGI defines. Raises OSError if its file does not exist any more."""
        body = self.body
        sent = _read(body) if isinstance(body, Path) else [body]
        start_response(self.status, self.lines.copy())
        return sent


def _read(file: Path) -> Iterator[bytes]:
    opened = file.open("rb")  # open now: once the status is sent, it is too late to find that the file is missing

    def chunks() -> Iterator[bytes]:
        with opened:
            while chunk := opened.read(_READ_AT_ONCE):
                yield chunk

    return chunks()
