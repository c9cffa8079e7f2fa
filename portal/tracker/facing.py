"""The service behind its front: every body is small, and what did not arrive is refused as a problem."""

from http import HTTPStatus

from flask import Flask, request
from werkzeug.exceptions import HTTPException

from portal.clock import Clock
from portal.front import Front
from portal.front.answer import Answer
from portal.front.bodies import REFUSED, Refusal
from portal.front.room import Room
from portal.tracker import watching
from portal.tracker.problems import Problem, answer
from portal.tracker.reading import BODY_MOST

_RETRY_AFTER = {"Retry-After": "5"}


def put_before(app: Flask, clock: Clock, room: Room) -> None:
    """Put the front before the application; it is `app.wsgi_app` from here on."""

    def busy() -> Answer:
        response = answer(Problem(HTTPStatus.SERVICE_UNAVAILABLE, "There is no room just now.", headers=_RETRY_AFTER))
        return Answer("503 SERVICE UNAVAILABLE", [*response.headers], response.get_data())

    front = Front(
        app.wsgi_app,
        clock,
        room=room,
        bound_of=lambda method, path: _bound_of(app, method, path),
        busy=busy,
        unhindered={"/healthz"},
        watched=watching.PATHS,
        quiet={"/healthz", *watching.PATHS},
    )
    front.visits.tell.append(watching.count)
    app.wsgi_app = front  # type: ignore[method-assign]  # Flask's own way of adding middleware


def refuse_what_did_not_arrive(app: Flask) -> None:
    """Answer 408 or 503 where the body was not received."""

    @app.before_request
    def refuse() -> None:
        refusal = request.environ.get(REFUSED)
        if refusal is Refusal.TOO_SLOW:
            raise Problem(HTTPStatus.REQUEST_TIMEOUT, "The body came too slowly.")
        if refusal is Refusal.CUT_OFF:
            raise Problem(HTTPStatus.BAD_REQUEST, "The body ended before the length that was said.")
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
