"""The mirror gets every record of a list, each change once, and is never led in circles."""

from functools import partial
from itertools import count

import pytest

from portal.contract.vacancies import Vacancy, VacancyName
from portal.errors import NotTheService
from portal.upstream.page import BadRecord, Page
from portal.upstream.pager import pages, records
from tests.parts.misbehaving import answer, misbehaving
from tests.upstream.calling import client


def _vacancy(name: str, id_: str | None = None) -> Vacancy:
    return Vacancy(id=id_ or name, name=VacancyName(name=name))


class Service:
    """Answers each cursor with what it was told to."""

    def __init__(self, answers: dict[str | None, tuple[list[Vacancy], str | None]]) -> None:
        self._answers = answers
        self.asked: list[tuple[int, str | None]] = []

    def vacancies(self, *, limit: int, cursor: str | None) -> Page[Vacancy]:
        self.asked.append((limit, cursor))
        items, following = self._answers[cursor]
        return Page(tuple(items), (BadRecord(None, "bad"),), following, following is not None, None)


def _walk(service: Service, limit: int = 50) -> list[str]:
    found = records(service.vacancies, operation="4.1", limit=limit)
    return [vacancy.name.name or "" for vacancy in found if vacancy.name]


def test_every_record_comes_and_those_that_tie_come_once() -> None:
    a, b, c = _vacancy("a"), _vacancy("b"), _vacancy("c")
    assert _walk(Service({None: ([a, b], "1"), "1": ([b, c], "2"), "2": ([], None)})) == ["a", "b", "c"]


def test_a_record_that_changes_during_the_walk_comes_again() -> None:
    service = Service({None: ([_vacancy("a", "x")], "1"), "1": ([_vacancy("b", "x")], None)})
    assert _walk(service) == ["a", "b"]


def test_a_cursor_that_stands_still_is_given_up_after_a_larger_page() -> None:
    service = Service({None: ([_vacancy("a")], "1"), "1": ([_vacancy("b")], "1")})
    with pytest.raises(NotTheService, match="do not lead to an end"):
        _walk(service, limit=10)
    assert service.asked == [(10, None), (10, "1"), (10, "1"), (50, "1")]


def test_cursors_that_turn_in_circles_are_given_up() -> None:
    service = Service({None: ([_vacancy("a")], "1"), "1": ([_vacancy("b")], "2"), "2": ([_vacancy("c")], "1")})
    with pytest.raises(NotTheService):
        _walk(service)
    assert len(service.asked) < 8


def test_ever_new_cursors_without_records_are_given_up() -> None:
    numbers = count()

    def barren(*, limit: int, cursor: str | None) -> Page[Vacancy]:
        return Page((), (), str(next(numbers)), has_next=True, served_at=None)

    with pytest.raises(NotTheService):
        list(records(barren, operation="4.1"))
    assert next(numbers) < 300


def test_bad_records_are_in_the_pages() -> None:
    (page,) = pages(Service({None: ([], None)}).vacancies, operation="4.1")
    assert [bad.problem for bad in page.bad] == ["bad"]


def test_the_clients_own_lists_can_be_walked() -> None:
    first = {"items": [{"id": "c1"}], "pageInfo": {"nextCursor": "n", "hasNextPage": True}}
    last = {"items": [{"id": "c2"}], "pageInfo": {"nextCursor": None, "hasNextPage": False}}
    with misbehaving(answer(first), answer(last)) as server, client(server.url) as upstream:
        walk = records(partial(upstream.candidates, modified_since=None), operation="4.2", limit=1)
        assert [candidate.id for candidate in walk] == ["c1", "c2"]
        assert [seen.target for seen in server.seen] == ["/candidates?limit=1", "/candidates?limit=1&cursor=n"]
