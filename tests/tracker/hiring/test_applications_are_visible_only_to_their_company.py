"""Nobody can read or change another company's applications, and readers cannot change any."""

import re

import pytest
import sqlalchemy as sa

from portal.tracker.hiring.colleagues import Role
from portal.tracker.hiring.tables import applications_seen, hiring_log, notes, ratings
from portal.tracker.tables import applications
from tests.tracker.hiring.applicants import apply
from tests.tracker.hiring.site import OWNER, READER, HiringBrowser, HiringSite

READS = ("/jobs/{job}/applications", "/applications/{application}", "/applications/{application}/cv")
CHANGES = {
    "/jobs/{job}/applications/seen": {"until": "1900000000000000"},
    "/jobs/{job}/applications/stage": {"to": "{application}", "seen": "{application}:new", "stage": "offer"},
    "/applications/{application}/stage": {"stage": "offer", "seen": "new"},
    "/applications/{application}/rating": {"rating": "5"},
    "/applications/{application}/notes": {"note": "Written by somebody else."},
    "/applications/{application}/notes/delete": {"note": "1"},
}
SEARCH = "/jobs/{job}/applications"
THEIRS = ("owner@globex.example", "recruiter@globex.example", "reader@globex.example")


def stored(hiring: HiringSite) -> list[object]:
    """Return everything that could have changed."""
    with hiring.office.database.read() as connection:
        tables = (applications, applications_seen, notes, ratings)
        found = [connection.execute(sa.select(table)).all() for table in tables]
        return [*found, connection.execute(sa.select(hiring_log).where(hiring_log.c.what != "signed-in")).all()]


def filled(words: str, job: str, application: str) -> str:
    return words.replace("{job}", job).replace("{application}", application)


def send(browser: HiringBrowser, path: str, job: str, application: str) -> int:
    """Read, or post with the token of a page of this browser's own; return the status."""
    where = filled(path, job, application)
    if path in READS:
        return browser.get(where).status_code
    browser.get("/account")
    fields = {name: filled(value, job, application) for name, value in CHANGES[path].items()}
    return browser.post(where, **fields).status_code


@pytest.fixture
def ours(hiring: HiringSite) -> tuple[str, str]:
    """A job and an application of Acme's; Globex has colleagues, and a job and an applicant of the same ids."""
    job = hiring.office.add_vacancy()
    application = apply(hiring, job)
    globex = hiring.office.neighbour()
    for email, role in zip(THEIRS, (Role.OWNER, Role.RECRUITER, Role.READER), strict=True):
        hiring.add(email, role, "globex")
    globex.add_vacancy()
    return job, application


@pytest.mark.parametrize("email", THEIRS)
@pytest.mark.parametrize("path", [*READS, *CHANGES])
def test_colleagues_of_another_company_get_nothing(hiring: HiringSite, ours: tuple[str, str], path: str, email: str):
    browser, before = hiring.signed_in(email, "globex"), stored(hiring)
    status = send(browser, path, *ours)
    assert status in ({403, 404} if "reader" in email else {404, 409} if path.endswith("s/stage") else {404, 200})
    assert (stored(hiring) == before, "Okafor" in browser.page) == (True, False)


@pytest.mark.parametrize("email", THEIRS)
@pytest.mark.parametrize("path", [*READS, *CHANGES])
def test_a_session_of_another_company_is_invalid_here(hiring: HiringSite, ours: tuple[str, str], path: str, email: str):
    browser, before = hiring.signed_in(email, "globex"), stored(hiring)
    browser.slug = "acme"
    send(browser, path, *ours)
    assert ("Okafor" in browser.page, stored(hiring) == before) == (False, True)


@pytest.mark.parametrize("path", CHANGES)
def test_a_reader_cannot_change_anything(hiring: HiringSite, ours: tuple[str, str], path: str):
    browser, before = hiring.signed_in(READER), stored(hiring)
    assert send(browser, path, *ours) == 403
    assert stored(hiring) == before


@pytest.mark.parametrize("path", READS[:2])
def test_a_reader_sees_no_way_to_change_anything(hiring: HiringSite, ours: tuple[str, str], path: str):
    browser = hiring.signed_in(READER)
    browser.get(filled(path, *ours))
    main = browser.page.partition("<main")[2]
    assert set(re.findall(r'<form[^>]*action="([^"]*)"', main)) <= {f"/acme/hiring/jobs/{ours[0]}/applications"}


@pytest.mark.parametrize("path", [*READS, *CHANGES])
def test_visitors_without_a_session_are_asked_to_sign_in(hiring: HiringSite, ours: tuple[str, str], path: str):
    browser, before = hiring.browser(), stored(hiring)
    send(browser, path, *ours)
    assert ("Okafor" in browser.page, stored(hiring) == before) == (False, True)


@pytest.mark.parametrize("token", ["", "forged"])
@pytest.mark.parametrize("path", [*CHANGES, SEARCH])
def test_forms_from_other_sites_change_nothing(hiring: HiringSite, ours: tuple[str, str], path: str, token: str):
    browser, before = hiring.signed_in(OWNER), stored(hiring)
    fields = {name: filled(value, *ours) for name, value in CHANGES.get(path, {}).items()}
    assert browser.post(filled(path, *ours), token=token, **fields).status_code == 400
    assert stored(hiring) == before


@pytest.mark.parametrize("path", [*READS, *CHANGES])
def test_unknown_applications_are_not_found(hiring: HiringSite, ours: tuple[str, str], path: str):
    browser = hiring.signed_in(OWNER)
    for odd in ("nobody", "x" * 300, "a%00b"):
        assert send(browser, path, odd, odd) in {404, 409}
    assert "Okafor" not in browser.page
