"""A rejection changes the applicant's stage when its email is sent, and not if it is undone."""

import re

import pytest

from portal.adapters.mail.message import Message
from portal.platform.errors import MailRefused
from portal.tracker.tables import stages
from tests.told_clock import ToldClock
from tests.tracker.hiring.applicants import apply, as_read, totals
from tests.tracker.hiring.site import READER, RECRUITER, HiringBrowser, HiringSite

HOUR = 3_600


def three_apply(site: HiringSite) -> tuple[str, list[str]]:
    job = site.office.add_vacancy(name="Welder")
    return job, [apply(site, job, cv=None, email=f"p{number}@people.example") for number in range(3)]


def send(browser: HiringBrowser, ids: list[str], kind: str = "rejection") -> None:
    browser.get("/account")
    words = {"kind": kind, "locale": "en", "subject": "About {job}", "body": "Hello", "then": "send"}
    path, data = f"/{browser.slug}/hiring/reply", {"token": browser.token, "to": ids} | words
    answer = browser.client.post(path, data=data, follow_redirects=True)
    browser.page = answer.text
    assert answer.status_code == 200


def undo(browser: HiringBrowser) -> None:
    found = re.search(r'action="/acme/hiring(/jobs/[^"]+/undo)"', browser.page)
    assert found, browser.words
    browser.post(found[1])


def test_an_applicant_is_rejected_when_the_email_is_sent(hiring_on_both: HiringSite):
    job, ids = three_apply(hiring_on_both)
    recruiter = hiring_on_both.signed_in(RECRUITER)
    send(recruiter, ids[:1])
    assert "Once it is sent, the stage is “Rejected”." in recruiter.words
    assert totals(hiring_on_both.office, job) == {"new": 3}
    hiring_on_both.mails.send_what_is_due()
    assert totals(hiring_on_both.office, job) == {"new": 2, "rejected": 1}
    assert as_read(hiring_on_both.office, ids[0])["rejection"]
    owner = hiring_on_both.signed_in()
    owner.get("/log")
    assert f"/applications/{ids[0]}" in owner.page.partition("changed the stage")[2]


def test_several_applicants_are_rejected_an_hour_later(hiring_on_both: HiringSite, clock: ToldClock):
    job, ids = three_apply(hiring_on_both)
    recruiter = hiring_on_both.signed_in(RECRUITER)
    send(recruiter, ids)
    assert "3 rejections will be sent on" in recruiter.words
    clock.pass_time(HOUR - 1)
    hiring_on_both.mails.send_what_is_due()
    assert totals(hiring_on_both.office, job) == {"new": 3}
    clock.pass_time(1)
    hiring_on_both.mails.send_what_is_due()
    assert totals(hiring_on_both.office, job) == {"rejected": 3}
    recruiter.get(f"/jobs/{job}/applications")
    assert "will be sent" not in recruiter.words


@pytest.mark.parametrize("where", ["/jobs/{job}/applications", "/applications/{one}"])
def test_undone_rejections_change_no_stage(hiring: HiringSite, clock: ToldClock, where: str):
    job, ids = three_apply(hiring)
    recruiter = hiring.signed_in(RECRUITER)
    send(recruiter, ids)
    reader = hiring.signed_in(READER)
    reader.get(where.format(job=job, one=ids[1]))
    assert ("will be sent on" in reader.words, "/undo" in reader.page) == (True, False)
    recruiter.get(where.format(job=job, one=ids[1]))
    undo(recruiter)
    assert "Undone: none of these emails will be sent." in recruiter.words
    assert "will be sent on" not in recruiter.words
    clock.pass_time(2 * HOUR)
    hiring.mails.send_what_is_due()
    assert totals(hiring.office, job) == {"new": 3}
    assert [one for one in hiring.outbox.sent if one.to.startswith("p")] == []


def test_an_invitation_changes_no_stage(hiring: HiringSite):
    job, ids = three_apply(hiring)
    send(hiring.signed_in(RECRUITER), ids[:1], "invitation")
    hiring.mails.send_what_is_due()
    assert len(hiring.outbox.to("p0@people.example")) == 1
    assert totals(hiring.office, job) == {"new": 3}


def test_an_applicant_moved_meanwhile_is_still_rejected(hiring: HiringSite, clock: ToldClock):
    job, ids = three_apply(hiring)
    recruiter = hiring.signed_in(RECRUITER)
    send(recruiter, ids)
    recruiter.get(f"/applications/{ids[0]}")
    recruiter.post(f"/applications/{ids[0]}/stage", stage="interview", seen="new")
    clock.pass_time(HOUR)
    hiring.mails.send_what_is_due()
    assert totals(hiring.office, job) == {"rejected": 3}


def test_a_rejected_email_changes_no_stage(hiring: HiringSite, monkeypatch: pytest.MonkeyPatch):
    job, ids = three_apply(hiring)
    recruiter = hiring.signed_in(RECRUITER)

    def refuse(_message: Message) -> None:
        raise MailRefused("no such mailbox")

    send(recruiter, ids[:1])
    monkeypatch.setattr(hiring.outbox, "send", refuse)  # the mail server of the tests, not the product
    hiring.mails.send_what_is_due()
    assert totals(hiring.office, job) == {"new": 3}


def test_without_a_rejection_stage_applicants_are_rejected_in_their_stage(hiring: HiringSite):
    job, ids = three_apply(hiring)
    recruiter = hiring.signed_in(RECRUITER)
    with hiring.office.database.write() as connection:
        connection.execute(stages.delete().where(stages.c.id == "rejected"))
    send(recruiter, ids[:1])
    hiring.mails.send_what_is_due()
    assert len(hiring.outbox.to("p0@people.example")) == 1
    assert totals(hiring.office, job) == {"new": 3}
    read = as_read(hiring.office, ids[0])
    assert (read["rejection"]["applicationId"], read["applicationState"]["state"]) == (ids[0], "rejected")
    recruiter.get(f"/applications/{ids[0]}")
    assert re.search(r"Applied on [^·]+· New · Rejected", recruiter.words)
    assert not as_read(hiring.office, ids[1])["rejection"]


def test_replies_of_another_company_cannot_be_undone(hiring: HiringSite, clock: ToldClock):
    _, ids = three_apply(hiring)
    recruiter = hiring.signed_in(RECRUITER)
    send(recruiter, ids)
    found = re.search(r'action="/acme/hiring(/jobs/[^"]+/undo)"', recruiter.page)
    assert found
    hiring.office.neighbour()
    hiring.add("boss@globex.example", hiring.visit().colleague.role, "globex")
    stranger = hiring.signed_in("boss@globex.example", "globex")
    stranger.get("/account")
    stranger.post(found[1])
    clock.pass_time(HOUR)
    hiring.mails.send_what_is_due()
    assert len([one for one in hiring.outbox.sent if one.to.startswith("p")]) == 3


def test_applicants_without_an_address_are_not_reported_as_notified(hiring: HiringSite):
    job = hiring.office.add_vacancy()
    hiring.office.load(("application", {"id": "a1", "vacancy": {"id": job}, "candidate": {"firstName": "Eve"}}))
    recruiter = hiring.signed_in(RECRUITER)
    send(recruiter, ["a1"])
    assert "1 applicant has no email address and gets none." in recruiter.words
    assert 'value="send"' not in recruiter.page


def test_a_second_rejection_is_sent_only_after_a_warning(hiring_on_both: HiringSite, clock: ToldClock):
    _, ids = three_apply(hiring_on_both)
    recruiter, words = hiring_on_both.signed_in(RECRUITER), "A rejection was sent to 1 applicant before"
    send(recruiter, ids[:1])
    hiring_on_both.mails.send_what_is_due()
    send(recruiter, ids)
    assert words in recruiter.words
    said = {"to": ids, "kind": "rejection", "locale": "en", "subject": "About {job}", "body": "Hello"}
    again = re.search(r'name="again" value="(\d+)"', recruiter.page)
    assert again
    recruiter.post("/reply", **said | {"then": "send", "again": again[1]})
    assert words not in recruiter.words
    clock.pass_time(HOUR)
    hiring_on_both.mails.send_what_is_due()
    assert [len(hiring_on_both.outbox.to(f"p{number}@people.example")) for number in range(3)] == [2, 1, 1]


def test_an_undone_rejection_causes_no_warning(hiring_on_both: HiringSite):
    _, ids = three_apply(hiring_on_both)
    recruiter = hiring_on_both.signed_in(RECRUITER)
    send(recruiter, ids)
    undo(recruiter)
    send(recruiter, ids[:1])
    assert "The email is on its way." in recruiter.words
