"""A company keeps its other jobs public when one of its vacancies can't be read."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.adapters.tracker_client.calling import client
from tests.parts.misbehaving import answer, misbehaving

PERSONAL = "jane@mail.example"
BAD: list[Any] = [
    None,
    "v2",
    [],
    {},
    {"id": None},
    {"id": 7},
    {"id": "v2", "createdAt": {"createdAt": PERSONAL}},
    {"id": "v2", "name": PERSONAL},
    {"id": "v2", "location": {"location": {"latitude": float("inf")}}},
    {"id": "v2", "name": {"name": "\ud800"}},
    {"id": "v2", "description": {"description": "x" * 5_000_000}},
]


def _page(*items: Any, **info: Any) -> dict[str, Any]:
    return {"items": list(items), "pageInfo": {"nextCursor": None, "hasNextPage": False, **info}}


@pytest.mark.parametrize("bad", BAD, ids=range(len(BAD)))
def test_an_invalid_record_is_skipped_without_logging_its_values(bad: Any) -> None:
    with misbehaving(answer(_page({"id": "v1"}, bad, {"id": "v3"}))) as server, client(server.url) as upstream:
        page = upstream.vacancies()
    assert [vacancy.id for vacancy in page.items] == ["v1", "v3"]
    (found,) = page.bad
    assert found.id == (bad["id"] if isinstance(bad, dict) and bad.get("id") == "v2" else None)
    assert found.problem
    assert PERSONAL not in found.problem


def test_a_large_page_of_valid_records_is_read_completely() -> None:
    items = [{"id": f"v{n}", "description": {"description": "x" * 100_000}} for n in range(50)]
    with misbehaving(answer(_page(*items))) as server, client(server.url) as upstream:
        page = upstream.vacancies()
    assert (len(page.items), page.bad) == (50, ())


def test_a_page_has_its_next_cursor_and_response_time() -> None:
    dated = {"Date": "Mon, 01 Jun 2026 12:00:00 GMT"}
    more = _page(nextCursor="c2", hasNextPage=True, more=1)
    last = _page(nextCursor="c3", hasNextPage=False)
    with (
        misbehaving(answer(more, headers=dated), answer(last, headers={"Date": "yesterday"})) as server,
        client(server.url) as upstream,
    ):
        page = upstream.candidates()
        assert (page.next_cursor, page.has_next) == ("c2", True)
        assert page.served_at == datetime(2026, 6, 1, 12, tzinfo=UTC)
        page = upstream.candidates(cursor="c2")
        assert (page.next_cursor, page.has_next, page.served_at) == (None, False, None)
