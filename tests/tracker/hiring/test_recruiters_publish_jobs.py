"""A recruiter writes, previews, publishes, pauses, closes and reopens a job; the interface shows each step."""

import pytest

from tests.tracker.hiring.job_writing import TEXT, draft, pressed, published, record, recruiter, saved
from tests.tracker.hiring.site import OWNER, HiringSite


def test_a_draft_is_saved_and_not_public(hiring: HiringSite):
    browser = recruiter(hiring)
    address = draft(browser)
    assert list(hiring.office.walk("/vacancies")) == []
    browser.get(address)
    assert TEXT in browser.page
    browser.get("/jobs")
    assert "Welder Draft" in browser.words


def test_a_published_job_has_everything_in_the_interface(hiring_on_both: HiringSite):
    job = record(hiring_on_both, published(recruiter(hiring_on_both)))
    assert job["name"]["name"] == "Welder"
    assert job["description"]["description"] == (
        '<h3>Tasks</h3>\n<p>You <strong>weld</strong> <a href="https://ships.example" rel="nofollow noopener'
        ' noreferrer">ships</a>.</p>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>'
    )
    place = job["location"]["location"]
    assert (place["city"], place["country"]) == ("Leipzig", "DE")
    assert job["salaryRange"]["salaryRange"] == {"currency": "EUR", "min": 30000, "max": 40000}
    assert (job["startAt"]["startAt"], job["endAt"]["endAt"]) == ("2026-12-01T00:00:00Z", "2027-01-31T23:59:59Z")
    assert (job["employmentType"]["employmentType"], job["locationType"]["locationType"]) == ("fullTime", "onsite")
    assert (job["stage"]["stage"]["name"], job["client"]["client"]["name"]) == ("Open", "Acme Robotics")


@pytest.mark.parametrize(
    ("button", "choice", "stage", "state"),
    [
        ("pause", {}, "On hold", "Paused"),
        ("close", {"as": "filled"}, "Filled", "Closed"),
        ("close", {"as": "closed"}, "Closed", "Closed"),
    ],
)
def test_a_job_is_paused_closed_and_reopened(
    hiring: HiringSite, button: str, choice: dict[str, str], stage: str, state: str
):
    browser = recruiter(hiring)
    job_id = published(browser)
    seen = next(iter(hiring.office.walk("/vacancies")))["id"]
    assert seen == job_id
    pressed(browser, button, **choice)
    assert record(hiring, job_id)["stage"]["stage"]["name"] == stage
    browser.get("/jobs")
    assert f"Welder {state}" in browser.words
    browser.get(f"/jobs/{job_id}/preview")
    pressed(browser, "publish")
    assert record(hiring, job_id)["stage"]["stage"]["name"] == "Open"
    browser.get(f"/jobs/{job_id}")
    assert TEXT in browser.page


def test_a_client_that_reads_from_a_cursor_sees_changes(hiring: HiringSite):
    browser = recruiter(hiring)
    job_id = published(browser)
    hiring.office.clock.pass_time(60)  # type: ignore[attr-defined]  the clock of tests
    since = hiring.office.clock.now().isoformat()
    pressed(browser, "pause")
    assert [one["id"] for one in hiring.office.walk("/vacancies", modifiedSince=since)] == [job_id]


def test_changes_wait_for_publishing_and_can_be_discarded(hiring: HiringSite):
    browser = recruiter(hiring)
    job_id = published(browser)
    browser.get(f"/jobs/{job_id}")
    saved(browser, title="Master welder")
    assert record(hiring, job_id)["name"]["name"] == "Welder"
    browser.get("/jobs")
    assert "Welder Open changes not published" in browser.words
    browser.get(f"/jobs/{job_id}/preview")
    pressed(browser, "discard")
    assert "changes not published" not in browser.words


def test_a_duplicate_is_a_separate_draft(hiring: HiringSite):
    browser = recruiter(hiring)
    job_id = published(browser)
    pressed(browser, "duplicate")
    browser.get("/jobs")
    assert browser.words.count("Welder Open") == browser.words.count("Welder Draft") == 1
    assert [one["id"] for one in hiring.office.walk("/vacancies")] == [job_id]


def test_a_draft_without_a_title_is_saved_and_not_published(hiring: HiringSite):
    browser = recruiter(hiring)
    address = draft(browser, title="")
    browser.get(f"{address}/preview")
    assert pressed(browser, "publish").status_code == 422
    assert "needs a title" in browser.words
    assert list(hiring.office.walk("/vacancies")) == []


def test_each_tenant_gets_one_company_record_of_its_name(hiring: HiringSite):
    browser = recruiter(hiring)
    clients = {record(hiring, published(browser))["client"]["client"]["id"] for _ in range(2)}
    assert clients == {hiring.office.company}


def test_actions_on_jobs_are_logged(hiring: HiringSite):
    browser = recruiter(hiring)
    job_id = published(browser)
    pressed(browser, "pause")
    pressed(browser, "close")
    browser.get(f"/jobs/{job_id}")
    saved(browser, title="Another")
    browser.get(f"/jobs/{job_id}/preview")
    pressed(browser, "discard")
    owner = hiring.signed_in(OWNER)
    owner.get("/log")
    for words in ("began a draft of", "published", "paused", "closed", "edited", "discarded the draft of"):
        assert f"recruiter@acme.example {words} the job Welder" in owner.words


def test_the_preview_of_a_job_without_details_has_no_details_box(hiring: HiringSite):
    browser = recruiter(hiring)
    nothing = dict.fromkeys(("place", "employment", "workplace", "salary_min", "salary_max", "currency", "ends"), "")
    address = draft(browser, **nothing, starts="")
    browser.get(f"{address}/preview")
    assert "job-aside" not in browser.page
    address = draft(browser, **nothing | {"place": "Leipzig, Germany"})
    browser.get(f"{address}/preview")
    assert "job-aside" in browser.page
