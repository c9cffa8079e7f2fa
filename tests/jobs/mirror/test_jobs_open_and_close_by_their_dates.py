from portal.jobs.mirror import version
from portal.jobs.posting import Closed, Posting
from tests.jobs.conftest import Mirror
from tests.jobs.standin import iso, vacancy


def tag(mirrored: Mirror) -> str:
    return version.current(mirrored.database, "acme", mirrored.clock.now()).tag


def test_list_page_and_version_change_in_the_same_second(mirrored: Mirror):
    now = mirrored.clock.now()
    mirrored.service.put(vacancy("v1", start_at=iso(now, seconds=100), end_at=iso(now, seconds=200)))
    mirrored.sync()
    seen = []
    for _ in range(3):
        current = version.current(mirrored.database, "acme", mirrored.clock.now())
        shown = mirrored.posting("v1")
        seen.append((type(shown), mirrored.find().total, sum(c.count for c in mirrored.find().cities), current.until))
        if current.until:
            wait = (current.until - mirrored.clock.now()).total_seconds()
            before = current.tag
            mirrored.clock.pass_time(wait - 1)
            assert tag(mirrored) == before
            assert type(mirrored.posting("v1")) is type(shown)
            mirrored.clock.pass_time(1)
            assert tag(mirrored) != before
    opens, closes = mirrored.clock.now().replace(minute=1, second=40), mirrored.clock.now().replace(minute=3, second=20)
    assert seen == [(type(None), 0, 0, opens), (Posting, 1, 1, closes), (Closed, 0, 0, None)]


def test_a_job_that_was_never_public_is_unknown_instead_of_closed(mirrored: Mirror):
    mirrored.service.put(vacancy("draft", stage="Draft"))
    mirrored.service.put(vacancy("later", start_at=iso(mirrored.clock.now(), days=3)))
    mirrored.sync()
    assert mirrored.posting("draft") is None
    assert mirrored.posting("later") is None
    assert mirrored.posting("nothing") is None
    assert mirrored.posting("../etc") is None


def test_a_job_whose_stage_changed_is_closed(mirrored: Mirror):
    mirrored.service.put(vacancy("v1"))
    mirrored.sync()
    mirrored.clock.pass_time(60)
    mirrored.service.put(vacancy("v1", stage="Filled"))
    mirrored.sync()
    assert isinstance(mirrored.posting("v1"), Closed)


def test_a_job_that_was_postponed_is_closed_until_its_date(mirrored: Mirror):
    mirrored.service.put(vacancy("v1"))
    mirrored.sync()
    mirrored.clock.pass_time(60)
    mirrored.service.put(vacancy("v1", start_at=iso(mirrored.clock.now(), hours=1)))
    mirrored.sync()
    assert isinstance(mirrored.posting("v1"), Closed)
    mirrored.clock.pass_time(3_600)
    assert isinstance(mirrored.posting("v1"), Posting)


def test_a_job_that_ends_before_it_starts_is_never_public(mirrored: Mirror):
    now = mirrored.clock.now()
    mirrored.service.put(vacancy("v1", start_at=iso(now, hours=-1), end_at=iso(now, hours=-2)))
    mirrored.sync()
    assert mirrored.posting("v1") is None
    assert mirrored.find().total == 0


def test_a_closed_job_links_to_similar_open_ones(mirrored: Mirror):
    mirrored.service.put(vacancy("gone", "Senior Nurse", location={"city": "Wien", "country": "AT"}))
    mirrored.service.put(vacancy("same", "Nurse (nights)", location={"city": "Wien", "country": "AT"}))
    mirrored.service.put(vacancy("far", "Nurse", location={"city": "Paris", "country": "FR"}))
    mirrored.service.put(vacancy("near", "Baker", location={"city": "Wien", "country": "AT"}))
    mirrored.service.put(vacancy("other", "Pilot", location={"city": "Rom", "country": "IT"}))
    mirrored.sync()
    mirrored.service.delete("gone")
    mirrored.sync(full=True, force=True)
    closed = mirrored.posting("gone")
    assert isinstance(closed, Closed)
    assert closed.title == "Senior Nurse"
    assert [hit.posting.id for hit in closed.similar] == ["same", "far", "near"]


def test_the_version_is_unchanged_when_nothing_public_changes(mirrored: Mirror):
    mirrored.service.put(vacancy("v1"))
    mirrored.sync()
    before = tag(mirrored)
    mirrored.clock.pass_time(60)
    mirrored.service.put(vacancy("v2", stage="Draft"))
    mirrored.sync()
    assert tag(mirrored) == before
    mirrored.clock.pass_time(60)
    mirrored.service.put(vacancy("v1", "Another title"))
    mirrored.sync()
    assert tag(mirrored) != before
