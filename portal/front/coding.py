"""Content codings (RFC 9110 §8.4.1): which one a browser takes, and what it makes of a body."""

import gzip
from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache

import brotli
import zstandard
from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header


class Coding(StrEnum):
    """Codings by their names in Content-Encoding, the one that we prefer first."""

    BROTLI = "br"
    ZSTD = "zstd"
    GZIP = "gzip"
    IDENTITY = "identity"


VARY = ("Vary", "Accept-Encoding")
SMALLEST = 256
"""Bytes. What is smaller is sent as it is: its headers are longer, and a coding saves nothing."""

_LONGEST = 200
"""Characters of Accept-Encoding that are read; no browser sends half as many."""
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
def chosen(accepted: str | None) -> Coding:
    """The coding for this Accept-Encoding: what is wanted most, of several the one that we prefer."""
    if not accepted or len(accepted) > _LONGEST:
        return Coding.IDENTITY
    wanted = parse_accept_header(accepted, Accept)
    best = max(_QUICK, key=wanted.quality)  # the first of those that are wanted alike
    return best if wanted.quality(best) > 0 else Coding.IDENTITY


def may_be_coded(content_type: str) -> bool:
    """Whether it is text of some kind: pictures and archives are small already."""
    kind = content_type.partition(";")[0].strip().lower()
    return kind.startswith("text/") or kind in _TYPES


def coded(body: bytes, coding: Coding) -> bytes:
    """The body in this coding, within a few milliseconds for a page."""
    return _QUICK[coding](body)


@lru_cache(maxsize=256)
def coded_once(body: bytes, coding: Coding) -> bytes:
    """The same, as small as it gets: for what is made once and sent for months."""
    return _SMALL[coding](body)


def compress(body: bytes, content_type: str) -> None:
    """Have coded_once made it in every coding before somebody waits for it."""
    if len(body) >= SMALLEST and may_be_coded(content_type):
        for coding in _SMALL:
            coded_once(body, coding)
