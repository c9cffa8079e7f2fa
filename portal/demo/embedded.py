"""A page as a company's web master would write it, with the one line that shows its jobs there.

The demo has one server under two names: 127.0.0.1 is the portal, localhost the company's own site. Browsers take them
for two sites, as they are in life.
"""

from flask import Blueprint, Response, render_template

from portal.parts import Parts
from portal.web.access import public

PATH = "/demo/embedded"


def own_site(portal_url: str) -> str:
    """The origin of the company's own site."""
    return portal_url.replace("//127.0.0.1", "//localhost")


def blueprint(parts: Parts) -> Blueprint:
    """GET /demo/embedded, /demo/embedded.css"""
    pages = Blueprint("demo", __name__, template_folder="data")
    portal = parts.settings.base_url
    # The company's own: the two directives that docs/embedding.md names, and what its own page needs.
    policy = f"default-src 'none'; style-src 'self'; base-uri 'none'; script-src {portal}; frame-src {portal}"

    @pages.get(PATH)
    @public
    def embedded() -> Response:
        response = Response(render_template("embedded/page.html", portal=portal))
        response.headers["Content-Security-Policy"] = policy
        return response

    @pages.get(f"{PATH}.css")
    @public
    def styles() -> Response:
        return Response(render_template("embedded/page.css"), mimetype="text/css")

    return pages
