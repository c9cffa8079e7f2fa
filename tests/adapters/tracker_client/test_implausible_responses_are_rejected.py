"""Captive portal pages, decompression bombs and truncated responses never count as a delivery or a list."""

import tracemalloc

import pytest

from portal.adapters.tracker_client.errors import NotTheService
from tests.adapters.tracker_client.calling import client, submit, update
from tests.parts.misbehaving import Behaviour, answer, endless, gzip_bomb, html, misbehaving, truncated

TEXT = {"Content-Type": "text/plain"}
NO_PAGE = [None, [], "text", {}, {"items": []}, {"items": None, "pageInfo": {"hasNextPage": False}}] + [
    {"items": [], "pageInfo": info}
    for info in (None, [], {}, {"hasNextPage": True}, {"hasNextPage": True, "nextCursor": ""})
]


@pytest.mark.parametrize(
    "behaviour",
    [
        html(),
        html(201),
        answer(raw=b"<html>", headers=TEXT),
        answer(raw=b"Welcome", headers=TEXT),
        answer(raw=b'{"id": "cut'),
        answer(raw=b"\xff\xfe"),
        answer(raw=b"[" * 100_000),
        truncated(),
        gzip_bomb(),
        answer({}, headers={"Content-Encoding": "br"}),
        endless(),
    ],
    ids=[
        "html",
        "html 201",
        "html as text",
        "text",
        "cut JSON",
        "no UTF-8",
        "deep",
        "truncated",
        "bomb",
        "br",
        "endless",
    ],
)
def test_an_implausible_2xx_response_is_rejected(behaviour: Behaviour) -> None:
    with misbehaving(behaviour) as server, client(server.url) as upstream:
        for call in (submit, update, lambda u: u.vacancies(), lambda u: u.application("a1")):
            with pytest.raises(NotTheService):
                call(upstream)


def test_json_with_another_media_type_is_accepted() -> None:
    with misbehaving(answer({"stages": []}, headers=TEXT)) as server, client(server.url) as upstream:
        assert upstream.stages().stages == []
        submit(upstream)


@pytest.mark.parametrize("content", NO_PAGE)
def test_json_that_is_not_a_page_is_rejected(content: object) -> None:
    with misbehaving(answer(content)) as server, client(server.url) as upstream:
        for call in (upstream.vacancies, upstream.candidates):
            with pytest.raises(NotTheService):
                call()


@pytest.mark.parametrize("content", [None, [], {}, {"id": None}, {"id": 5}, "v1"])
def test_json_that_is_not_a_record_is_rejected(content: object) -> None:
    with misbehaving(answer(content)) as server, client(server.url) as upstream:
        for call in (upstream.vacancy, upstream.application, upstream.applications):
            with pytest.raises(NotTheService):
                call("v1")


@pytest.mark.parametrize("behaviour", [gzip_bomb(), endless()], ids=["bomb", "endless"])
def test_an_endless_response_does_not_fill_the_memory(behaviour: Behaviour) -> None:
    with misbehaving(behaviour) as server, client(server.url) as upstream:
        tracemalloc.start()
        try:
            with pytest.raises(NotTheService):
                submit(upstream)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 4_000_000


def test_a_response_to_an_application_is_limited_to_a_megabyte() -> None:
    most = b'"' + b"x" * 999_998 + b'"'
    with misbehaving(answer(raw=most), answer(raw=most + b" ")) as server, client(server.url) as upstream:
        submit(upstream)
        with pytest.raises(NotTheService):
            submit(upstream)


def test_unusually_large_records_are_requested_in_smaller_pages() -> None:
    page = answer({"items": [], "pageInfo": {"hasNextPage": False}})
    with misbehaving(endless(), endless(), page) as server, client(server.url) as upstream:
        assert upstream.candidates().items == ()
        assert [seen.target.partition("limit=")[2] for seen in server.seen] == ["50", "7", "1"]


def test_a_single_oversized_record_is_not_requested_again() -> None:
    with misbehaving(endless()) as server, client(server.url) as upstream:
        with pytest.raises(NotTheService, match="longer than"):
            upstream.vacancies(limit=1)
        assert len(server.seen) == 1
