"""Owners invite, change and remove colleagues; others cannot, and a company keeps an owner."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from portal.tracker.hiring import colleagues
from portal.tracker.hiring.colleagues import ColleagueRefused, Role
from tests.tracker.hiring.site import OWNER, READER, RECRUITER, HiringSite

NEW = "new@acme.example"
CHANGES = {"/colleagues": NEW, "/colleagues/role": READER, "/colleagues/remove": READER}


def role_of(hiring: HiringSite, email: str) -> Role | None:
    company = colleagues.tenant(hiring.office.database, "acme")
    found = company and colleagues.find(hiring.office.database, company.id, email)
    return found.role if found else None


def test_an_invited_colleague_gets_an_email_and_signs_in(hiring: HiringSite):
    owner = hiring.signed_in()
    owner.get("/colleagues")
    owner.post("/colleagues", email=NEW, role="reader")
    assert "The invitation is on its way." in owner.words
    hiring.mails.send_what_is_due()
    (invitation,) = hiring.outbox.to(NEW)
    assert OWNER in invitation.text
    assert "http://127.0.0.1:8001/acme/hiring" in invitation.text
    assert hiring.signed_in(NEW).get("/account").status_code == 200


def test_a_removed_colleague_is_signed_out_immediately(hiring: HiringSite):
    owner, reader = hiring.signed_in(), hiring.signed_in(READER)
    owner.get("/colleagues")
    owner.post("/colleagues/remove", email=READER)
    assert role_of(hiring, READER) is None
    assert reader.get("/account").url.path == "/acme/hiring"


def test_emails_queued_by_a_removed_colleague_are_not_sent(hiring_on_both: HiringSite):
    site = hiring_on_both
    job = site.office.add_vacancy()
    for number in range(2):
        site.office.apply(job, email=f"ada{number}@people.example")
    ids = [one["id"] for one in site.office.applications(job)]
    recruiter, owner = site.signed_in(RECRUITER), site.signed_in()
    recruiter.get("/account")
    words = {"token": recruiter.token, "kind": "rejection", "locale": "en", "subject": "No", "body": "No"}
    recruiter.client.post("/acme/hiring/reply", data=words | {"to": ids, "then": "send"})
    owner.get("/colleagues")
    owner.post("/colleagues/remove", email=RECRUITER)
    site.office.clock.pass_time(7_200)  # type: ignore[attr-defined]  the clock of tests
    site.mails.send_what_is_due()
    assert site.outbox.to("ada0@people.example") == []
    owner.get(f"/applications/{ids[0]}")
    assert "Replies" not in owner.words


def test_waiting_emails_to_a_removed_colleague_are_not_sent(hiring_on_both: HiringSite):
    site, owner = hiring_on_both, hiring_on_both.signed_in()
    owner.get("/colleagues")
    owner.post("/colleagues", email=NEW, role="reader")
    site.office.apply(site.office.add_vacancy(), email=READER)
    site.mails.notify()
    for email in (NEW, READER):
        owner.post("/colleagues/remove", email=email)
    site.mails.send_what_is_due()
    assert [len(site.outbox.to(email)) for email in (NEW, READER, RECRUITER)] == [0, 0, 1]


@pytest.mark.parametrize("number", [2, 3])
def test_simultaneous_demotions_leave_one_owner(hiring_on_both: HiringSite, number: int):
    site, now, everybody = hiring_on_both, hiring_on_both.office.clock.now(), [OWNER, RECRUITER, READER][:number]
    database, company, together = site.office.database, site.company, threading.Barrier(number)

    def demote(other: str, by: str) -> None:
        together.wait()
        with suppress(ColleagueRefused):
            colleagues.change_role(database, company, other, Role.READER, by=by, now=now)

    for _ in range(3):
        for email in everybody:
            colleagues.change_role(database, company, email, Role.OWNER, by="test", now=now)
        with ThreadPoolExecutor(number) as owners:
            list(owners.map(demote, [*everybody[1:], everybody[0]], everybody))
        assert [role_of(site, email) for email in everybody].count(Role.OWNER) == 1


@pytest.mark.parametrize("change", ["/colleagues/role", "/colleagues/remove"])
def test_the_only_owner_cannot_be_demoted_or_removed(hiring: HiringSite, change: str):
    owner = hiring.signed_in()
    owner.get("/colleagues")
    assert owner.post(change, email=OWNER, role="reader").status_code == 409
    assert "only owner" in owner.words
    owner.post("/colleagues/role", email=READER, role="owner")
    assert owner.post(change, email=OWNER, role="reader").status_code in {200, 403}
    assert role_of(hiring, OWNER) is not Role.OWNER


@pytest.mark.parametrize("email", [RECRUITER, READER])
@pytest.mark.parametrize("path", [*CHANGES, "/log"])
def test_only_owners_see_and_change_colleagues(hiring: HiringSite, email: str, path: str):
    browser = hiring.signed_in(email)
    browser.get("/account")
    assert browser.post(path, email=CHANGES.get(path, ""), role="owner").status_code in {403, 405}
    assert browser.get(path.removesuffix("/role").removesuffix("/remove")).status_code == 403
    assert (role_of(hiring, NEW), role_of(hiring, READER)) == (None, Role.READER)


@pytest.mark.parametrize("fields", [{"token": ""}, {"token": "forged"}, {"role": "king"}])
def test_forms_from_other_sites_change_nothing(hiring: HiringSite, fields: dict[str, str]):
    owner = hiring.signed_in()
    owner.get("/colleagues")
    assert owner.post("/colleagues", **({"email": NEW, "role": "reader"} | fields)).status_code == 400
    assert role_of(hiring, NEW) is None


def test_forms_of_another_company_change_nothing(hiring: HiringSite):
    hiring.office.neighbour()
    hiring.add(OWNER, Role.OWNER, "globex")
    theirs, ours = hiring.signed_in(slug="globex"), hiring.signed_in()
    theirs.get("/colleagues")
    ours.get("/colleagues")
    assert ours.post("/colleagues", email=NEW, role="reader", token=theirs.token).status_code == 400
    assert role_of(hiring, NEW) is None


def test_changes_of_colleagues_are_logged(hiring: HiringSite):
    owner = hiring.signed_in()
    owner.get("/colleagues")
    owner.post("/colleagues", email=NEW, role="reader")
    owner.post("/colleagues/role", email=NEW, role="owner")
    owner.post("/colleagues/remove", email=NEW)
    owner.get("/log")
    for words in (f"{OWNER} invited {NEW}", f"{OWNER} changed the role of {NEW}", f"{OWNER} removed {NEW}"):
        assert words in owner.words


@pytest.mark.parametrize("typed", ["", "nobody", "a@b@c", "x" * 400 + "@acme.example"])
def test_an_invalid_address_is_reported_beside_the_field(hiring: HiringSite, typed: str):
    owner = hiring.signed_in()
    owner.get("/colleagues")
    assert owner.post("/colleagues", email=typed, role="reader").status_code == 422
    assert 'id="email-error"' in owner.page
