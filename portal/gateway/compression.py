"""Content codings (RFC 9110 §8.4.1): which one a browser accepts, and the compressed body."""

import gzip
from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache

import brotli
import zstandard
from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header


class Coding(StrEnum):
    """Codings by their names in Content-Encoding, in order of preference."""

    BROTLI = "br"
    ZSTD = "zstd"
    GZIP = "gzip"
    IDENTITY = "identity"


VARY = ("Vary", "Accept-Encoding")
SMALLEST = 256
"""Bytes. Smaller bodies are sent as they are: their headers are longer, and compression saves nothing."""

_LONGEST = 200
"""Characters of Accept-Encoding that are parsed; no browser sends half as many."""
_TYPES = frozenset({"application/json", "application/xml", "application/problem+json", "image/svg+xml"})
_QUICK: dict[Coding, Callable[[bytes], bytes]] = {
    Coding.BROTLI: lambda body: brotli.compress(body, quality=5),
    Coding.ZSTD: lambda body: zstandard.compress(body, 6),
    Coding.GZIP: lambda body: gzip.compress(body, 6, mtime=0),
}
_SMALL: dict[Coding, Callable[[bytes], bytes]] = {
    Coding.BROTLI: lambda body: brotli.compress(body, quality=11),
    Coding.ZSTD: lambda body: zstandard.compress(body, 19),
    Coding.GZIP: lambda body: gzip.compress(body, 9, mtime=0),
}


@lru_cache(maxsize=512)
def chosen(accepted: str | None, among: tuple[Coding, ...] = tuple(Coding)) -> Coding:
    """Return the coding for this Accept-Encoding: the highest quality, and of equals the one preferred here.

    among: the codings that are available.
    """
    if not accepted or len(accepted) > _LONGEST:
        return Coding.IDENTITY
    wanted = parse_accept_header(accepted, Accept)
    # max() returns the first of equals.
    best = max((coding for coding in _QUICK if coding in among), key=wanted.quality, default=Coding.IDENTITY)
    return best if wanted.quality(best) > 0 else Coding.IDENTITY


def may_be_coded(content_type: str) -> bool:
    """Return whether this is some kind of text: pictures and archives are compressed already."""
    kind = content_type.partition(";")[0].strip().lower()
    return kind.startswith("text/") or kind in _TYPES


def coded(body: bytes, coding: Coding) -> bytes:
    """Return the body in this coding, within a few milliseconds for a page."""
    return _QUICK[coding](body)


@lru_cache(maxsize=256)
def coded_once(body: bytes, coding: Coding) -> bytes:
    """Return the body in this coding as small as possible: for what is made once and sent for months."""
    return _SMALL[coding](body)


def compress(body: bytes, content_type: str) -> None:
    """Fill the cache of coded_once with every coding before a request has to wait for it."""
    if len(body) >= SMALLEST and may_be_coded(content_type):
        for coding in _SMALL:
            coded_once(body, coding)
