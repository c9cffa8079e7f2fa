"""All spellings of a filter's values are one page of the cache, and unknown values are not cached."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import sqlalchemy as sa

from tests.site.browse.jobs import Careers, vacancy


@pytest.fixture
def koln(acme: Careers) -> Careers:
    acme.publish(vacancy("one", "Welder", city="Köln"), vacancy("two", "Smith", city="Berlin"))
    return acme


@contextmanager
def asking(acme: Careers) -> Iterator[list[str]]:
    """Collect the database statements within the block."""
    asked: list[str] = []
    engine = acme.portal.parts.database.engine

    def note(*said: object) -> None:
        asked.append(str(said[2]))

    sa.event.listen(engine, "before_cursor_execute", note)
    yield asked
    sa.event.remove(engine, "before_cursor_execute", note)


def test_spellings_of_a_city_are_one_page(koln: Careers):
    first = koln.get("/acme/?city=K%C3%B6ln")
    with asking(koln) as asked:
        others = [koln.get(f"/acme/?{query}") for query in ("city=KOLN", "city=+k%C3%B6ln+", "city=koln&city=KOLN")]
    assert asked == []
    assert {each.text for each in others} == {first.text}
    assert "Welder" in first.text
    assert "Smith" not in first.text


def test_spellings_are_one_response_for_front_ends_too(koln: Careers):
    first = koln.get("/acme/jobs.json?city=K%C3%B6ln")
    with asking(koln) as asked:
        other = koln.get("/acme/jobs.json?city=KOLN")
    assert asked == []
    assert other.text == first.text


@pytest.mark.parametrize("path", ["/acme/", "/acme/jobs.json"])
@pytest.mark.parametrize("query", ["city=Nowhere", "facet-invented=1", "country=XX&city=Berlin"])
def test_an_unknown_value_is_reported_and_its_page_is_not_cached(koln: Careers, path: str, query: str):
    first = koln.get(f"{path}?{query}")
    with asking(koln) as asked:
        second = koln.get(f"{path}?{query}")
    assert asked
    assert second.text == first.text
    assert first.headers["ETag"] == second.headers["ETag"]
    assert first.headers["Cache-Control"] == "public, max-age=0, must-revalidate"
