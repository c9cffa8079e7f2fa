"""Descriptions of the service: OpenAPI 3.1 at /openapi.json, and a reference page for people at /."""

from functools import cache
from pathlib import Path

from flask import Blueprint, Response, render_template, url_for

from portal.tracker.openapi import document
from portal.tracker.shapes import written

_PAGES = Path(__file__).parent / "pages"
_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


def blueprint(base_url: str) -> Blueprint:
    """Return the blueprint of both descriptions, which are built on first use. base_url: the service's public URL."""
    pages = Blueprint("describing", __name__, template_folder=str(_PAGES))
    described = cache(lambda: document(base_url))
    text = cache(lambda: written(described()))
    style = (_PAGES / "reference.css").read_text(encoding="utf-8")

    @pages.get("/openapi.json")
    def openapi() -> Response:
        return Response(text(), content_type="application/json", headers={"Cache-Control": "max-age=300"})

    @pages.get("/")
    def reference() -> Response:
        content = render_template("reference.html", api=described(), style=url_for("describing.stylesheet"))
        return Response(content, content_type="text/html; charset=utf-8", headers={"Content-Security-Policy": _POLICY})

    @pages.get("/reference.css")
    def stylesheet() -> Response:
        return Response(style, content_type="text/css; charset=utf-8", headers={"Cache-Control": "max-age=3600"})

    return pages
