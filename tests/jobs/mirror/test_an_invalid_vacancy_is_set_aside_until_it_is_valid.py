import httpx

from portal.jobs.mirror import state
from portal.jobs.posting import Posting
from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy


def listed(mirrored: Mirror) -> list[str]:
    return [each.vacancy_id for each in state.set_aside(mirrored.database, "acme")]


def test_other_vacancies_of_the_page_are_synced(mirrored: Mirror):
    mirrored.service.put(vacancy("good"))
    mirrored.service.put(vacancy("bad", "x") | {"name": 7})
    mirrored.service.put(vacancy("nameless", " "))
    report = mirrored.sync()
    assert report.bad == 2
    assert [hit.posting.id for hit in mirrored.find().hits] == ["good"]
    assert listed(mirrored) == ["bad", "nameless"]


def test_a_vacancy_that_became_invalid_keeps_its_last_valid_content(mirrored: Mirror):
    mirrored.service.put(vacancy("v1", "Nurse"))
    mirrored.sync()
    mirrored.clock.pass_time(60)
    mirrored.service.put(vacancy("v1", "Doctor") | {"endAt": {"endAt": "soon"}})
    mirrored.sync()
    mirrored.sync(full=True)
    assert mirrored.titles() == ["Nurse"]
    assert listed(mirrored) == ["v1"]


def test_a_vacancy_leaves_the_list_of_problems_when_it_is_valid_again(mirrored: Mirror):
    mirrored.service.put(vacancy("v1") | {"name": 7})
    mirrored.sync()
    mirrored.clock.pass_time(60)
    mirrored.service.put(vacancy("v1", "Doctor"))
    mirrored.sync()
    assert listed(mirrored) == []
    assert isinstance(mirrored.posting("v1"), Posting)


def test_a_vacancy_leaves_the_list_of_problems_when_it_is_deleted(mirrored: Mirror):
    mirrored.service.put(vacancy("v1") | {"name": 7})
    mirrored.service.put(vacancy("v2"))
    mirrored.sync()
    mirrored.service.delete("v1")
    mirrored.sync(full=True)
    assert listed(mirrored) == []


def test_a_vacancy_without_an_id_prevents_deletions(mirrored: Mirror):
    for number in range(10):
        mirrored.service.put(vacancy(f"v{number}"))
    mirrored.sync()
    record = mirrored.service.records["v1"][1]
    record["id"] = {"not": "an id"}
    report = mirrored.sync(full=True)
    assert (report.withdrawn, len(report.alarms)) == (0, 1)
    assert isinstance(mirrored.posting("v1"), Posting)
    record["id"] = "v1"
    assert mirrored.sync(full=True).alarms == []
    assert listed(mirrored) == []


def test_the_same_invalid_vacancy_is_recorded_once(mirrored: Mirror):
    mirrored.service.put(vacancy("v1") | {"name": 7})
    mirrored.sync()
    since = state.set_aside(mirrored.database, "acme")[0].since
    mirrored.clock.pass_time(60)
    mirrored.sync()
    mirrored.sync(full=True)
    assert [each.since for each in state.set_aside(mirrored.database, "acme")] == [since]


def test_a_vacancy_with_unreadable_details_is_requested_until_it_is_readable(mirrored: Mirror):
    """After the service recovers, its list of changes no longer contains the vacancy."""
    mirrored.publish(posting_attribute="posting")
    mirrored.service.put(vacancy("v1", attributes=[("posting", "NURSE-1")]))
    mirrored.service.put(vacancy("v2", attributes=[("posting", "NURSE-2")]))
    mirrored.sync()
    mirrored.clock.pass_time(600)
    mirrored.service.put(vacancy("v1", "Doctor", attributes=[("posting", "DOCTOR-1")]))
    page = "<html></html>"
    mirrored.service.fault = lambda request: (
        httpx.Response(200, html=page) if request.url.path == "/vacancies/v1" else None
    )
    for _ in range(3):
        mirrored.clock.pass_time(1_200)
        mirrored.sync()
        assert listed(mirrored) == ["v1"]
        assert isinstance(mirrored.posting("NURSE-1"), Posting)
    mirrored.service.fault = None
    mirrored.clock.pass_time(1_200)
    report = mirrored.sync()
    assert not report.full
    assert listed(mirrored) == []
    assert mirrored.titles("doctor") == ["Doctor"]
    mirrored.service.requests.clear()
    mirrored.sync()
    assert len(mirrored.service.requests) == 1
