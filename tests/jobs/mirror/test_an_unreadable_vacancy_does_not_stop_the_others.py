"""If the details of a vacancy cannot be read, the others are synced, and its details are requested again."""

from collections.abc import Callable

import httpx
import pytest

from portal.adapters.tracker_client.errors import TrackerError
from portal.jobs.mirror import state
from portal.jobs.posting import Posting
from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy

WRONG = {
    "500": httpx.Response(500, text="oops"),
    "503": httpx.Response(503),
    "404": httpx.Response(404, json={"title": "no"}),
    "403": httpx.Response(403),
    "redirected": httpx.Response(302, headers={"Location": "/login"}),
    "malformed": httpx.Response(200, json=vacancy("v1", "Doctor") | {"customAttributes": 7}),
    "not JSON": httpx.Response(200, content=b"{", headers={"Content-Type": "application/json"}),
}


def nurses(*ids: str, word: str = "Nurse") -> list[dict[str, object]]:
    return [vacancy(one, f"{word} {one}", attributes=[("posting", f"{word}-{one}")]) for one in ids]


@pytest.fixture
def three(mirrored: Mirror) -> Mirror:
    """Three jobs, public under the ids of an attribute; an hour later all of them change."""
    mirrored.publish(posting_attribute="posting")
    for one in nurses("v0", "v1", "v2"):
        mirrored.service.put(one)
    mirrored.sync()
    mirrored.clock.pass_time(3_600)
    for one in nurses("v0", "v1", "v2", word="Doctor"):
        mirrored.service.put(one)
    return mirrored


def detail_of(vacancy_id: str, answer: httpx.Response) -> Callable[[httpx.Request], httpx.Response | None]:
    return lambda request: answer if request.url.path == f"/vacancies/{vacancy_id}" else None


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_others_are_synced_and_the_unreadable_one_keeps_its_last_valid_content(three: Mirror, wrong: httpx.Response):
    three.service.fault = detail_of("v1", wrong)
    for full in (False, True, False):
        report = three.sync(full=full)
        assert report.bad == 1
        assert sorted(three.titles()) == ["Doctor v0", "Doctor v2", "Nurse v1"]
        assert isinstance(three.posting("Nurse-v1"), Posting)
        (told,) = state.problems(three.database, three.tenant, three.clock.now())
        assert told.startswith("vacancy v1 was set aside: its detail cannot be read: ")
        three.clock.pass_time(3_600)


@pytest.mark.parametrize("full", [False, True])
def test_it_is_correct_after_the_first_sync_that_can_read_it(three: Mirror, *, full: bool):
    three.service.fault = detail_of("v1", WRONG["500"])
    three.sync()
    three.clock.pass_time(3_600)
    three.service.fault = None
    three.sync(full=full)
    assert sorted(three.titles()) == ["Doctor v0", "Doctor v1", "Doctor v2"]
    assert state.problems(three.database, three.tenant, three.clock.now()) == []


@pytest.mark.parametrize("full", [False, True])
def test_a_vacancy_with_only_a_changed_attribute_is_requested_again(three: Mirror, *, full: bool):
    three.sync()
    three.clock.pass_time(3_600)
    three.service.put(vacancy("v1", "Doctor v1", attributes=[("posting", "CHIEF")]))
    three.service.fault = detail_of("v1", WRONG["500"])
    three.sync(full=full)
    three.clock.pass_time(3_600)
    three.sync(full=True)
    assert isinstance(three.posting("Doctor-v1"), Posting)
    three.service.fault = None
    three.sync(full=full)
    assert isinstance(three.posting("CHIEF"), Posting)


def test_twelve_unreadable_vacancies_do_not_stop_the_others(mirrored: Mirror):
    mirrored.publish(posting_attribute="posting")
    for one in nurses(*(f"v{number}" for number in range(13))):
        mirrored.service.put(one)
    mirrored.service.fault = lambda request: (
        httpx.Response(200, json=vacancy(request.url.path.removeprefix("/vacancies/")) | {"customAttributes": 7})
        if request.url.path.startswith("/vacancies/") and request.url.path != "/vacancies/v7"
        else None
    )
    for _ in range(3):
        assert mirrored.sync().bad == 12
        mirrored.clock.pass_time(3_600)
    assert mirrored.titles() == ["Nurse v7"]


def test_a_sync_fails_if_no_details_are_readable_at_all(mirrored: Mirror):
    mirrored.publish(posting_attribute="posting")
    for one in nurses(*(f"v{number}" for number in range(12))):
        mirrored.service.put(one)
    mirrored.service.fault = lambda request: WRONG["500"] if request.url.path.startswith("/vacancies/") else None
    with pytest.raises(TrackerError):
        mirrored.sync()
    assert state.set_aside(mirrored.database, "acme") == []
    mirrored.service.fault = None
    mirrored.sync()
    assert len(mirrored.titles()) == 12
