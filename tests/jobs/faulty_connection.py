"""A connection to a real service with seeded random faults, request by request."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import httpx

Ask = Callable[[], httpx.Response]
Fault = Callable[[httpx.Request, Ask], httpx.Response]
_EMPTY: dict[str, Any] = {"items": [], "pageInfo": {"nextCursor": None, "hasNextPage": False}}


class FaultyConnection(httpx.BaseTransport):
    """`rate`: the share of requests with a fault, 0 to 1. happened: the faults so far, by name.

    The fault of a request depends on its address and on how often it was requested, not on which thread is first."""

    def __init__(self, behind: httpx.BaseTransport, seed: int) -> None:
        self._behind = behind
        self._seed = seed
        self._asked: Counter[str] = Counter()
        self.rate = 0.0
        self.happened: Counter[str] = Counter()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        def ask() -> httpx.Response:
            answer = self._behind.handle_request(request)
            answer.read()
            return answer

        address = str(request.url)
        self._asked[address] += 1
        chance = random.Random(f"{self._seed} {self._asked[address]} {address}")  # noqa: S311  repeatable, not secret
        if chance.random() >= self.rate:
            return _again(ask())
        fault = chance.choice(FAULTS)
        self.happened[fault.__name__] += 1
        return _again(fault(request, ask))


def dropped_before_it_was_sent(request: httpx.Request, ask: Ask) -> httpx.Response:
    raise httpx.ConnectError("refused", request=request)


def dropped_after_it_was_sent(request: httpx.Request, ask: Ask) -> httpx.Response:
    ask()
    raise httpx.ReadError("reset", request=request)


def answered_too_late(request: httpx.Request, ask: Ask) -> httpx.Response:
    ask()
    raise httpx.ReadTimeout("late", request=request)


def failed_inside(request: httpx.Request, ask: Ask) -> httpx.Response:
    return httpx.Response(500, text="oops")


def asked_to_wait(request: httpx.Request, ask: Ask) -> httpx.Response:
    return httpx.Response(429, headers={"Retry-After": "7"})


def answered_by_a_proxys_page(request: httpx.Request, ask: Ask) -> httpx.Response:
    return httpx.Response(200, html="<html><body>We'll be back</body></html>")


def cut_in_half(request: httpx.Request, ask: Ask) -> httpx.Response:
    answer = ask()
    return httpx.Response(200, headers=_headers(answer), content=answer.content[: len(answer.content) // 2])


def broken_off(request: httpx.Request, ask: Ask) -> httpx.Response:
    answer = ask()

    def body() -> Iterator[bytes]:
        yield answer.content[: len(answer.content) // 2]
        raise httpx.RemoteProtocolError("incomplete", request=request)

    return httpx.Response(200, headers=_headers(answer), content=body())


def a_cursor_that_does_not_advance(request: httpx.Request, ask: Ask) -> httpx.Response:
    """The cursor of this page leads to the same page."""
    answer = ask()
    if not _is_list(request) or not answer.json()["items"]:
        return failed_inside(request, ask)
    page = answer.json()
    cursor = request.url.params.get("cursor") or page["pageInfo"]["nextCursor"] or "2026-01-01T00:00:00Z"
    page["pageInfo"] = {"nextCursor": cursor, "hasNextPage": True}
    return httpx.Response(200, headers=_headers(answer), content=json.dumps(page))


def an_empty_list(request: httpx.Request, ask: Ask) -> httpx.Response:
    answer = ask()
    if not _is_list(request):
        return failed_inside(request, ask)
    return httpx.Response(200, headers=_headers(answer), content=json.dumps(_EMPTY))


FAULTS: list[Fault] = [
    dropped_before_it_was_sent,
    dropped_after_it_was_sent,
    answered_too_late,
    failed_inside,
    asked_to_wait,
    answered_by_a_proxys_page,
    cut_in_half,
    broken_off,
    a_cursor_that_does_not_advance,
    an_empty_list,
]


def _is_list(request: httpx.Request) -> bool:
    return request.url.path == "/vacancies"


def _headers(answer: httpx.Response) -> dict[str, str]:
    return {name: answer.headers[name] for name in ("Content-Type", "Date")}


def _again(answer: httpx.Response) -> httpx.Response:
    """Return a copy of a response with a body that can still be streamed."""
    if not answer.is_stream_consumed:
        return answer
    return httpx.Response(answer.status_code, headers=answer.headers, stream=httpx.ByteStream(answer.content))
