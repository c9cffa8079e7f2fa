"""Tests and tools can give the client another transport, with the same results and errors."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import httpx
import pytest

from portal.adapters.tracker_client.client import TrackerClient
from portal.adapters.tracker_client.errors import MayHaveArrived, NotSent, NotTheService, Throttled, TrackerError
from tests.adapters.tracker_client.calling import KEY, submit
from tests.told_clock import ToldClock


def _upstream(transport: httpx.BaseTransport) -> TrackerClient:
    return TrackerClient(
        base_url="https://service.example", slug="acme", api_key=KEY, clock=ToldClock(), transport=transport
    )


def test_the_client_can_call_a_wsgi_application_directly() -> None:
    seen: list[dict[str, Any]] = []

    def service(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        seen.append(environ)
        if environ["REQUEST_METHOD"] == "POST":
            sent = json.loads(environ["wsgi.input"].read())
            start_response("429 Slow down" if sent["firstName"] == "José" else "201 Created", [("Retry-After", "7")])
            return [b""]
        start_response("200 OK", [("Content-Type", "application/json")])
        return [b'{"stages": [{"id": "s1"}]}']

    upstream = _upstream(httpx.WSGITransport(app=service))
    assert [stage.id for stage in upstream.stages().stages] == ["s1"]
    with pytest.raises(Throttled) as caught:
        submit(upstream)
    assert caught.value.retry_after == 7
    assert [environ.get("HTTP_X_API_KEY") for environ in seen] == [KEY, None]
    upstream.close()


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (httpx.ConnectError("x"), NotSent),
        (httpx.ConnectTimeout("x"), NotSent),
        (httpx.PoolTimeout("x"), NotSent),
        (httpx.ReadTimeout("x"), MayHaveArrived),
        (httpx.ReadError("x"), MayHaveArrived),
        (httpx.WriteError("x"), MayHaveArrived),
        (httpx.RemoteProtocolError("x"), MayHaveArrived),
    ],
)
def test_failures_of_a_transport_become_the_same_errors(failure: Exception, kind: type[TrackerError]) -> None:
    def fail(_request: httpx.Request) -> httpx.Response:
        raise failure

    with pytest.raises(TrackerError) as caught:
        submit(_upstream(httpx.MockTransport(fail)))
    assert type(caught.value) is kind


def test_a_truncated_response_is_an_error() -> None:
    class Cut(httpx.SyncByteStream):
        def __iter__(self) -> Any:
            yield b"{"
            raise httpx.RemoteProtocolError("cut")

    with pytest.raises(NotTheService):
        submit(_upstream(httpx.MockTransport(lambda _: httpx.Response(200, stream=Cut()))))


def test_the_deadline_applies_to_any_transport() -> None:
    clock = ToldClock()

    class Slow(httpx.SyncByteStream):
        def __iter__(self) -> Any:
            for _ in range(10):
                clock.pass_time(10)
                yield b" "

    transport = httpx.MockTransport(lambda _: httpx.Response(200, stream=Slow()))
    upstream = TrackerClient(base_url="https://a.example", slug="acme", api_key=KEY, clock=clock, transport=transport)
    with pytest.raises(MayHaveArrived, match="in time"):
        submit(upstream)
