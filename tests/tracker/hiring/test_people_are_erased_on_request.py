"""Privacy requests from the portal are shown here; one click erases the person and responds to the candidate."""

import io
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from portal.background.mails.tables import letters
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.privacy_requests.tables import owed_requests
from portal.platform.crypto.sealing import Seal, address_hash
from portal.platform.database.db import Database
from tests.schemas import PORTAL, TRACKER, sqlite_copy
from tests.told_clock import ToldClock
from tests.tracker.hiring.site import READER, RECRUITER, HiringSite, opened_hiring
from tests.tracker.office import submission

PORTAL_SECRET = "a-secret-of-the-portal-here"
ADA, BOB = "ada@people.example", "bob@people.example"
REFERENCE = "QK7M4XT2W9PRA5H8NVB3"


@pytest.fixture
def beside(tmp_path: Path, clock: ToldClock) -> Iterator[HiringSite]:
    """The service beside a portal."""
    of_portal = {"portal_database": sqlite_copy(tmp_path / "portal.db", PORTAL), "portal_secret": PORTAL_SECRET}
    with opened_hiring(sqlite_copy(tmp_path / "tracker.db", TRACKER), clock, tmp_path, **of_portal) as site:
        yield site


def portal_of(site: HiringSite) -> Database:
    assert site.services.portal
    return site.services.portal.database


def ask(site: HiringSite, kind: str, about: str | None = None, slug: str = "acme") -> None:
    """Make the request as a candidate in the portal."""
    seal, now = Seal(PORTAL_SECRET), site.office.clock.now()
    row = {"reference": REFERENCE, "tenant": slug, "kind": kind, "about": about, "locale": "en", "asked_at": now}
    row |= {"address": address_hash(seal, slug, ADA), "sealed_address": seal.seal(ADA), "due_at": now + timedelta(30)}
    with portal_of(site).write() as connection:
        connection.execute(owed_requests.insert().values(row))


def people_apply(site: HiringSite, vacancies: list[str]) -> None:
    for email, key in ((ADA, "acme/ada"), (BOB, "acme/bob")):
        site.services.store and site.services.store.put(key, io.BytesIO(b"x"), size=1, media_type="a/b", filename="x")
        for vacancy in vacancies:
            body = submission(email=email, cvAttachmentId=key)
            site.office.public.post(f"/acme/vacancy-portal/jobs/{vacancy}", json=body)


def emails_in(site: HiringSite) -> list[str]:
    return sorted(one["emails"]["emails"][0]["email"] for one in site.office.candidates())


def test_an_erasure_removes_only_the_person_and_their_cv(beside: HiringSite):
    jobs = [beside.office.add_vacancy(name=name) for name in ("Welder", "Driver")]
    people_apply(beside, jobs)
    ask(beside, "erase")
    recruiter = beside.signed_in(RECRUITER)
    recruiter.get("/requests")
    assert ADA in recruiter.words
    recruiter.post(f"/requests/{REFERENCE}")
    assert "Done." in recruiter.words
    assert ADA not in recruiter.words
    assert emails_in(beside) == [BOB]
    assert [len(beside.office.applications(job)) for job in jobs] == [1, 1]
    assert beside.services.store
    assert list(beside.services.store.keys("acme/")) == ["acme/bob"]
    with portal_of(beside).read() as connection:
        assert connection.scalar(sa.select(owed_requests.c.done_at))
        assert connection.scalar(sa.select(letters.c.template)) == "request_done"


def test_a_withdrawal_removes_one_application(beside: HiringSite):
    welder, driver = (beside.office.add_vacancy(name=name) for name in ("Welder", "Driver"))
    people_apply(beside, [welder, driver])
    now = beside.office.clock.now()
    delivery = {"reference": "A" * 20, "kind": "application", "tenant": "acme", "about": welder, "title": "Welder"}
    delivery |= {"form_id": "1" * 32, "accepted_at": now, "person": "p", "content": "c", "locale": "en"}
    columns = {c.name for c in deliveries.columns}
    with portal_of(beside).write() as connection:
        connection.execute(deliveries.insert().values({k: v for k, v in delivery.items() if k in columns}))
    ask(beside, "withdraw", "A" * 20)
    recruiter = beside.signed_in(RECRUITER)
    recruiter.get("/requests")
    recruiter.post(f"/requests/{REFERENCE}")
    assert [len(beside.office.applications(job)) for job in (welder, driver)] == [1, 2]
    assert emails_in(beside) == [ADA, BOB]


def test_requests_to_another_company_are_not_shown_and_not_completed(beside: HiringSite):
    ask(beside, "erase", slug="globex")
    people_apply(beside, [beside.office.add_vacancy()])
    recruiter = beside.signed_in(RECRUITER)
    recruiter.get("/requests")
    assert ADA not in recruiter.words
    recruiter.get("/account")
    recruiter.post(f"/requests/{REFERENCE}")
    assert emails_in(beside) == [ADA, BOB]


def test_an_applicant_is_erased_manually_after_a_confirmation(hiring: HiringSite):
    job = hiring.office.add_vacancy()
    people_apply(hiring, [job])
    ids = {one["candidate"]["emails"][0]: one["id"] for one in hiring.office.applications(job)}
    recruiter = hiring.signed_in(RECRUITER)
    recruiter.get(f"/applications/{ids[ADA]}/erase")
    assert "cannot be undone" in recruiter.words
    assert emails_in(hiring) == [ADA, BOB]
    recruiter.post(f"/applications/{ids[ADA]}/erase")
    assert emails_in(hiring) == [BOB]
    reader = hiring.signed_in(READER)
    reader.get("/account")
    assert reader.post(f"/applications/{ids[BOB]}/erase").status_code == 403
    assert emails_in(hiring) == [BOB]


def test_waiting_emails_to_an_erased_person_are_not_sent(hiring: HiringSite):
    job = hiring.office.add_vacancy()
    people_apply(hiring, [job])
    ids = {one["candidate"]["emails"][0]: one["id"] for one in hiring.office.applications(job)}
    recruiter = hiring.signed_in(RECRUITER)
    words = {"kind": "rejection", "locale": "en", "subject": "No", "body": "No", "then": "send"}
    recruiter.client.post("/acme/hiring/reply", data={"token": recruiter.token, "to": list(ids.values())} | words)
    recruiter.get(f"/applications/{ids[ADA]}/erase")
    recruiter.post(f"/applications/{ids[ADA]}/erase")
    hiring.office.clock.pass_time(3_600)  # type: ignore[attr-defined]  the clock of tests
    hiring.mails.send_what_is_due()
    assert [len(hiring.outbox.to(email)) for email in (ADA, BOB)] == [0, 1]


def test_files_of_other_people_are_not_deleted(hiring: HiringSite):
    job = hiring.office.add_vacancy()
    assert hiring.services.store
    hiring.services.store.put("globex/theirs", io.BytesIO(b"x"), size=1, media_type="a/b", filename="x")
    body = submission(email=ADA, cvAttachmentId="globex/theirs")
    hiring.office.public.post(f"/acme/vacancy-portal/jobs/{job}", json=body)
    (one,) = hiring.office.applications(job)
    recruiter = hiring.signed_in(RECRUITER)
    recruiter.get(f"/applications/{one['id']}/erase")
    recruiter.post(f"/applications/{one['id']}/erase")
    assert emails_in(hiring) == []
    assert list(hiring.services.store.keys("globex/")) == ["globex/theirs"]
