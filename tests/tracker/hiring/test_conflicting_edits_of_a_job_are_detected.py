"""If two colleagues edit one job, the second sees both versions, keeps her text, and decides."""

import pytest

from tests.tracker.hiring.job_writing import draft, hidden, pressed, published, record, recruiter, saved
from tests.tracker.hiring.site import HiringSite


def test_the_second_to_save_sees_both_versions(hiring: HiringSite):
    one, other = recruiter(hiring), hiring.signed_in()
    address = draft(one)
    one.get(address)
    other.get(address)
    saved(one, title="Hers", description="What she wrote")
    assert saved(other, title="His", description="What he wrote").status_code == 409
    assert 'value="His"' in other.page
    assert "What he wrote" in other.page
    assert "What she wrote" in other.page
    one.get(address)
    assert 'value="Hers"' in one.page
    assert saved(other, title="His", description="Both").status_code == 200


@pytest.mark.parametrize("button", ["publish", "pause", "close", "discard"])
def test_actions_on_an_outdated_version_are_rejected(hiring: HiringSite, button: str):
    one, other = recruiter(hiring), hiring.signed_in()
    job_id = published(one)
    other.get(f"/jobs/{job_id}/preview")
    one.get(f"/jobs/{job_id}")
    saved(one, title="Hers")
    before = record(hiring, job_id)
    assert pressed(other, button).status_code == 409
    assert "Hers" in other.words
    assert record(hiring, job_id) == before


def test_a_discarded_draft_does_not_bring_an_old_version_back(hiring: HiringSite):
    one, other = recruiter(hiring), hiring.signed_in()
    job_id = published(one)
    one.get(f"/jobs/{job_id}")
    saved(one, title="First")
    other.get(f"/jobs/{job_id}")
    one.get(f"/jobs/{job_id}/preview")
    pressed(one, "discard")
    one.get(f"/jobs/{job_id}")
    saved(one, title="Second")
    assert saved(other, title="His").status_code == 409


def test_an_external_change_is_shown_before_it_is_replaced(hiring: HiringSite):
    browser = recruiter(hiring)
    job_id = published(browser)
    browser.get(f"/jobs/{job_id}")
    saved(browser, title="Hers")
    loaded = record(hiring, job_id) | {"name": {"viewType": "vacancyName", "name": "Loaded"}}
    hiring.office.load(("vacancy", loaded))
    assert saved(browser, title="Hers, again").status_code == 409
    browser.get(f"/jobs/{job_id}")
    assert "changed elsewhere" in browser.words
    assert 'value="Hers"' in browser.page


def test_a_draft_without_changes_follows_external_changes(hiring: HiringSite):
    browser = recruiter(hiring)
    job_id = published(browser)
    loaded = record(hiring, job_id) | {"name": {"viewType": "vacancyName", "name": "Loaded"}}
    hiring.office.load(("vacancy", loaded))
    browser.get(f"/jobs/{job_id}")
    assert 'value="Loaded"' in browser.page
    browser.get(f"/jobs/{job_id}/preview")
    pressed(browser, "pause")
    browser.get(f"/jobs/{job_id}")
    assert 'value="Loaded"' in browser.page


def test_automatic_saving_detects_conflicts(hiring: HiringSite):
    browser = recruiter(hiring)
    address = draft(browser)
    browser.get(address)
    token, version, asked = browser.token, hidden(browser.page, "version"), {"Accept": "application/json"}
    sent = {"token": token, "version": version, "title": "Typed"}
    first = browser.client.post(f"/acme/hiring{address}", data=sent, headers=asked)
    assert (first.status_code, first.json()["said"]) == (200, "Saved as a draft.")
    assert (
        browser.client.post(f"/acme/hiring{address}", data=sent | {"title": "Other"}, headers=asked).status_code == 409
    )
    wrong = sent | {"version": first.json()["version"], "ends": "soon"}
    assert browser.client.post(f"/acme/hiring{address}", data=wrong, headers=asked).status_code == 422
    browser.get(address)
    assert 'value="Typed"' in browser.page
