"""JSONP: JSON as the argument of a function that the asking page has. Its name is checked strictly, for it is run."""

import re

from flask import Response, request
from werkzeug.exceptions import BadRequest

_NAME = re.compile(r"(?=.{1,100}\Z)[A-Za-z_$][A-Za-z0-9_$]*(?:\.[A-Za-z_$][A-Za-z0-9_$]*){0,4}")
MOST = 8_000_000
"""Bytes that are put into one; what is longer is fetched as JSON."""


def asked() -> str | None:
    """The function's name, where one is asked for. Raises BadRequest for what is no name."""
    name = request.args.get("callback")
    if name is not None and not _NAME.fullmatch(name):
        raise BadRequest
    return name


def called(name: str, body: bytes) -> Response:
    """A script that calls it. The comment keeps the name from being the first bytes of a file of another kind."""
    # JSON allows two line ends in a text that scripts of some browsers do not.
    safe = body.replace("\u2028".encode(), b"\\u2028").replace("\u2029".encode(), b"\\u2029")
    return Response(
        b"/**/" + name.encode() + b"(" + safe.rstrip() + b");\n", content_type="text/javascript; charset=utf-8"
    )
