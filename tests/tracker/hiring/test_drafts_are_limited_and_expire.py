"""Drafts are saved automatically, so their number is limited, and unchanged ones are deleted after a time."""

from datetime import timedelta

import sqlalchemy as sa

from portal.tracker.hiring.jobs import DRAFTS_KEPT, DRAFTS_MOST
from portal.tracker.hiring.tables import job_drafts
from tests.tracker.hiring.job_writing import draft, pressed, published, record, recruiter, saved
from tests.tracker.hiring.site import HiringSite


def test_a_company_has_a_limit_of_drafts(hiring: HiringSite):
    browser = recruiter(hiring)
    kept = published(browser)
    first = draft(browser, title="First")
    with hiring.office.database.write() as connection:
        row = connection.execute(sa.select(job_drafts).where(job_drafts.c.is_changed)).one()._asdict()
        connection.execute(job_drafts.insert(), [row | {"id": f"{n:032x}"} for n in range(DRAFTS_MOST - 1)])
    browser.get("/jobs/new")
    assert saved(browser, title="One too many").status_code == 422
    assert f"there are {DRAFTS_MOST} drafts already" in browser.words
    assert 'value="One too many"' in browser.page
    browser.get(f"/jobs/{kept}/preview")
    assert pressed(browser, "duplicate").status_code == 422
    browser.get(first)
    assert saved(browser, title="Known").status_code == 200
    browser.get(f"{first}/preview")
    pressed(browser, "discard")
    browser.get("/jobs/new")
    assert saved(browser, title="Has room").status_code == 200


def test_an_unchanged_draft_is_deleted_after_ninety_days(hiring: HiringSite):
    browser = recruiter(hiring)
    job_id = published(browser, title="Published")
    browser.get(f"/jobs/{job_id}")
    saved(browser, title="Never published", description="Text")
    old = draft(browser, title="Old")
    hiring.office.clock.pass_time((DRAFTS_KEPT - timedelta(days=1)).total_seconds())  # type: ignore[attr-defined]  the clock of tests
    hiring.mails.run_housekeeping()
    browser = recruiter(hiring)
    assert browser.get(old).status_code == 200
    new = draft(browser, title="New")
    hiring.office.clock.pass_time(timedelta(days=2).total_seconds())  # type: ignore[attr-defined]  as above
    hiring.mails.run_housekeeping()
    browser = recruiter(hiring)
    assert browser.get(old).status_code == 404
    assert browser.get(new).status_code == 200
    browser.get(f"/jobs/{job_id}")
    assert 'value="Published"' in browser.page
    assert record(hiring, job_id)["name"]["name"] == "Published"


def test_text_entered_in_a_deleted_draft_is_kept(hiring: HiringSite):
    one, other = recruiter(hiring), hiring.signed_in()
    address = draft(one)
    other.get(address)
    one.get(f"{address}/preview")
    pressed(one, "discard")
    assert saved(other, title="Hers").status_code == 409
    assert "deleted meanwhile" in other.words
    assert 'value="Hers"' in other.page
    assert saved(other, title="Hers").status_code == 200
    one.get("/jobs")
    assert "Hers" in one.words
