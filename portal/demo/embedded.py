"""An example of a company's own page, with the one line of HTML that shows its jobs there.

The demo has one server under two names: 127.0.0.1 is the portal, localhost the company's site. Browsers treat them as
two sites, as in production.
"""

from flask import Blueprint, Response, render_template

from portal.services import Services
from portal.site.routing.access import public

PATH = "/demo/embedded"


def own_site(portal_url: str) -> str:
    """Return the origin of the company's own site."""
    return portal_url.replace("//127.0.0.1", "//localhost")


def blueprint(services: Services) -> Blueprint:
    """Return the blueprint of GET /demo/embedded and /demo/embedded.css."""
    pages = Blueprint("demo", __name__, template_folder="data")
    portal = services.settings.base_url
    # The company's own policy: the two directives that docs/embedding.md names, and what its page needs itself.
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
