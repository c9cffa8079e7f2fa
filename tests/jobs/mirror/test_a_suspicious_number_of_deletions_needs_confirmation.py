import pytest

from portal.background.sync.state import is_too_much
from portal.jobs.posting import Closed
from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy


def fill(mirrored: Mirror, many: int) -> None:
    for number in range(many):
        mirrored.service.put(vacancy(f"v{number}", f"Nurse {number}"))
        mirrored.clock.pass_time(1)
    mirrored.sync()


@pytest.mark.parametrize(
    ("missing", "total", "held"),
    [
        (0, 0, False), (0, 9, False), (1, 1, True), (1, 2, False), (1, 3, False), (2, 3, True), (2, 2, True),
        (1, 5, False), (2, 5, True), (2, 10, False), (3, 10, True), (20, 100, False), (21, 100, True), (100, 100, True),
    ],
)  # fmt: skip
def test_a_fifth_or_all_of_the_jobs_is_the_limit(missing: int, total: int, held: bool):
    assert is_too_much(missing, total) is held


def test_an_incremental_sync_finds_no_deletion(mirrored: Mirror):
    fill(mirrored, 10)
    mirrored.service.delete("v1")
    mirrored.clock.pass_time(60)
    assert mirrored.sync().withdrawn == 0
    assert mirrored.find().total == 10


def test_a_full_sync_removes_deleted_jobs(mirrored: Mirror):
    fill(mirrored, 10)
    mirrored.service.delete("v1")
    report = mirrored.sync(full=True)
    assert (report.withdrawn, report.alarms) == (1, [])
    assert mirrored.find().total == 9
    assert mirrored.titles("nurse 1") == []
    assert isinstance(mirrored.posting("v1"), Closed)


def test_too_many_deletions_wait_for_an_operator(mirrored: Mirror):
    fill(mirrored, 10)
    for number in range(5):
        mirrored.service.delete(f"v{number}")
    report = mirrored.sync(full=True)
    assert report.withdrawn == 0
    assert "5 of 10" in report.alarms[0]
    assert "portal sync acme --full" in report.alarms[0]
    assert mirrored.find().total == 10
    confirmed = mirrored.sync(full=True, force=True)
    assert (confirmed.withdrawn, confirmed.alarms) == (5, [])
    assert mirrored.find().total == 5


def test_closed_vacancies_may_be_deleted_in_any_number(mirrored: Mirror):
    fill(mirrored, 3)
    for number in range(100):
        mirrored.service.put(vacancy(f"old{number}", stage="Filled"))
        mirrored.clock.pass_time(1)
    mirrored.sync(full=True)
    for number in range(100):
        mirrored.service.delete(f"old{number}")
    assert mirrored.sync(full=True).withdrawn == 100


def test_a_deleted_job_may_come_back(mirrored: Mirror):
    fill(mirrored, 10)
    record = mirrored.service.records["v1"][1]
    mirrored.service.delete("v1")
    mirrored.sync(full=True)
    mirrored.clock.pass_time(60)
    mirrored.service.put(record)
    mirrored.sync()
    assert mirrored.find().total == 10
    assert mirrored.titles("nurse 1") == ["Nurse 1"]


def test_more_vacancies_of_one_time_than_fit_on_a_page_delete_nothing(mirrored: Mirror):
    for number in range(40):
        mirrored.service.put(vacancy(f"v{number}"))
        mirrored.clock.pass_time(1)
    mirrored.sync()
    at = mirrored.clock.now()
    for number in range(80):
        mirrored.service.put(vacancy(f"import{number}"), at=at)
    mirrored.clock.pass_time(30)
    mirrored.service.put(vacancy("late", "Surgeon"))
    mirrored.clock.pass_time(30)
    report = mirrored.sync()
    assert report.full
    assert report.withdrawn == 0
    assert report.alarms
    assert mirrored.titles("surgeon") == ["Surgeon"]
    assert mirrored.find().total >= 40 + 50 + 1
