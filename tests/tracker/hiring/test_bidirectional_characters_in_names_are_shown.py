"""Characters that reorder or break a line are replaced by visible marks wherever an applicant's name appears."""

import csv
import io
import json

import pytest
import sqlalchemy as sa

from portal.tracker.tables import vacancies
from tests.tracker.hiring.applicants import apply
from tests.tracker.hiring.site import OWNER, RECRUITER, HiringBrowser, HiringSite

HOSTILE = "\u202egpj.\u2066exe\u2069\u2028\r\nBcc: x\x1b"
TRICKS = set("\u202e\u2066\u2069\u2028\r\x1b")


@pytest.fixture
def named(hiring_on_both: HiringSite) -> tuple[HiringSite, str, str]:
    """An applicant with such a name."""
    job = hiring_on_both.office.add_vacancy(name="Welder")
    return hiring_on_both, job, apply(hiring_on_both, job, firstName=f"Ada{HOSTILE}", lastName="Okafor")


def shown(browser: HiringBrowser, path: str) -> set[str]:
    assert browser.get(path).status_code == 200
    assert "Ada\ufffdgpj." in browser.page
    return TRICKS & set(browser.page)


def test_pages_show_marks_for_such_characters(named: tuple[HiringSite, str, str]):
    hiring, job, one = named
    recruiter = hiring.signed_in(RECRUITER)
    for path in (f"/jobs/{job}/applications", f"/applications/{one}", f"/applications/{one}/erase", f"/reply?to={one}"):
        assert shown(recruiter, path) == set(), path


def test_emails_to_colleagues_and_applicants_are_sent_and_show_marks(named: tuple[HiringSite, str, str]):
    hiring, _, one = named
    recruiter = hiring.signed_in(RECRUITER)
    hiring.mails.notify()
    recruiter.get("/account")
    words = {"subject": "Dear {name}", "body": "Hello {first_name}", "kind": "invitation", "locale": "en"}
    recruiter.post("/reply", to=one, then="send", **words)
    hiring.mails.send_what_is_due()
    notice, reply = hiring.outbox.to(OWNER)[-1], hiring.outbox.to("ada@people.example")[-1]
    for email in (notice, reply):
        assert "Ada\ufffdgpj." in email.subject
        assert email.as_email()["Bcc"] is None
        assert TRICKS & set(email.subject + email.text + (email.html or "")) == set()


def test_such_characters_in_a_job_title_block_no_email(hiring: HiringSite):
    one = apply(hiring, hiring.office.add_vacancy(name="Welder"))
    v = vacancies.c
    with hiring.office.database.write() as connection:
        record = json.loads(connection.scalar(sa.select(v.record)) or "")
        record["name"]["name"] = f"Welder{HOSTILE}"
        connection.execute(vacancies.update().values(record=json.dumps(record)))
    hiring.mails.notify()
    recruiter = hiring.signed_in(RECRUITER)
    recruiter.get("/account")
    words = {"subject": "About {job}", "body": "{job}", "kind": "invitation", "locale": "en"}
    recruiter.post("/reply", to=one, then="send", **words)
    hiring.mails.send_what_is_due()
    for email in (hiring.outbox.to(OWNER)[-1], hiring.outbox.to("ada@people.example")[-1]):
        assert "Welder\ufffdgpj." in email.subject
        assert email.as_email()["Bcc"] is None
        assert TRICKS & set(email.subject + email.text + (email.html or "")) == set()


def test_exports_show_marks_on_one_line(named: tuple[HiringSite, str, str]):
    hiring, job, _ = named
    recruiter = hiring.signed_in(RECRUITER)
    text = recruiter.post(f"/jobs/{job}/export.csv").content.decode("utf-8-sig")
    assert len(list(csv.reader(io.StringIO(text)))) == 2
    assert TRICKS & set(text.replace("\r\n", "")) == set()
    recruiter.get("/jobs")
    (row,) = json.loads(recruiter.post(f"/jobs/{job}/export.json").content)
    assert TRICKS & set(row["name"]) == set()


def test_a_link_with_such_characters_becomes_text(hiring: HiringSite):
    job = hiring.office.add_vacancy()
    record = {"id": "c9", "socialMedia": {"socialMedia": [{"url": "https://people.example/\u202egpj"}]}}
    hiring.office.load(
        ("candidate", record), ("application", {"id": "a9", "candidate": {"id": "c9"}, "vacancy": {"id": job}})
    )
    recruiter = hiring.signed_in(RECRUITER)
    assert recruiter.get("/applications/a9").status_code == 200
    assert "https://people.example/\ufffdgpj" in recruiter.words
    assert 'href="https://people' not in recruiter.page
