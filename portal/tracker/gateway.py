"""The WSGI layer in front of the service: limits body sizes and concurrency; a body not received becomes a problem."""

from http import HTTPStatus

from flask import Flask, request
from werkzeug.exceptions import HTTPException

from portal.contract import bounds
from portal.gateway import Gateway
from portal.gateway.concurrency import ConcurrencyLimit
from portal.gateway.request_bodies import REFUSED, BodyRejection
from portal.gateway.response import GatewayResponse
from portal.platform.clock import Clock
from portal.tracker import metrics, public
from portal.tracker.problems import ServiceProblem, answer

_RETRY_AFTER = {"Retry-After": "5"}


def put_before(app: Flask, clock: Clock, room: ConcurrencyLimit) -> None:
    """Wrap `app.wsgi_app` in the gateway."""

    def busy() -> GatewayResponse:
        response = answer(
            ServiceProblem(HTTPStatus.SERVICE_UNAVAILABLE, "There is no room just now.", headers=_RETRY_AFTER)
        )
        return GatewayResponse("503 SERVICE UNAVAILABLE", [*response.headers], response.get_data())

    front = Gateway(
        app.wsgi_app,
        clock,
        room=room,
        bound_of=lambda method, path: _bound_of(app, method, path),
        busy=busy,
        unhindered={"/healthz"},
        watched=metrics.PATHS,
        quiet={"/healthz", *metrics.PATHS},
    )
    front.visits.tell.append(metrics.count)
    app.wsgi_app = front  # type: ignore[method-assign]  # Flask's own way of adding middleware


def refuse_what_did_not_arrive(app: Flask) -> None:
    """Answer 408, 400 or 503 to requests whose body the gateway did not receive completely."""

    @app.before_request
    def refuse() -> None:
        refusal = request.environ.get(REFUSED)
        if refusal is BodyRejection.TOO_SLOW:
            raise ServiceProblem(HTTPStatus.REQUEST_TIMEOUT, "The body came too slowly.")
        if refusal is BodyRejection.CUT_OFF:
            raise ServiceProblem(HTTPStatus.BAD_REQUEST, "The body ended before the length that was said.")
        if refusal is BodyRejection.TOO_MANY:
            raise ServiceProblem(
                HTTPStatus.SERVICE_UNAVAILABLE, "Too many bodies arrive at once.", headers=_RETRY_AFTER
            )


def _bound_of(app: Flask, method: str, path: str) -> int | None:
    if method in {"GET", "HEAD"}:
        return None
    try:
        endpoint, _ = app.url_map.bind("").match(path.encode("latin-1").decode("utf-8", "replace"), method)
    except HTTPException:
        return None
    return bounds.PUBLIC_BODY_MOST if endpoint.startswith(f"{public.NAME}.") else bounds.BODY_MOST
