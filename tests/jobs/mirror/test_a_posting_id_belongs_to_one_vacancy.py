import httpx
import pytest

from portal.jobs.mirror import state
from portal.jobs.posting import Closed, Posting
from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy


@pytest.fixture
def by_attribute(mirrored: Mirror) -> Mirror:
    mirrored.publish(posting_attribute="posting")
    return mirrored


def put(mirrored: Mirror, vacancy_id: str, posting: object, title: str = "Nurse", stage: str = "Open") -> None:
    mirrored.service.put(vacancy(vacancy_id, title, stage=stage, attributes=[("other", "x"), ("posting", posting)]))
    mirrored.clock.pass_time(1)


def problems(mirrored: Mirror) -> list[str]:
    return state.problems(mirrored.database, mirrored.tenant, mirrored.clock.now())


def test_the_attribute_contains_the_posting_id(by_attribute: Mirror):
    put(by_attribute, "v1", "NURSE-7")
    put(by_attribute, "v2", 42)
    by_attribute.sync()
    assert isinstance(by_attribute.posting("NURSE-7"), Posting)
    assert isinstance(by_attribute.posting("42"), Posting)
    assert by_attribute.posting("v1") is None


def test_of_two_vacancies_with_one_id_neither_is_public_and_both_are_reported(by_attribute: Mirror):
    put(by_attribute, "v1", "NURSE-7")
    by_attribute.sync()
    put(by_attribute, "v2", "NURSE-7", "Surgeon")
    by_attribute.sync()
    assert by_attribute.find().total == 0
    assert isinstance(by_attribute.posting("NURSE-7"), Closed)
    assert problems(by_attribute) == ["posting id NURSE-7: claimed by vacancies v1, v2, so none of them is public"]


@pytest.mark.parametrize("end", ["stage", "attribute", "deleted"])
def test_the_other_vacancy_is_public_again_when_one_changes_its_id(by_attribute: Mirror, end: str):
    put(by_attribute, "v1", "NURSE-7")
    put(by_attribute, "v2", "NURSE-7", "Surgeon")
    put(by_attribute, "v3", "OTHER", "Baker")
    by_attribute.sync()
    if end == "deleted":
        by_attribute.service.delete("v2")
    else:
        put(
            by_attribute,
            "v2",
            "NURSE-8" if end == "attribute" else "NURSE-7",
            "Surgeon",
            "Filled" if end == "stage" else "Open",
        )
    by_attribute.sync(full=end == "deleted")
    shown = by_attribute.posting("NURSE-7")
    assert isinstance(shown, Posting)
    assert shown.title == "Nurse"
    assert problems(by_attribute) == []
    assert by_attribute.titles("nurse") == ["Nurse"]


def test_an_unpublished_vacancy_claims_no_id(by_attribute: Mirror):
    put(by_attribute, "v1", "NURSE-7", stage="Filled")
    put(by_attribute, "v2", "NURSE-7", "Nurse again")
    by_attribute.sync()
    shown = by_attribute.posting("NURSE-7")
    assert isinstance(shown, Posting)
    assert shown.title == "Nurse again"


@pytest.mark.parametrize("posting", ["", "a/b", "../x", "a b", "ü", "x" * 101, None, ["a"], {"a": 1}, True, 1.5])
def test_an_id_that_is_invalid_in_an_address_is_reported(by_attribute: Mirror, posting: object):
    put(by_attribute, "v1", posting)
    by_attribute.sync()
    assert by_attribute.find().total == 0
    assert problems(by_attribute) == ["no usable posting id, so not public: v1"]


def test_a_change_of_the_attribute_alone_is_noticed(by_attribute: Mirror):
    put(by_attribute, "v1", "NURSE-7")
    by_attribute.sync()
    by_attribute.clock.pass_time(60)
    put(by_attribute, "v1", "NURSE-8")
    by_attribute.sync()
    assert isinstance(by_attribute.posting("NURSE-8"), Posting)
    assert not isinstance(by_attribute.posting("NURSE-7"), Posting)


def test_details_are_requested_only_where_they_are_needed(by_attribute: Mirror):
    put(by_attribute, "v1", "NURSE-7")
    put(by_attribute, "v2", "X", stage="Draft")
    by_attribute.sync()
    details = [r.url.path for r in by_attribute.service.requests if r.url.path != "/vacancies"]
    assert details == ["/vacancies/v1"]
    by_attribute.clock.pass_time(3_600)
    by_attribute.sync()
    by_attribute.clock.pass_time(60)
    by_attribute.service.requests.clear()
    by_attribute.sync(full=True)
    assert [r.url.path for r in by_attribute.service.requests] == ["/vacancies", "/vacancies"]
    by_attribute.service.requests.clear()
    by_attribute.sync()
    assert len(by_attribute.service.requests) == 1


def test_a_vacancy_deleted_during_a_sync_stays_until_a_full_sync(by_attribute: Mirror):
    put(by_attribute, "v1", "NURSE-7")
    put(by_attribute, "v2", "OTHER")
    by_attribute.sync()
    by_attribute.clock.pass_time(60)
    put(by_attribute, "v1", "NURSE-7", "Night nurse")
    by_attribute.service.fault = lambda request: httpx.Response(404) if request.url.path.endswith("v1") else None
    by_attribute.sync()
    assert isinstance(by_attribute.posting("NURSE-7"), Posting)
    by_attribute.service.fault = None
    by_attribute.service.delete("v1")
    by_attribute.sync(full=True)
    assert isinstance(by_attribute.posting("NURSE-7"), Closed)


def test_no_details_are_requested_without_an_attribute(mirrored: Mirror):
    put(mirrored, "v1", "NURSE-7")
    mirrored.sync()
    assert [r.url.path for r in mirrored.service.requests] == ["/vacancies"]
    assert isinstance(mirrored.posting("v1"), Posting)
