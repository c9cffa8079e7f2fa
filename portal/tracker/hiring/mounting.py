"""Which requests the service passes to the hiring pages."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from flask import Flask

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_THEIRS = re.compile(r"/static/|/[^/]+/hiring(?:/|$)")


def is_of_hiring(path: str) -> bool:
    """Return whether a path is of the hiring pages; no path of the interface is."""
    return _THEIRS.match(path) is not None


def beside(service: "WSGIApplication", pages: Flask) -> "WSGIApplication":
    """Return an application that passes the hiring pages' requests to them, and every other one to the service."""

    def application(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        chosen = pages.wsgi_app if is_of_hiring(environ["PATH_INFO"]) else service
        return chosen(environ, start_response)

    return application
