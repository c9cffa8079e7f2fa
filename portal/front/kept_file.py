"""Answers that are kept as files, for what is too long to be kept in memory."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from portal.front.answer import Variant
from portal.front.coding import Coding, chosen
from portal.front.kept import Lifetime

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


class KeptFile:
    """An answer of status 200 whose body is a file, in each coding that it was made in.

    lines: its headers; ETag and Content-Length are set here, and what it varies by besides.
    files: with their sizes in bytes; IDENTITY must be there. etag: without quotes.
    """

    __slots__ = ("_variants", "lifetime", "size")

    def __init__(
        self,
        lines: Iterable[tuple[str, str]],
        files: Mapping[Coding, tuple[Path, int]],
        *,
        etag: str,
        lifetime: Lifetime,
    ) -> None:
        own = [*lines]
        self._variants = {
            coding: Variant.of(own, file, size, coding, etag, varies=True) for coding, (file, size) in files.items()
        }
        self.lifetime = lifetime
        self.size = 0

    def variant(self, environ: "WSGIEnvironment") -> Variant | None:
        """As this request takes it; None where the file was taken away."""
        coding = chosen(environ.get("HTTP_ACCEPT_ENCODING"), tuple(self._variants))
        found = self._variants[coding]
        return found if isinstance(found.body, Path) and found.body.exists() else None

    def forget(self) -> None:
        """Nothing of it is in memory."""
