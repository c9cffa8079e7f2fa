"""The log states in whole sentences who did what, with links to existing jobs and applicants."""

from tests.tracker.hiring.applicants import apply
from tests.tracker.hiring.job_writing import draft, pressed, published, recruiter
from tests.tracker.hiring.site import OWNER, RECRUITER, HiringSite


def test_jobs_and_applicants_are_named_and_linked(hiring_on_both: HiringSite):
    hiring = hiring_on_both
    browser = recruiter(hiring)
    job_id = published(browser, title="<b>Welder</b>")
    application = apply(hiring, job_id)
    browser.get(f"/applications/{application}")
    browser.post(f"/applications/{application}/notes", note="Called her")
    owner = hiring.signed_in()
    owner.get("/log")
    assert f"{RECRUITER} published the job <b>Welder</b> ." in owner.words
    assert f'<a href="/acme/hiring/jobs/{job_id}"><bdi>&lt;b&gt;Welder&lt;/b&gt;</bdi></a>.' in owner.page
    assert f'<a href="/acme/hiring/applications/{application}"><bdi>Ada Okafor</bdi></a>.' in owner.page
    assert f"{RECRUITER} wrote a note about the application of Ada Okafor ." in owner.words
    assert f"{OWNER} signed in." in owner.words


def test_exports_and_ended_sessions_are_logged(hiring: HiringSite):
    browser = recruiter(hiring)
    job_id = published(browser, title="Welder")
    browser.get("/account")
    browser.post("/account/sessions")
    assert browser.post(f"/jobs/{job_id}/export.json").json() == []
    owner = hiring.signed_in()
    owner.get("/log")
    assert f"{RECRUITER} exported the applications for the job Welder ." in owner.words
    assert f"{RECRUITER} signed out everywhere else." in owner.words


def test_deleted_jobs_and_applicants_have_no_link(hiring: HiringSite):
    browser = recruiter(hiring)
    address = draft(browser)
    browser.get(f"{address}/preview")
    pressed(browser, "discard")
    owner = hiring.signed_in()
    owner.get("/log")
    assert f"{RECRUITER} discarded the draft of the job {address.removeprefix('/jobs/')} ." in owner.words
    assert f"hiring{address}" not in owner.page


def test_the_log_is_in_the_owners_language(hiring: HiringSite):
    owner = hiring.signed_in()
    owner.get("/account")
    owner.post("/account", locale="de", notify="none")
    published(owner)
    owner.get("/log")
    assert f"{OWNER} hat die Stelle Welder veröffentlicht." in " ".join(owner.words.split()).replace(" .", ".")
