"""JSONP: JSON as the argument of a function of the requesting page. The function's name is checked strictly, because it
is executed.
"""

import re

from flask import Response, request
from werkzeug.exceptions import BadRequest, Forbidden

from portal.tenants.model import Tenant

_NAME = re.compile(r"(?=.{1,100}\Z)[A-Za-z_$][A-Za-z0-9_$]*(?:\.[A-Za-z_$][A-Za-z0-9_$]*){0,4}")
MOST = 8_000_000
"""Bytes that are wrapped in a callback; a longer response has to be fetched as JSON."""


def asked(tenant: Tenant) -> str | None:
    """Return the function's name, None if there is none. Raises BadRequest for an invalid name.

    Raises Forbidden unless the tenant allows JSONP: a script runs in whatever page requests it, so that is the tenant's
    decision.
    """
    name = request.args.get("callback")
    if name is not None and not tenant.feeds.jsonp:
        raise Forbidden
    if name is not None and not _NAME.fullmatch(name):
        raise BadRequest
    return name


def called(name: str, body: bytes) -> Response:
    """Return a script that calls the function. The comment keeps the name from being the first bytes, which could
    otherwise pass for a file of another kind.
    """
    # JSON allows two line separators in a string that scripts of some browsers do not.
    safe = body.replace("\u2028".encode(), b"\\u2028").replace("\u2029".encode(), b"\\u2029")
    return Response(
        b"/**/" + name.encode() + b"(" + safe.rstrip() + b");\n", content_type="text/javascript; charset=utf-8"
    )
