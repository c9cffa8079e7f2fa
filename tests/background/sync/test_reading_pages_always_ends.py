"""A list is read to its end with each change once, and faulty paging causes no endless loop."""

from datetime import UTC, datetime, timedelta
from itertools import count

from portal.adapters.tracker_client.page import BadRecord, ListPage
from portal.background.sync.paging import PageWalker
from portal.contract.vacancies import Vacancy, VacancyName
from tests.adapters.tracker_client.calling import client
from tests.parts.misbehaving import answer, misbehaving

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def _vacancy(name: str, id_: str | None = None) -> Vacancy:
    return Vacancy(id=id_ or name, name=VacancyName(name=name))


class Service:
    """A service with a fixed response for each cursor."""

    def __init__(self, answers: dict[str | None, tuple[list[Vacancy], str | None]]) -> None:
        self._answers = answers
        self.asked: list[tuple[int, str | None]] = []

    def vacancies(self, *, limit: int, modified_since: datetime | None, cursor: str | None) -> ListPage[Vacancy]:
        assert modified_since is None
        self.asked.append((limit, cursor))
        items, following = self._answers[cursor]
        return ListPage(tuple(items), (BadRecord(None, "bad"),), following, following is not None, NOON)


def _names(walk: PageWalker[Vacancy]) -> list[str]:
    return [vacancy.name.name or "" for page in walk.pages() for vacancy in page.items if vacancy.name]


def test_every_record_is_read_and_changed_ones_are_read_again() -> None:
    a, b, c = _vacancy("a"), _vacancy("b"), _vacancy("c", "a")
    walk = PageWalker(Service({None: ([a, b], "1"), "1": ([b, c], None)}).vacancies, None)
    assert _names(walk) == ["a", "b", "b", "c"]
    assert (walk.complete, walk.seen, walk.nameless) == (True, {"a", "b"}, 2)


def test_a_repeated_cursor_stops_after_a_larger_page() -> None:
    service = Service({None: ([_vacancy("a")], "x"), "x": ([_vacancy("b")], "x")})
    walk = PageWalker(service.vacancies, None, limit=10)
    assert _names(walk)[:2] == ["a", "b"]
    assert not walk.complete
    assert service.asked == [(10, None), (10, "x"), (10, "x"), (50, "x")]


def test_cyclic_cursors_stop() -> None:
    service = Service({None: ([_vacancy("a")], "x"), "x": ([_vacancy("b")], "y"), "y": ([_vacancy("c")], "x")})
    walk = PageWalker(service.vacancies, None)
    assert set(_names(walk)) == {"a", "b", "c"}
    assert not walk.complete
    assert len(service.asked) < 8


def test_new_cursors_without_records_stop() -> None:
    numbers = count()

    def barren(*, limit: int, modified_since: datetime | None, cursor: str | None) -> ListPage[Vacancy]:
        return ListPage((), (), f"x{next(numbers)}", has_next=True, served_at=None)

    walk = PageWalker(barren, None)
    assert _names(walk) == []
    assert not walk.complete
    assert next(numbers) < 300


def test_the_watermark_is_the_services_time_and_never_in_the_future() -> None:
    for ours, expected in ((NOON + timedelta(hours=1), NOON), (NOON - timedelta(hours=1), NOON - timedelta(hours=1))):
        walk = PageWalker(Service({None: ([_vacancy("a")], None)}).vacancies, None)
        _names(walk)
        assert walk.watermark(ours) == expected


def test_an_empty_list_has_no_watermark() -> None:
    for answers in ({None: ([], None)}, {None: ([_vacancy("a")], "x"), "x": ([], None)}):

        def fetch(*, limit: int, modified_since: datetime | None, cursor: str | None) -> ListPage[Vacancy]:
            items, following = answers[cursor]  # noqa: B023  called immediately
            return ListPage(tuple(items), (), following, following is not None, NOON)

        walk = PageWalker(fetch, None)
        _names(walk)
        assert (walk.complete, walk.fruitless, walk.watermark(NOON)) == (True, True, None)


def test_the_lists_of_the_client_can_be_read_by_pages() -> None:
    first = {"items": [{"id": "c1"}], "pageInfo": {"nextCursor": "n", "hasNextPage": True}}
    last = {"items": [{"id": "c2"}], "pageInfo": {"nextCursor": None, "hasNextPage": False}}
    with misbehaving(answer(first), answer(last)) as server, client(server.url) as upstream:
        walk = PageWalker(upstream.candidates, None, limit=1)
        assert [candidate.id for page in walk.pages() for candidate in page.items] == ["c1", "c2"]
        assert [seen.target for seen in server.seen] == ["/candidates?limit=1", "/candidates?limit=1&cursor=n"]
