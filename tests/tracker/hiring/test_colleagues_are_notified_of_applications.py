"""Each colleague gets an email for each application, daily, or never; it names only applicant and job."""

import threading
import time

from portal.tracker.hiring.colleagues import Role
from portal.tracker.hiring.tables import hiring_settings
from tests.tracker.hiring.site import OWNER, READER, RECRUITER, HiringSite
from tests.tracker.office import submission

DAY = 86_400
THEIRS = "owner@globex.example"


def choose(hiring: HiringSite, email: str, notify: str) -> None:
    browser = hiring.signed_in(email)
    browser.get("/account")
    assert browser.post("/account", notify=notify, locale="en").status_code == 200
    hiring.outbox.sent.clear()


def notifications(hiring: HiringSite, *emails: str) -> list[int]:
    """Return how many emails about applications each colleague got."""
    hiring.mails.notify()
    hiring.mails.send_what_is_due()
    return [sum("appli" in one.subject for one in hiring.outbox.to(email)) for email in emails]


def apply(hiring: HiringSite, vacancy: str, number: int = 0) -> None:
    body = submission(email=f"ada{number}@people.example", firstName=f"Ada {number}")
    response = hiring.office.public.post(f"/acme/vacancy-portal/jobs/{vacancy}", json=body)
    assert response.status_code == 201


def test_each_colleague_is_notified_as_chosen(hiring_on_both: HiringSite):
    hiring = hiring_on_both
    choose(hiring, RECRUITER, "daily")
    choose(hiring, READER, "none")
    vacancy = hiring.office.add_vacancy(name="Welder")
    assert notifications(hiring, OWNER, RECRUITER, READER) == [0, 0, 0]
    for number in range(2):
        apply(hiring, vacancy, number)
        assert notifications(hiring, OWNER, RECRUITER, READER) == [number + 1, 0, 0]
    assert notifications(hiring, OWNER) == [2], "once for each application"
    hiring.office.clock.pass_time(DAY)  # type: ignore[attr-defined]  the clock of tests
    assert notifications(hiring, OWNER, RECRUITER, READER) == [2, 1, 0]
    (digest,) = hiring.outbox.to(RECRUITER)
    assert "2 people applied" in digest.subject
    assert "Ada 0 Okafor, Welder" in digest.text
    assert "Ada 1 Okafor, Welder" in digest.text
    hiring.office.clock.pass_time(DAY)  # type: ignore[attr-defined]  as above
    assert notifications(hiring, RECRUITER) == [1], "nothing new, no email"


def test_the_email_names_applicant_and_job_and_links_to_the_application(hiring: HiringSite):
    vacancy = hiring.office.add_vacancy(name="Welder")
    apply(hiring, vacancy)
    notifications(hiring)
    (email,) = hiring.outbox.to(OWNER)
    (application,) = hiring.office.applications(vacancy)
    assert email.subject == "Ada 0 Okafor applied: Welder"
    assert f"http://127.0.0.1:8001/acme/hiring/applications/{application['id']}" in email.text
    assert "cv-1" not in email.text + (email.html or "")
    assert "ada0@people.example" not in email.text + (email.html or "")


def test_simultaneous_applications_share_one_email(hiring: HiringSite):
    vacancy = hiring.office.add_vacancy()
    for number in range(3):
        apply(hiring, vacancy, number)
    assert notifications(hiring, OWNER) == [1]
    assert hiring.outbox.to(OWNER)[0].subject == "3 people applied"


def test_each_company_is_notified_of_its_own_applications(hiring: HiringSite):
    neighbour = hiring.office.neighbour()
    hiring.add(THEIRS, Role.OWNER, "globex")
    neighbour.apply(neighbour.add_vacancy(name="Diver"), firstName="Bob")
    assert notifications(hiring, OWNER, THEIRS) == [0, 1]
    apply(hiring, hiring.office.add_vacancy(name="Welder"))
    assert notifications(hiring, OWNER, THEIRS) == [1, 1]
    assert "Bob" not in hiring.outbox.to(OWNER)[0].text


def test_loaded_applications_cause_no_notification(hiring: HiringSite):
    hiring.office.load(("application", {"id": "a1", "vacancy": {"id": hiring.office.add_vacancy()}}))
    assert notifications(hiring, OWNER) == [0]


def test_the_next_digest_is_a_day_later(hiring: HiringSite):
    choose(hiring, RECRUITER, "daily")
    vacancy = hiring.office.add_vacancy()
    apply(hiring, vacancy)
    hiring.office.clock.pass_time(DAY)  # type: ignore[attr-defined]  as above
    assert notifications(hiring, RECRUITER) == [1]
    apply(hiring, vacancy, 1)
    assert notifications(hiring, RECRUITER) == [1]
    hiring.office.clock.pass_time(DAY)  # type: ignore[attr-defined]  as above
    assert notifications(hiring, RECRUITER) == [2]


def test_only_one_of_several_processes_notifies(hiring_on_both: HiringSite):
    apply(hiring_on_both, hiring_on_both.office.add_vacancy())
    threads = [threading.Thread(target=hiring_on_both.mails.notify) for _ in range(4)]
    with hiring_on_both.office.database.write() as connection:  # all of them read before one can write
        connection.execute(hiring_settings.update().values(sender=None))
        for one in threads:
            one.start()
        time.sleep(0.5)
    for one in threads:
        one.join()
    assert notifications(hiring_on_both, OWNER) == [1]


def test_applications_beyond_the_length_of_one_email_are_notified_too(hiring: HiringSite):
    vacancy = hiring.office.add_vacancy()
    for number in range(103):
        apply(hiring, vacancy, number)
    assert notifications(hiring, OWNER) == [1]
    assert notifications(hiring, OWNER) == [2]
    assert [one.subject for one in hiring.outbox.to(OWNER)] == ["100 people applied", "3 people applied"]
