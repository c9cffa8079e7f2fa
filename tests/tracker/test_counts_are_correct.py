"""stageTotals, commentCount, noteCount and the activity of a candidate follow each change."""

from tests.parts import tracker_edits
from tests.told_clock import ToldClock
from tests.tracker.office import Json, Office


def totals(office: Office, vacancy: str) -> dict[str, float]:
    shown = office.recruiter.get(f"/vacancies/{vacancy}").json()["stageTotals"]
    assert shown["viewType"] == "vacancyStageTotals"
    return {entry["id"]: entry["total"] for entry in shown["totals"]}


def application(known_as: str, vacancy: str, stage: str, **more: object) -> tuple[str, Json]:
    where = {"vacancy": {"id": vacancy}, "stage": {"id": stage}, "candidate": {"id": f"c-{known_as}"}}
    return "application", {"id": known_as, **where, **more}


def test_a_new_vacancy_lists_every_stage_with_zero(office: Office):
    found = totals(office, office.add_vacancy())
    assert list(found) == ["new", "screening", "interview", "offer", "hired", "rejected"]
    assert set(found.values()) == {0}


def test_applications_are_counted_in_their_stage(office: Office):
    vacancy = office.add_vacancy()
    office.apply(vacancy)
    office.apply(vacancy, email="bo@people.example")
    office.load(application("a1", vacancy, "offer"), application("a2", vacancy, "gone"))
    found = totals(office, vacancy)
    assert (found["new"], found["offer"], found["gone"], found["hired"]) == (2, 1, 1, 0)


def test_new_applications_are_added_to_loaded_totals(office: Office):
    entry = {"type": "new", "id": "new", "name": "New", "order": 0, "total": 3}
    office.load(
        application("a1", "v1", "new"),
        ("vacancy", {"id": "v1", "stageTotals": {"viewType": "vacancyStageTotals", "totals": [entry]}}),
    )
    assert totals(office, "v1") == {"new": 3}
    office.apply("v1")
    assert totals(office, "v1") == {"new": 4}
    tracker_edits.delete_candidate(office.database, office.clock, office.slug, "c-a1")


def test_a_removed_candidate_is_no_longer_counted(office: Office):
    vacancy = office.add_vacancy()
    office.apply(vacancy)
    [ada] = office.candidates()
    assert tracker_edits.delete_candidate(office.database, office.clock, office.slug, ada["id"])
    assert totals(office, vacancy)["new"] == 0
    assert office.applications(vacancy) == []
    assert not tracker_edits.delete_candidate(office.database, office.clock, office.slug, ada["id"])


def test_comments_and_notes_are_counted(office: Office):
    vacancy = office.add_vacancy()
    comments = [{"id": f"k{n}", "content": "Good"} for n in range(3)]
    notes = {"notes": [{"noteId": "n1"}, {"noteId": "n2"}]}
    office.load(application("a1", vacancy, "new", comments=comments, notes=notes))
    [summary] = office.applications(vacancy)
    assert (summary["commentCount"], summary["noteCount"]) == (3, 2)
    assert office.recruiter.get("/applications/a1").json()["commentCount"] == 3


def test_the_next_interview_is_the_earliest_in_the_future(office: Office, clock: ToldClock):
    vacancy = office.add_vacancy()
    starts = ["2026-05-01T00:00:00Z", "2026-07-02T00:00:00Z", "2026-07-01T10:00:00+09:00"]
    interviews = [{"id": f"i{n}", "startTime": at} for n, at in enumerate(starts)]
    office.load(application("a1", vacancy, "new", interviews=interviews))
    assert office.applications(vacancy)[0]["nextInterview"]["id"] == "i2"
    clock.pass_time(30 * 86_400)
    assert office.applications(vacancy)[0]["nextInterview"]["id"] == "i1"
    clock.pass_time(31 * 86_400)
    assert office.applications(vacancy)[0]["nextInterview"] is None


def test_an_application_is_an_activity_of_the_candidate(office: Office, clock: ToldClock):
    office.apply(office.add_vacancy())
    before = office.candidates()[0]
    clock.pass_time(60)
    vacancy = office.add_vacancy()
    office.apply(vacancy)
    [after] = office.candidates()
    assert after["lastActivityDate"] > before["lastActivityDate"]
    assert after["modifiedAt"] == after["lastActivityDate"]
    assert office.applications(vacancy)[0]["candidate"]["lastActivityAt"] == after["lastActivityDate"]
    again = [c["id"] for c in office.walk("/candidates", modifiedSince=after["modifiedAt"])]
    assert again == [after["id"]]
