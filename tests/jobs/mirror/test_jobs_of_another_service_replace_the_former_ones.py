"""If a tenant gets another service, or another company's key, only that company's jobs are shown."""

from dataclasses import replace

import pytest

from portal.jobs.posting import Closed, Posting
from tests.jobs.conftest import Mirror
from tests.jobs.standin import StandIn, vacancy

OTHER = {"base_url": "https://other.example", "api_key": "o" * 20}


@pytest.fixture
def nurses(mirrored: Mirror) -> Mirror:
    for number in range(10):
        mirrored.service.put(vacancy(f"v{number}", "Nurse"))
    mirrored.sync()
    mirrored.clock.pass_time(60)
    return mirrored


def moves(mirrored: Mirror, *ids: str, **link: str) -> None:
    """Make the tenant's file name another service, which has these jobs."""
    mirrored.tenant = replace(mirrored.tenant, tracker=replace(mirrored.tenant.tracker, **link))
    mirrored.service = StandIn(mirrored.clock)
    for one in ids:
        mirrored.service.put(vacancy(one, "Carpenter"))


@pytest.mark.parametrize("changed", OTHER)
def test_the_next_sync_shows_only_the_new_services_jobs(nurses: Mirror, changed: str):
    moves(nurses, "w0", "w1", **{changed: OTHER[changed]})
    assert nurses.wanted() == [("acme", True)]
    assert nurses.sync().alarms == []
    assert nurses.titles() == ["Carpenter", "Carpenter"]
    assert nurses.find().total == 2
    assert isinstance(nurses.posting("v1"), Closed)
    assert nurses.wanted() == []


def test_an_empty_list_of_the_new_service_is_not_accepted(nurses: Mirror):
    moves(nurses, base_url=OTHER["base_url"])
    (alarm,) = nurses.sync().alarms
    assert "portal sync acme --full" in alarm
    assert nurses.find().total == 10


def test_later_deletions_are_limited_as_before(nurses: Mirror):
    moves(nurses, "w0", "w1", "w2", base_url=OTHER["base_url"])
    nurses.sync()
    nurses.service.delete("w0")
    nurses.service.delete("w1")
    assert len(nurses.sync(full=True).alarms) == 1
    assert isinstance(nurses.posting("w1"), Posting)


def test_another_rule_with_the_same_service_is_not_another_company(nurses: Mirror):
    nurses.publish(show_salary=True)
    for number in range(6):
        nurses.service.delete(f"v{number}")
    assert len(nurses.sync().alarms) == 1
    assert nurses.find().total == 10


@pytest.mark.parametrize("facets", [{}, {"team": "team"}])
def test_a_company_that_rotates_its_key_is_no_other_company(nurses: Mirror, facets: dict[str, str]):
    nurses.publish(facets=facets)
    nurses.sync()
    nurses.tenant = replace(nurses.tenant, tracker=replace(nurses.tenant.tracker, api_key=OTHER["api_key"]))
    for number in range(6):
        nurses.service.delete(f"v{number}")
    nurses.service.put(vacancy("v10", "Nurse"))
    assert len(nurses.sync().alarms) == 1
    assert nurses.find().total == 11


def test_the_right_key_after_another_companys_shows_the_right_jobs(nurses: Mirror):
    right, link = nurses.service, nurses.tenant.tracker
    moves(nurses, "w0", "w1", api_key=OTHER["api_key"])
    nurses.sync()
    nurses.service, nurses.tenant = right, replace(nurses.tenant, tracker=link)
    nurses.clock.pass_time(60)
    assert nurses.sync().alarms == []
    assert nurses.titles() == ["Nurse"] * 10


def test_the_key_itself_is_not_stored(nurses: Mirror):
    with nurses.database.read() as connection:
        (row,) = connection.exec_driver_sql("SELECT rules FROM passes").all()
    assert len(row[0]) == 32
    assert nurses.tenant.tracker.api_key not in row[0]
