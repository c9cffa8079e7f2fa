"""A response with millions of values is rejected before it is parsed."""

import json
import time
import tracemalloc
from typing import Any

import pytest

from portal.adapters.tracker_client.errors import NotTheService
from portal.contract import bounds
from portal.contract.bounds import PAGE_MAX
from tests.adapters.tracker_client.calling import client
from tests.parts.misbehaving import answer, misbehaving

_END = b'],"pageInfo":{"nextCursor":null,"hasNextPage":false}}'
_TINY = [b"{}", b"[]", b'""', b"1", b'{"a":1}', b'"\\""', b"[[]]", b'"\\\\"']


def _page(items: list[Any]) -> dict[str, Any]:
    return {"items": items, "pageInfo": {"nextCursor": None, "hasNextPage": False}}


@pytest.mark.parametrize(
    ("call", "tiny"),
    [*(("vacancies", tiny) for tiny in _TINY), ("candidates", _TINY[0]), ("applications", _TINY[0])],
    ids=lambda one: one if isinstance(one, str) else str(_TINY.index(one)),
)
def test_millions_of_tiny_values_take_little_time_and_memory(call: str, tiny: bytes) -> None:
    body = b'{"items":[' + b",".join([tiny] * (18_000_000 // (len(tiny) + 1))) + _END
    with misbehaving(answer(raw=body)) as server, client(server.url) as upstream:
        ask = getattr(upstream, call)
        began = time.thread_time()
        with pytest.raises(NotTheService, match="more than such an answer can"):
            ask("v1") if call == "applications" else ask()
        assert time.thread_time() - began < 10


def test_an_unterminated_string_takes_little_time_and_memory() -> None:
    body = b'{"items":["' + b'\\"' * 9_000_000
    with misbehaving(answer(raw=body)) as server, client(server.url) as upstream:
        began = time.thread_time()
        with pytest.raises(NotTheService):
            upstream.vacancies()
        assert time.thread_time() - began < 10


def test_a_response_takes_no_more_memory_than_its_bytes() -> None:
    body = b'{"items":[' + b",".join([b"{}"] * 1_000_000) + _END
    with misbehaving(answer(raw=body)) as server, client(server.url) as upstream:
        tracemalloc.start()
        try:
            with pytest.raises(NotTheService):
                upstream.vacancies()
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 4 * len(body)


@pytest.mark.parametrize("limit", [1, PAGE_MAX])
def test_a_page_with_more_records_than_requested_is_rejected(limit: int) -> None:
    items = [{"id": f"v{n}"} for n in range(limit + 1)]
    with misbehaving(answer(_page(items[:limit])), answer(_page(items))) as server, client(server.url) as upstream:
        assert len(upstream.vacancies(limit=limit).items) == limit
        with pytest.raises(NotTheService, match=f"a page of {limit + 1} records"):
            upstream.vacancies(limit=limit)


def test_a_record_with_too_many_values_is_skipped_alone() -> None:
    def of(many: int) -> dict[str, Any]:
        return {"id": f"c{many}", "emails": {"emails": [{"email": "a@b.example"}] * many}}

    fits = (bounds.VALUES_MAX - 3) // 2
    items = [of(1), of(fits), of(fits + 1), of(100_000)]
    with misbehaving(answer(_page(items))) as server, client(server.url) as upstream:
        page = upstream.candidates()
    assert [one.id for one in page.items] == ["c1", f"c{fits}"]
    assert [(bad.id, bad.problem) for bad in page.bad] == [
        (f"c{fits + 1}", "it holds more than 5000 values"),
        ("c100000", "it holds more than 5000 values"),
    ]


def test_a_record_nested_too_deep_is_skipped_alone() -> None:
    def of(deep: int) -> str:
        return f'{{"id":"c{deep}","unknown":{"[" * deep + "]" * deep}}}'

    fits = bounds.DEPTH_MAX - 1
    body = f'{{"items":[{of(fits)},{of(fits + 1)},{of(900)},{{"id":"c0"}}'.encode() + _END
    with misbehaving(answer(raw=body)) as server, client(server.url) as upstream:
        page = upstream.candidates()
    assert [bad.id for bad in page.bad] == [f"c{fits + 1}", "c900"]
    assert {bad.problem for bad in page.bad} == {"it is nested more than 32 deep"}


def test_text_may_contain_many_json_characters() -> None:
    """Commas, brackets and quotation marks in a description do not count."""
    about = 'He said: "{[,,]}" \\ and so on, ' * 20_000
    items = [{"id": f"v{n}", "description": {"description": about}} for n in range(25)]
    assert json.dumps(items).count(",") > 26 * bounds.RECORD_MAX_TOKENS
    with misbehaving(answer(_page(items))) as server, client(server.url) as upstream:
        page = upstream.vacancies(limit=25)
    assert [one.description.description for one in page.items if one.description] == [about] * 25


def test_all_applications_of_a_vacancy_may_be_thousands() -> None:
    some = {"id": "a", "candidate": {"id": "c", "firstName": "Ada", "lastName": "L", "emails": ["a@b.example"] * 3}}
    with (
        misbehaving(answer({"vacancy": {"id": "v1"}, "applications": [some] * 20_000})) as server,
        client(server.url) as upstream,
    ):
        assert len(upstream.applications("v1").applications) == 20_000
