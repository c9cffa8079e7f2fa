"""With a place the list is ordered by distance; the same on both databases, page by page, also where jobs tie."""

import pytest

from portal.jobs.posting import Sort
from tests.jobs.conftest import Mirror
from tests.jobs.standin import iso, vacancy

WHERE = [("Potsdam", "DE"), ("Berlin", "DE"), ("Oranienburg", "DE"), ("Bernau bei Berlin", "DE")]
ORDER = ["Berlin", "Bernau bei Berlin", "Oranienburg", "Potsdam"]


@pytest.fixture
def around(mirrored: Mirror) -> Mirror:
    now = mirrored.clock.now()
    for number in range(44):
        city, country = WHERE[number % 4]
        mirrored.service.put(
            vacancy(
                f"v{number}",
                "Nurse" if number % 3 else "Doctor",
                description="A nurse writes.",
                # Several of one town share a date, so that the order within distance and date matters too.
                created_at=iso(now, days=-(number // 12) - 1),
                location={"city": city, "country": country},
            )
        )
    for number in range(3):
        mirrored.service.put(
            vacancy(f"r{number}", "Nurse", location={"country": "Germany"}, location_type="remote"),
        )
    mirrored.sync()
    return mirrored


def walk(around: Mirror, text: str, sort: Sort | None) -> list[str]:
    seen: list[str] = []
    after = None
    for _ in range(20):
        found = around.find(text, near="Berlin", sort=sort, after=after, size=7)
        seen += [hit.posting.id for hit in found.hits]
        after = found.next
        if after is None:
            return seen
    raise AssertionError("no end")


@pytest.mark.parametrize(("text", "sort"), [("", None), ("nurse", None), ("nurse", Sort.DISTANCE), ("", Sort.DATE)])
def test_every_job_is_listed_once_over_all_pages(around: Mirror, text: str, sort: Sort | None):
    everything = [hit.posting.id for hit in around.find(text, near="Berlin", sort=sort, size=100).hits]
    assert len(everything) == 47
    assert walk(around, text, sort) == everything


def test_the_nearest_come_first_then_the_newest_and_remote_jobs_last(around: Mirror):
    hits = around.find(near="Berlin", size=100).hits
    assert list(dict.fromkeys(hit.posting.place.city for hit in hits)) == [*ORDER, None]
    for city in ORDER:
        dates = [hit.posting.created_at for hit in hits if hit.posting.place.city == city]
        assert dates == sorted(dates, reverse=True)  # type: ignore[type-var]  every posting here has a date


def test_a_match_in_the_title_precedes_a_nearer_job_that_only_mentions_the_words(around: Mirror):
    hits = around.find("nurse", near="Berlin", size=100).hits
    titles = [hit.posting.title for hit in hits]
    assert titles == sorted(titles, reverse=True)
    nurses = [hit.posting.place.city for hit in hits if hit.posting.title == "Nurse"]
    assert list(dict.fromkeys(nurses)) == [*ORDER, None]


def test_a_search_by_words_can_be_sorted_by_distance(around: Mirror):
    found = around.find("nurse", near="Berlin", sort=Sort.DISTANCE, size=100)
    assert list(dict.fromkeys(hit.posting.place.city for hit in found.hits)) == [*ORDER, None]
    assert found.sort is Sort.DISTANCE


@pytest.mark.parametrize("place", [{}, {"near": "Germany"}, {"near": "Xyzzyville"}])
def test_without_a_location_the_newest_come_first(around: Mirror, place: dict[str, str]):
    found = around.find(sort=Sort.DISTANCE, size=100, **place)
    dates = [hit.posting.created_at for hit in found.hits]
    assert dates == sorted(dates, reverse=True)  # type: ignore[type-var]  every posting here has a date
    assert found.sort is Sort.DATE


def test_a_page_reference_of_another_order_leads_to_the_first_page(around: Mirror):
    newest = around.find(near="Berlin", sort=Sort.DATE, size=7)
    assert around.titles(near="Berlin", after=newest.next, size=7) == around.titles(near="Berlin", size=7)
