import httpx
import pytest

from portal.errors import UpstreamError
from portal.vacancies import mirror
from portal.vacancies.posting import Closed, Posting
from tests.vacancies.conftest import Mirror
from tests.vacancies.standin import vacancy


@pytest.fixture
def two(mirrored: Mirror) -> Mirror:
    mirrored.service.put(vacancy("open", "Nurse"))
    mirrored.service.put(vacancy("hot", "Doctor", stage="Hot", attributes=[("posting", "HOT-1")]))
    mirrored.sync()
    return mirrored


def wants(mirrored: Mirror) -> list[bool]:
    found = mirror.due(mirrored.database, [mirrored.tenant], mirrored.clock.now(), 60, 86_400)
    return [full for _, full in found]


def test_a_stage_that_is_no_longer_published_is_hidden_at_once(two: Mirror):
    two.publish(stages=frozenset({"Hot"}))
    assert isinstance(two.posting("open"), Closed)
    assert two.titles() == []
    assert two.find().total == 0


def test_a_stage_that_is_published_now_appears_with_the_next_pass(two: Mirror):
    two.publish(stages=frozenset({"Open", "Hot"}))
    assert wants(two) == [True]
    two.sync()
    assert set(two.titles()) == {"Nurse", "Doctor"}
    assert two.titles("doctor") == ["Doctor"]
    assert wants(two) == []


def test_even_while_the_service_is_down(two: Mirror):
    two.publish(stages=frozenset({"Hot"}))
    two.service.fault = lambda _: httpx.Response(500)
    with pytest.raises(UpstreamError):
        two.sync()
    assert two.titles() == ["Doctor"]
    assert sum(choice.count for choice in two.find().cities) == 1


def test_without_a_stage_nothing_is_public(two: Mirror):
    two.publish(stages=frozenset())
    assert two.find().total == 0
    assert isinstance(two.posting("open"), Closed)
    two.sync()
    assert two.find().total == 0


def test_salary_and_client_appear_and_vanish(two: Mirror):
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


def test_the_posting_id_may_become_an_attribute(two: Mirror):
    two.publish(stages=frozenset({"Hot"}), posting_attribute="posting")
    two.sync()
    assert isinstance(two.posting("HOT-1"), Posting)
    assert [hit.posting.id for hit in two.find().hits] == ["HOT-1"]
