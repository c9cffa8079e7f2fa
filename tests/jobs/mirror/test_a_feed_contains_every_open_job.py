from datetime import timedelta

import pytest

from portal.jobs.open_jobs import JobSelection, changed_at, open_ids, open_postings, places
from tests.jobs.conftest import Mirror
from tests.jobs.standin import iso, vacancy

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


def test_every_open_job_is_listed_once_newest_first_and_no_other(many: Mirror):
    now = many.clock.now()
    many.service.put(vacancy("later", start_at=iso(now, days=3)))
    many.service.put(vacancy("over", end_at=iso(now, days=-1)))
    many.service.put(vacancy("draft", stage="Draft"))
    many.sync()
    assert feed(many) == [f"v{number}" for number in reversed(range(MANY))]


def test_a_change_during_a_feed_appears_in_the_next_feed_only(many: Mirror):
    begun = open_postings(many.database, many.tenant, many.clock.now())
    first = next(begun)
    for number in range(0, MANY, 10):
        many.service.put(vacancy(f"v{number}", stage="Draft"))
        many.clock.pass_time(1)
    many.sync()
    assert len([first, *begun]) == MANY
    assert len(feed(many)) == MANY * 9 // 10


def test_a_feed_is_empty_if_no_stage_is_published(mirrored: Mirror):
    mirrored.service.put(vacancy("v1", stage="Draft"))
    mirrored.sync()
    assert feed(mirrored) == []


def test_a_part_of_the_feed_has_the_same_order(mirrored: Mirror):
    for number in range(6):
        city, kind = ("Berlin", "Paris", None)[number % 3], ("fullTime", "partTime")[number % 2]
        more = {"location": {"city": city, "country": "DE"}, "employment_type": kind}
        mirrored.service.put(vacancy(f"v{number}", created_at=iso(mirrored.clock.now()), **more))
        mirrored.clock.pass_time(1)
    mirrored.sync()
    assert sorted(places(mirrored.database, mirrored.tenant)) == [("DE", ""), ("DE", "Berlin"), ("DE", "Paris")]
    assert set(open_ids(mirrored.database, mirrored.tenant, mirrored.clock.now())) == {f"v{n}" for n in range(6)}
    for part, ids in (
        (JobSelection(places=[("DE", "Berlin")]), ["v3", "v0"]),
        (JobSelection(places=[("DE", ""), ("DE", "Paris")]), ["v5", "v4", "v2", "v1"]),
        (JobSelection(places=[]), []),
        (JobSelection(employment_types=["partTime"]), ["v5", "v3", "v1"]),
        (JobSelection(employment_types=[]), []),
        (JobSelection(places=[("DE", "Berlin")], employment_types=["partTime"]), ["v3"]),
        (JobSelection(skip=4), ["v1", "v0"]),
        (JobSelection(most=2), ["v5", "v4"]),
        (JobSelection(skip=1, most=2), ["v4", "v3"]),
        (JobSelection(most=0), []),
    ):
        found = open_postings(mirrored.database, mirrored.tenant, mirrored.clock.now(), part)
        assert [posting.id for posting in found] == ids


def test_the_time_of_the_last_change_is_known_and_never_goes_back(mirrored: Mirror):
    def changed() -> object:
        return changed_at(mirrored.database, mirrored.tenant, mirrored.clock.now())

    assert changed() is None
    mirrored.service.put(vacancy("v1"))
    mirrored.service.put(vacancy("v2", end_at=iso(mirrored.clock.now(), days=1)))
    mirrored.sync()
    first = mirrored.clock.now()
    assert changed() == first
    mirrored.clock.pass_time(2 * 86_400)
    assert changed() == first + timedelta(days=1), "v2 ended"
    mirrored.service.put(vacancy("v1", stage="Draft"))
    mirrored.sync()
    assert changed() == mirrored.clock.now()
