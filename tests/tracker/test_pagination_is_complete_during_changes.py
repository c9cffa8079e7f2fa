"""§4.11: pagination over records that change meanwhile."""

from datetime import datetime, timedelta

import pytest

from tests.parts import tracker_edits
from tests.told_clock import ToldClock
from tests.tracker.office import Office


def fill(office: Office, many: int) -> list[str]:
    office.load(*[("vacancy", {"id": f"v{n}", "name": {"name": f"Job {n}"}}) for n in range(many)])
    office.load(*[("candidate", {"id": f"c{n}", "name": {"firstName": f"P{n}"}}) for n in range(many)])
    return [str(n) for n in range(many)]


@pytest.mark.parametrize("path", ["/vacancies", "/candidates"])
@pytest.mark.parametrize("limit", [1, 7, 25, 50])
def test_every_record_is_returned_once(office: Office, path: str, limit: int):
    wanted = fill(office, 30)
    assert [record["id"][1:] for record in office.walk(path, limit=limit)] == wanted


def test_a_page_has_25_records_by_default(office: Office):
    fill(office, 30)
    assert len(office.recruiter.get("/vacancies").json()["items"]) == 25


def test_the_last_page_is_marked(office: Office):
    fill(office, 2)
    info = office.recruiter.get("/vacancies", params={"limit": 2}).json()["pageInfo"]
    assert info == {"nextCursor": None, "hasNextPage": False}
    info = office.recruiter.get("/vacancies", params={"limit": 1}).json()["pageInfo"]
    assert info["hasNextPage"] is True
    assert datetime.fromisoformat(info["nextCursor"]).tzinfo is not None


@pytest.mark.parametrize("limit", ["0", "51", "-1", "1.5", "x", "", "1&limit=2", "٣"])
@pytest.mark.parametrize("path", ["/vacancies", "/candidates"])
def test_an_invalid_limit_is_rejected(sqlite_office: Office, path: str, limit: str):
    answer = sqlite_office.recruiter.get(f"{path}?limit={limit}")
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["parameter"] == "limit"


def test_records_changed_meanwhile_are_returned_again_and_none_is_missed(office: Office):
    fill(office, 12)
    first = office.recruiter.get("/vacancies", params={"limit": 5}).json()
    for vacancy in ("v0", "v4", "v5", "v11"):
        assert tracker_edits.update_vacancy(office.database, office.clock, office.slug, vacancy, name="New name")
    rest = list(office.walk("/vacancies", limit=5, cursor=first["pageInfo"]["nextCursor"]))
    assert [record["id"] for record in rest] == ["v6", "v7", "v8", "v9", "v10", "v0", "v4", "v5", "v11"]
    assert rest[-1]["name"]["name"] == "New name"


def test_a_record_removed_between_pages_hides_no_others(office: Office):
    fill(office, 6)
    cursor = office.recruiter.get("/vacancies", params={"limit": 3}).json()["pageInfo"]["nextCursor"]
    assert tracker_edits.delete_vacancy(office.database, office.clock, office.slug, "v3")
    assert [record["id"] for record in office.walk("/vacancies", cursor=cursor)] == ["v4", "v5"]


def test_simultaneous_writes_get_different_times(office: Office):
    """The clock stands still, but each record has a different time."""
    fill(office, 3)
    cursors = []
    params: dict[str, object] = {"limit": 1}
    for _ in range(2):
        cursors.append(office.recruiter.get("/vacancies", params=params).json()["pageInfo"]["nextCursor"])
        params["cursor"] = cursors[-1]
    later, earlier = datetime.fromisoformat(cursors[1]), datetime.fromisoformat(cursors[0])
    assert later - earlier == timedelta(microseconds=1)


def test_modified_since_is_inclusive(office: Office, clock: ToldClock):
    office.add_vacancy(name="Old")
    clock.pass_time(3600)
    at = clock.now()
    office.add_vacancy(name="New")

    def names(since: datetime) -> list[str]:
        return [r["name"]["name"] for r in office.walk("/vacancies", modifiedSince=since.isoformat())]

    assert names(at) == ["New"]
    assert names(at + timedelta(microseconds=1)) == []
    assert names(at - timedelta(hours=2)) == ["Old", "New"]


def test_a_clock_set_back_moves_no_record_back(office: Office, clock: ToldClock):
    office.add_vacancy(name="First")
    cursor_before = clock.now()
    clock.pass_time(-600)
    office.add_vacancy(name="Second")
    found = [r["name"]["name"] for r in office.walk("/vacancies", modifiedSince=cursor_before.isoformat())]
    assert found == ["First", "Second"]


@pytest.mark.parametrize("cursor", ["", "yesterday", "2026-01-01", "1767225600", "2026-01-01T00:00:00+99:00"])
def test_a_damaged_vacancy_cursor_is_rejected(sqlite_office: Office, cursor: str):
    assert sqlite_office.recruiter.get("/vacancies", params={"cursor": cursor}).status_code == 400


def test_a_damaged_or_foreign_candidate_cursor_is_rejected(office: Office):
    fill(office, 2)
    neighbour = office.neighbour()
    neighbour.load(("candidate", {"id": "n1"}), ("candidate", {"id": "n2"}))
    ours = office.recruiter.get("/candidates", params={"limit": 1}).json()["pageInfo"]["nextCursor"]
    foreign = neighbour.recruiter.get("/candidates", params={"limit": 1}).json()["pageInfo"]["nextCursor"]
    damaged = [foreign, ours[:-4], ours[:8] + "AAAA" + ours[12:], "", "é", "====", ours + "=", "MTIz"]
    for cursor in damaged:
        assert office.recruiter.get("/candidates", params={"cursor": cursor}).status_code == 400, cursor
    assert office.recruiter.get("/candidates", params={"cursor": ours}).status_code == 200
