"""Readers can see but not change jobs; jobs of another company are not found."""

from portal.tracker.hiring.colleagues import Role
from tests.tracker.hiring.job_writing import draft, hidden, published, record, recruiter
from tests.tracker.hiring.site import OWNER, READER, HiringSite

CHANGES = ["", "/publish", "/pause", "/close", "/duplicate", "/discard"]


def test_a_reader_sees_a_job_and_cannot_change_it(hiring: HiringSite):
    job_id = published(recruiter(hiring))
    before = record(hiring, job_id)
    reader = hiring.signed_in(READER)
    assert "Welder" in (reader.get("/jobs") and reader.words)
    assert reader.get("/jobs/new").status_code == 403
    for change in CHANGES:
        assert reader.get(f"/jobs/{job_id}").url.path.endswith("/preview")
        assert f'/jobs/{job_id}{change}"' not in reader.page
        assert reader.post(f"/jobs/{job_id}{change}", version="1-1", title="Mine").status_code == 403
    assert record(hiring, job_id) == before


def test_another_company_cannot_find_the_job(hiring: HiringSite):
    ours = recruiter(hiring)
    written, job_id = draft(ours, title="Secret plan"), published(ours)
    before, version = record(hiring, job_id), hidden(ours.page, "version")
    hiring.office.neighbour()
    hiring.add(OWNER, Role.OWNER, "globex")
    theirs = hiring.signed_in(slug="globex")
    for address in (f"/jobs/{job_id}", written):
        for page in ("", "/preview"):
            assert theirs.get(f"{address}{page}").status_code == 404
        for change in CHANGES:
            theirs.get("/account")
            assert theirs.post(f"{address}{change}", version=version, title="Mine").status_code == 404
    assert record(hiring, job_id) == before
    theirs.get("/jobs")
    assert "No jobs yet" in theirs.words


def test_forms_from_other_sites_change_nothing(hiring: HiringSite):
    browser = recruiter(hiring)
    job_id = published(browser)
    before, version = record(hiring, job_id), hidden(browser.page, "version")
    for change in CHANGES:
        assert browser.post(f"/jobs/{job_id}{change}", token="forged", version=version).status_code == 400
    assert record(hiring, job_id) == before
