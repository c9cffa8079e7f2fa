"""The service behind its front: every body is small, and what did not arrive is refused as a problem."""

from http import HTTPStatus

from flask import Flask, request
from werkzeug.exceptions import HTTPException

from portal.clock import Clock
from portal.front import Front
from portal.front.bodies import REFUSED, Reception, Refusal
from portal.front.layer import Busy
from portal.front.room import Room, cores
from portal.settings import TrackerSettings
from portal.tracker.problems import Problem, answer
from portal.tracker.reading import BODY_MOST

_RETRY_AFTER = {"Retry-After": "5"}


def front(app: Flask, settings: TrackerSettings, clock: Clock) -> Front:
    """Put the front before the application."""
    threads = settings.threads

    def bound_of(method: str, path: str) -> int | None:
        return _bound_of(app, method, path)

    def busy() -> Busy:
        response = answer(Problem(HTTPStatus.SERVICE_UNAVAILABLE, "There is no room just now.", headers=_RETRY_AFTER))
        return Busy([*response.headers], response.get_data())

    return Front(
        app.wsgi_app,
        clock,
        reception=Reception(at_once=threads * 4 // 5, of_network=threads * 4 // 5),
        room=Room(2 * cores(), waiting=threads // 8),
        bound_of=bound_of,
        busy=busy,
        unhindered={"/healthz"},
    )


def refuse_what_did_not_arrive(app: Flask) -> None:
    """Answer 408 or 503 where the body was not received."""

    @app.before_request
    def refuse() -> None:
        refusal = request.environ.get(REFUSED)
        if refusal is Refusal.TOO_SLOW:
            raise Problem(HTTPStatus.REQUEST_TIMEOUT, "The body came too slowly.")
        if refusal is Refusal.TOO_MANY:
            raise Problem(HTTPStatus.SERVICE_UNAVAILABLE, "Too many bodies arrive at once.", headers=_RETRY_AFTER)


def _bound_of(app: Flask, method: str, path: str) -> int | None:
    if method in {"GET", "HEAD"}:
        return None
    try:
        app.url_map.bind("").match(path.encode("latin-1").decode("utf-8", "replace"), method)
    except HTTPException:
        return None
    return BODY_MOST
