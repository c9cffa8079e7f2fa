"""An erasure is complete despite simultaneous replies, unavailable file storage or missing addresses."""

import threading

import sqlalchemy as sa

from portal.delivery.privacy_requests.tables import owed_requests
from portal.platform.errors import StoreUnavailable
from portal.tracker.hiring import colleagues, privacy, replies
from portal.tracker.hiring.replies import ReplyKind, ReplyText
from portal.tracker.hiring.tables import files_to_delete
from portal.tracker.hiring.tables import replies as sent
from tests.tracker.hiring.site import OWNER, RECRUITER, HiringSite
from tests.tracker.hiring.test_people_are_erased_on_request import (
    ADA,
    BOB,
    REFERENCE,
    ask,
    beside,
    emails_in,
    people_apply,
    portal_of,
)

__all__ = ["beside"]


def ids_of(site: HiringSite, job: str) -> dict[str, str]:
    return {one["candidate"]["emails"][0]: one["id"] for one in site.office.applications(job)}


def test_a_simultaneous_reply_leaves_no_text(hiring_on_both: HiringSite):
    site = hiring_on_both
    job = site.office.add_vacancy()
    people_apply(site, [job])
    found, now = ids_of(site, job), site.office.clock.now()
    to = replies.applicants(site.office.database, site.company.id, [found[ADA], found[BOB]])
    visit = site.visit(RECRUITER)
    erase = threading.Thread(
        target=privacy.erase_applicant,
        args=(site.office.database, None, site.company, found[ADA]),
        kwargs={"by": RECRUITER, "clock": site.office.clock},
    )
    erase.start()
    text = ReplyText("About {job}", "Hello {name}")
    seal = site.services.seal
    replies.send(site.office.database, seal, visit, text, ReplyKind.RECEIVED, to, locale="en", form="f" * 32, now=now)
    erase.join()
    with site.office.database.read() as connection:
        assert connection.scalars(sa.select(sent.c.application_id)).all() == [found[BOB]]


def test_an_erased_applicant_gets_no_reply(hiring: HiringSite):
    job = hiring.office.add_vacancy()
    people_apply(hiring, [job])
    found = ids_of(hiring, job)
    recruiter = hiring.signed_in(RECRUITER)
    recruiter.get(f"/applications/{found[ADA]}/erase")
    to = replies.applicants(hiring.office.database, hiring.company.id, [found[ADA]])
    recruiter.post(f"/applications/{found[ADA]}/erase")
    now, text = hiring.office.clock.now(), ReplyText("About {job}", "Hello {name}")
    visit, seal = hiring.visit(RECRUITER), hiring.services.seal
    replies.send(hiring.office.database, seal, visit, text, ReplyKind.RECEIVED, to, locale="en", form="f" * 32, now=now)
    hiring.mails.send_what_is_due()
    assert hiring.outbox.to(ADA) == []


def test_a_removed_colleague_sends_no_reply(hiring: HiringSite):
    job = hiring.office.add_vacancy()
    people_apply(hiring, [job])
    to = replies.applicants(hiring.office.database, hiring.company.id, [ids_of(hiring, job)[ADA]])
    now, text, visit, seal = hiring.office.clock.now(), ReplyText("About", "Hello"), hiring.visit(RECRUITER), None
    colleagues.remove(hiring.office.database, seal, hiring.company, RECRUITER, by=OWNER, now=now)
    sending = (hiring.office.database, hiring.services.seal, visit, text, ReplyKind.RECEIVED, to)
    replies.send(*sending, locale="en", form="f" * 32, now=now)
    hiring.mails.send_what_is_due()
    assert hiring.outbox.to(ADA) == []


def test_a_cv_is_deleted_once_its_storage_is_available(beside: HiringSite):
    people_apply(beside, [beside.office.add_vacancy()])
    ask(beside, "erase")
    real = beside.services.store
    assert real
    assert beside.services.portal

    class UnavailableStorage:
        def delete(self, _key: str) -> None:
            raise StoreUnavailable("away")

    assert privacy.complete(
        beside.office.database,
        UnavailableStorage(),  # type: ignore[arg-type]  only the methods that an erasure uses
        beside.services.portal,
        beside.company,
        REFERENCE,
        by=RECRUITER,
        clock=beside.office.clock,
    )
    assert "acme/ada" in list(real.keys("acme/"))
    privacy.delete_files(beside.office.database, real)
    assert list(real.keys("acme/")) == ["acme/bob"]


def test_a_request_without_an_address_erases_nobody_and_stays_open(beside: HiringSite):
    people_apply(beside, [beside.office.add_vacancy()])
    ask(beside, "erase")
    with portal_of(beside).write() as connection:
        connection.execute(owed_requests.update().values(sealed_address=None))
    recruiter = beside.signed_in(RECRUITER)
    recruiter.get("/requests")
    assert "The address of this request was lost" in recruiter.words
    recruiter.post(f"/requests/{REFERENCE}")
    assert "Done." not in recruiter.words
    assert REFERENCE in recruiter.words
    assert emails_in(beside) == [ADA, BOB]


def test_a_request_about_an_unknown_person_is_reported_as_such(beside: HiringSite):
    ask(beside, "erase")
    recruiter = beside.signed_in(RECRUITER)
    recruiter.get("/requests")
    recruiter.post(f"/requests/{REFERENCE}")
    assert "Nothing of this person is left here." in recruiter.words
    assert REFERENCE not in recruiter.words


def test_a_file_that_cannot_be_deleted_blocks_no_other(beside: HiringSite):
    keys = [f"acme/{name}" for name in ("first", "second", "third")]
    with beside.office.database.write() as connection:
        connection.execute(files_to_delete.insert(), [{"key": key} for key in keys])
    deleted = []

    class Stubborn:
        def delete(self, key: str) -> None:
            if key == keys[0]:
                raise StoreUnavailable("not this one")
            deleted.append(key)

    for _ in range(2):
        privacy.delete_files(beside.office.database, Stubborn())  # type: ignore[arg-type]  only the methods that are used
    assert sorted(deleted) == keys[1:]
