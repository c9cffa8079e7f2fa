"""Whether a post comes from a page of this portal; checked once, before every view, for every unsafe method."""

from collections.abc import Callable, Collection

from flask import Flask, current_app, g, request
from werkzeug.exceptions import Forbidden

from portal.site.routing.access import Origins, origins_of

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


def install(app: Flask, *, own: Callable[[], Collection[str]], listed: Callable[[], Collection[str]] = tuple) -> None:
    """Answer 403 if a browser says that another site's page caused this request, unless the view's marker allows that.

    own: origins of this application. listed: those that a view marked Origins.LISTED accepts as well.
    """

    @app.before_request
    def refuse_elsewhere() -> None:
        view = current_app.view_functions.get(request.endpoint or "")
        allowed = origins_of(view)
        if request.method in _SAFE or view is None or allowed is Origins.ANY:
            return
        g.is_from_elsewhere = is_elsewhere(
            sec_fetch_site=request.headers.get("Sec-Fetch-Site"),
            origin=request.headers.get("Origin"),
            own={*own(), *(listed() if allowed is Origins.LISTED else ())},
        )
        if g.is_from_elsewhere and allowed is not Origins.OWN_SAID_BY_VIEW:
            raise Forbidden("Another site sent this. Nothing was done.")


def is_from_elsewhere() -> bool:
    """Return whether another site's page caused this request; for views marked Origins.OWN_SAID_BY_VIEW."""
    return bool(g.is_from_elsewhere)


def own_origins(*, base_url: str, host: str) -> set[str]:
    """Return the origins of this portal. host: of the request, checked.

    Origins with http count only if the portal is served over http, because anyone who controls the network can forge an
    http site, but not an https one.
    """
    plain = {f"http://{host}"} if base_url.startswith("http://") else set()
    return {base_url, f"https://{host}", *plain}


def is_elsewhere(*, sec_fetch_site: str | None, origin: str | None, own: Collection[str]) -> bool:
    """Return whether a browser says that another site's page caused this request.

    own: this portal's origins, like https://careers.example. A page of the portal in another site's frame is still the
    portal's: what it posts is same-origin, and embedding needs no exception here. `same-site` counts as elsewhere
    unless the origin is in `own`: a company's domain hosts more than its careers site. A program sends neither header,
    and is allowed: the check protects users of browsers, and no other site can control a program.
    """
    if origin is not None and origin.lower() in own:
        return False
    if sec_fetch_site is not None:
        return sec_fetch_site not in {"same-origin", "none"}
    return origin is not None
