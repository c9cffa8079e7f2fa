"""Data that scripts of a tenant's own sites may read (CORS): those of embed.origins and no others, without credentials.

An answer that the front keeps says so itself for each who asks (front/kept.py): it is the same for all of them.
"""

from flask import Flask, Response, current_app, request

from portal.front.answer import ALLOW_ORIGIN, BY_ORIGIN
from portal.tenants.folder import Tenants
from portal.web.access import operation_of
from portal.web.headers import Finished
from portal.web.tenant import current, recognise

_HEADERS = "Content-Type, Content-Disposition, Idempotency-Key, If-None-Match"
_ASKED_AGAIN_AFTER = 3_600
"""Seconds for which a browser keeps what it was told before a request."""


def install(app: Flask, tenants: Tenants) -> None:
    """Tell browsers whose scripts may read an answer, and what they may send."""

    @app.after_request
    def on_its_way_out(response: Response) -> Response:
        # Flask answers OPTIONS by itself, and in `Allow` with the methods that the address takes.
        if isinstance(response, Finished) or not operation_of(current_app.view_functions.get(request.endpoint or "")):
            return response
        response.headers.add(*BY_ORIGIN)
        recognise(tenants, request)
        tenant, origin = current(), request.headers.get("Origin")
        if tenant and origin in tenant.embed_origins:
            response.headers[ALLOW_ORIGIN] = origin
            response.headers["Access-Control-Expose-Headers"] = "Retry-After"
            if request.method == "OPTIONS":
                response.headers["Access-Control-Allow-Methods"] = response.headers.get("Allow", "")
                response.headers["Access-Control-Allow-Headers"] = _HEADERS
                response.headers["Access-Control-Max-Age"] = str(_ASKED_AGAIN_AFTER)
        return response
