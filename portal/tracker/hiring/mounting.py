"""Which requests the service passes to the hiring pages, and how long their bodies may be."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from flask import Flask

from portal.gateway.concurrency import ConcurrencyLimit
from portal.site.forms.request_body import TEXT_LIMIT
from portal.site.gateway import max_body_bytes

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_INTERFACE = "applications|candidates|pipeline|vacancies"
_THEIRS = re.compile(rf"/static/|/(?!(?:{_INTERFACE})/)[^/]+/hiring(?:/|$)")


class HiringMount:
    """The hiring pages beside the service. No path of the interface is one of theirs. room: slots for both."""

    def __init__(self, pages: Flask, room: ConcurrencyLimit) -> None:
        self._pages, self.room = pages, room

    def has(self, path: str) -> bool:
        """Return whether a path is of the hiring pages."""
        return _THEIRS.match(path) is not None

    def beside(self, service: "WSGIApplication") -> "WSGIApplication":
        """Return an application that passes the pages' requests to them, and every other one to the service."""

        def application(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
            chosen = self._pages.wsgi_app if self.has(environ["PATH_INFO"]) else service
            return chosen(environ, start_response)

        return application

    def max_body_bytes(self, method: str, path: str) -> int | None:
        """Return the bytes that a body may have; None for an address that is unknown or takes no body."""
        return max_body_bytes(self._pages, method, path, with_file=TEXT_LIMIT)
