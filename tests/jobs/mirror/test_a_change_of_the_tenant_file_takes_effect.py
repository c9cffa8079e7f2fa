import httpx
import pytest

from portal.adapters.tracker_client.errors import TrackerError
from portal.jobs.posting import Closed, Posting
from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy


@pytest.fixture
def two(mirrored: Mirror) -> Mirror:
    mirrored.service.put(vacancy("open", "Nurse"))
    mirrored.service.put(vacancy("hot", "Doctor", stage="Hot", attributes=[("posting", "HOT-1")]))
    mirrored.sync()
    return mirrored


def wants(mirrored: Mirror) -> list[bool]:
    return [full for _, full in mirrored.wanted()]


def test_jobs_of_a_stage_that_is_no_longer_published_are_hidden_immediately(two: Mirror):
    two.publish(stages=frozenset({"Hot"}))
    assert isinstance(two.posting("open"), Closed)
    assert two.titles() == []
    assert two.find().total == 0


def test_jobs_of_a_newly_published_stage_appear_with_the_next_sync(two: Mirror):
    two.publish(stages=frozenset({"Open", "Hot"}))
    assert wants(two) == [True]
    two.sync()
    assert set(two.titles()) == {"Nurse", "Doctor"}
    assert two.titles("doctor") == ["Doctor"]
    assert wants(two) == []


def test_a_change_takes_effect_while_the_service_is_unavailable(two: Mirror):
    two.publish(stages=frozenset({"Hot"}))
    two.service.fault = lambda _: httpx.Response(500)
    with pytest.raises(TrackerError):
        two.sync()
    assert two.titles() == ["Doctor"]
    assert sum(choice.count for choice in two.find().cities) == 1


def test_without_a_stage_no_job_is_public(two: Mirror):
    two.publish(stages=frozenset())
    assert two.find().total == 0
    assert isinstance(two.posting("open"), Closed)
    two.sync()
    assert two.find().total == 0


def test_salary_and_client_can_be_shown_and_hidden(two: Mirror):
    two.publish(show_salary=True, show_client=True)
    two.sync()
    found = two.posting("open")
    assert isinstance(found, Posting)
    assert (found.client, found.salary and found.salary.low) == ("Initech", 40_000)
    assert two.titles("initech") == ["Nurse"]
    two.publish(show_salary=False, show_client=False)
    found = two.posting("open")
    assert isinstance(found, Posting)
    assert (found.client, found.salary) == (None, None)
    two.sync()
    assert two.titles("initech") == []


def test_the_posting_id_can_be_changed_to_an_attribute(two: Mirror):
    two.publish(stages=frozenset({"Hot"}), posting_attribute="posting")
    two.sync()
    assert isinstance(two.posting("HOT-1"), Posting)
    assert [hit.posting.id for hit in two.find().hits] == ["HOT-1"]


@pytest.fixture
def by_attribute(mirrored: Mirror) -> Mirror:
    """One job, public under the value of its attribute `old`."""
    mirrored.publish(posting_attribute="old")
    mirrored.service.put(vacancy("v1", "Nurse", attributes=[("old", "OLD-1"), ("new", "NEW-1")]))
    mirrored.sync()
    assert mirrored.titles() == ["Nurse"]
    return mirrored


def test_the_address_under_a_former_attribute_is_reported_as_closed(by_attribute: Mirror):
    by_attribute.publish(posting_attribute="new")
    by_attribute.sync()
    assert isinstance(by_attribute.posting("NEW-1"), Posting)
    closed = by_attribute.posting("OLD-1")
    assert isinstance(closed, Closed)
    assert closed.title == "Nurse"
    assert [hit.posting.id for hit in closed.similar] == ["NEW-1"]


@pytest.mark.parametrize("rule", [None, "nobody has this one"])
def test_an_address_is_closed_if_its_job_lost_the_attribute_or_uses_its_own_id(by_attribute: Mirror, rule: str | None):
    by_attribute.publish(posting_attribute=rule)
    by_attribute.sync()
    assert isinstance(by_attribute.posting("OLD-1"), Closed)
    assert isinstance(by_attribute.posting("v1"), Posting) == (rule is None)


def test_an_address_that_was_never_public_stays_unknown(by_attribute: Mirror):
    by_attribute.service.put(vacancy("v2", "Doctor", stage="Draft", attributes=[("old", "OLD-2"), ("new", "NEW-2")]))
    by_attribute.clock.pass_time(60)
    by_attribute.sync()
    by_attribute.publish(posting_attribute="new")
    by_attribute.sync()
    assert by_attribute.posting("OLD-2") is None
    assert by_attribute.posting("NEW-2") is None


def test_restoring_the_former_attribute_reopens_the_old_address(by_attribute: Mirror):
    for attribute in ("new", "old"):
        by_attribute.publish(posting_attribute=attribute)
        by_attribute.sync()
    assert isinstance(by_attribute.posting("OLD-1"), Posting)
    assert isinstance(by_attribute.posting("NEW-1"), Closed)


def test_a_job_that_takes_over_an_old_address_is_shown_there(by_attribute: Mirror):
    by_attribute.service.put(vacancy("v1", "Nurse", attributes=[("old", "OLD-9")]))
    by_attribute.service.put(vacancy("v2", "Doctor", attributes=[("old", "OLD-1")]))
    by_attribute.clock.pass_time(60)
    by_attribute.sync()
    found = by_attribute.posting("OLD-1")
    assert isinstance(found, Posting)
    assert found.title == "Doctor"


def test_a_filled_job_stays_closed_even_if_its_id_is_in_use(by_attribute: Mirror):
    by_attribute.service.put(vacancy("v1", "Nurse", stage="Filled", attributes=[("old", "OLD-1")]))
    by_attribute.clock.pass_time(60)
    by_attribute.sync()
    assert isinstance(by_attribute.posting("OLD-1"), Closed)
    by_attribute.sync(full=True)
    assert isinstance(by_attribute.posting("OLD-1"), Closed)


def test_jobs_of_a_newly_published_stage_have_their_ids_and_filters(by_attribute: Mirror):
    hot = vacancy("v2", "Doctor", stage="Hot", attributes=[("old", "OLD-2"), ("dep", "Surgery")])
    by_attribute.service.put(hot)
    by_attribute.publish(facets={"Department": "dep"})
    by_attribute.sync()
    by_attribute.clock.pass_time(3_600)
    by_attribute.publish(stages=frozenset({"Open", "Hot"}))
    by_attribute.sync()
    assert isinstance(by_attribute.posting("OLD-2"), Posting)
    assert [choice.value for one in by_attribute.find().attributes for choice in one.choices] == ["Surgery"]
