"""What is answered to programs, described by itself: OpenAPI 3.1 at /openapi.json, a page for people at /api."""

from collections.abc import Callable
from functools import cache

from flask import Blueprint, Flask, Response, jsonify, make_response, render_template

from portal.web.access import public
from portal.web.openapi import Json, document


def blueprint(app: Flask, *, base_url: str) -> Blueprint:
    """GET /openapi.json, /api; made when somebody asks, once every route is there."""
    pages = Blueprint("describing", __name__)
    described: Callable[[], Json] = cache(lambda: document(app, base_url=base_url))

    @pages.get("/openapi.json")
    @public
    def openapi() -> Response:
        return jsonify(described())

    @pages.get("/api")
    @public
    def reference() -> Response:
        return make_response(render_template("describing/reference.html", api=described()))

    return pages
