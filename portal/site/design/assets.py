"""The portal's own styles, scripts and images, each at an address that changes with its content."""

import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path

from flask import Flask, Response, abort, request

from portal.gateway.compression import coded_once, compress
from portal.gateway.response_cache import FOR_EVER, CachedResponse
from portal.platform.config.private_files import folder
from portal.site.page_cache import CachedPage, cacheable
from portal.site.routing.access import public

FOR_A_YEAR = "public, max-age=31536000, immutable"
_TEXT = {"text/css", "text/javascript", "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class _Asset:
    body: bytes
    tag: str
    content_type: str


class Assets:
    """The static folder, read once: it is small, and its files do not change while a process runs."""

    def __init__(self, folder: Path) -> None:
        paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
        self._files = {path.relative_to(folder).as_posix(): _read(path) for path in paths}

    def address(self, name: str) -> str:
        """Return the address of a file of static/, whose content never changes. Raises KeyError if there is none."""
        return f"/static/{name}?v={self._files[name].tag}"

    def text(self, name: str) -> str:
        """Return the text of a file of static/. Raises KeyError if there is no such file."""
        return self._files[name].body.decode()

    def serve(self, app: Flask) -> None:
        """Serve Flask's /static/<path:filename>: marked as public, compressed in advance, with an ETag of the
        content.
        """
        for asset in self._files.values():
            compress(asset.body, asset.content_type)
        responses: dict[tuple[str, bool], CachedResponse] = {}

        @public
        def static(filename: str) -> Response:
            asset = self._files.get(filename)
            if asset is None:
                abort(404)
            is_fixed = request.args.get("v") == asset.tag
            if (filename, is_fixed) not in responses:
                responses[filename, is_fixed] = _cached(asset, is_fixed=is_fixed)
            return CachedPage(responses[filename, is_fixed])

        app.view_functions["static"] = static


def _cached(asset: _Asset, *, is_fixed: bool) -> CachedResponse:
    response = Response(asset.body, content_type=asset.content_type)
    response.set_etag(asset.tag)
    response.headers["Cache-Control"] = FOR_A_YEAR if is_fixed else "public, no-cache"
    return cacheable(response, FOR_EVER, code=coded_once)


def _read(path: Path) -> _Asset:
    body = path.read_bytes()
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return _Asset(body, hashlib.sha256(body).hexdigest()[:12], f"{kind}; charset=utf-8" if kind in _TEXT else kind)


TEMPLATES = folder("templates")
STATIC = folder("static")
TRANSLATIONS = Path(__file__).parents[2] / "translations"
