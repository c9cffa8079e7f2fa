"""Cached responses whose body is a file, for what is too long to be cached in memory."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from portal.gateway.compression import Coding, chosen
from portal.gateway.response import Variant
from portal.gateway.response_cache import Lifetime

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


class KeptFile:
    """Cached response of status 200 whose body is a file, one for each coding that it was made in.

    lines: its headers; ETag, Content-Length and Vary are added here. files: with their sizes in bytes; IDENTITY is
    required. etag: without quotes.
    """

    __slots__ = ("_sizes", "_variants", "lifetime", "size")

    def __init__(
        self,
        lines: Iterable[tuple[str, str]],
        files: Mapping[Coding, tuple[Path, int]],
        *,
        etag: str,
        lifetime: Lifetime,
    ) -> None:
        own = [*lines]
        self._sizes = {coding: size for coding, (_, size) in files.items()}
        self._variants = {
            coding: Variant.of(own, file, size, coding, etag, varies=True) for coding, (file, size) in files.items()
        }
        self.lifetime = lifetime
        self.size = 0

    def variant(self, environ: "WSGIEnvironment") -> Variant | None:
        """Return the variant that suits the request; None if the file was deleted, or its length has changed."""
        coding = chosen(environ.get("HTTP_ACCEPT_ENCODING"), tuple(self._variants))
        found = self._variants[coding]
        return found if isinstance(found.body, Path) and _size(found.body) == self._sizes[coding] else None

    def forget(self) -> None:
        """Do nothing: no part of the body is in memory."""


def _size(file: Path) -> int | None:
    """Return the file's bytes; None if it does not exist."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return None
