"""CORS: lets scripts of the tenant's embed.origins, and no others, read data, without credentials.

The gateway sets these headers itself on a cached response (`readers` in portal/gateway/response_cache.py), because that
is the same for all origins.
"""

from flask import Flask, Response, current_app, request

from portal.gateway.response import ALLOW_ORIGIN, BY_ORIGIN
from portal.site.headers import FinishedResponse
from portal.site.routing.access import operation_of
from portal.site.routing.tenant import current, recognise
from portal.tenants.folder import Tenants

_HEADERS = "Content-Type, Content-Disposition, Idempotency-Key, If-None-Match"
_ASKED_AGAIN_AFTER = 3_600
"""Seconds for which a browser caches the answer to a preflight request."""


def install(app: Flask, tenants: Tenants) -> None:
    """Set the CORS headers of responses, and answer preflight requests."""

    @app.after_request
    def on_its_way_out(response: Response) -> Response:
        # Flask answers OPTIONS itself; its `Allow` has the methods of the address.
        if isinstance(response, FinishedResponse) or not operation_of(
            current_app.view_functions.get(request.endpoint or "")
        ):
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
