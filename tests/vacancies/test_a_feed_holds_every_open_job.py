import pytest

from portal.vacancies.whole import open_postings
from tests.vacancies.conftest import Mirror
from tests.vacancies.standin import iso, vacancy

MANY = 250
"""More than are read at once."""


@pytest.fixture
def many(mirrored: Mirror) -> Mirror:
    for number in range(MANY):
        mirrored.service.put(vacancy(f"v{number}", created_at=iso(mirrored.clock.now())))
        mirrored.clock.pass_time(1)
    mirrored.sync()
    return mirrored


def feed(mirrored: Mirror) -> list[str]:
    return [posting.id for posting in open_postings(mirrored.database, mirrored.tenant, mirrored.clock.now())]


def test_every_open_job_comes_once_newest_first_and_no_other(many: Mirror):
    now = many.clock.now()
    many.service.put(vacancy("later", start_at=iso(now, days=3)))
    many.service.put(vacancy("over", end_at=iso(now, days=-1)))
    many.service.put(vacancy("draft", stage="Draft"))
    many.sync()
    assert feed(many) == [f"v{number}" for number in reversed(range(MANY))]


def test_a_change_between_two_jobs_shows_in_the_next_feed_and_not_in_half_of_this_one(many: Mirror):
    begun = open_postings(many.database, many.tenant, many.clock.now())
    first = next(begun)
    for number in range(0, MANY, 10):
        many.service.put(vacancy(f"v{number}", stage="Draft"))
        many.clock.pass_time(1)
    many.sync()
    assert len([first, *begun]) == MANY
    assert len(feed(many)) == MANY * 9 // 10


def test_who_publishes_no_stage_has_no_jobs_in_it(mirrored: Mirror):
    mirrored.service.put(vacancy("v1", stage="Draft"))
    mirrored.sync()
    assert feed(mirrored) == []
