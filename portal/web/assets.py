"""Styles, scripts and images of our own, each at an address that changes with its content."""

import hashlib
from pathlib import Path

from flask import Flask, Response, abort, request, send_from_directory

from portal.web.access import public

_FOR_EVER = "public, max-age=31536000, immutable"


class Assets:
    """The static folder, read once: its files do not change while a process runs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tags = {
            path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()[:12]
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }

    def address(self, name: str) -> str:
        """The address of a file of static/, for ever the same content. KeyError if there is none."""
        return f"/static/{name}?v={self._tags[name]}"

    def serve(self, app: Flask) -> None:
        """Answer Flask's own /static/<path:filename>, marked and with an ETag from the content."""

        @public
        def static(filename: str) -> Response:
            if filename not in self._tags:
                abort(404)
            response = send_from_directory(self._folder, filename)
            response.set_etag(self._tags[filename])
            fixed = request.args.get("v") == self._tags[filename]
            response.headers["Cache-Control"] = _FOR_EVER if fixed else "public, no-cache"
            response.make_conditional(request)
            return response

        app.view_functions["static"] = static
