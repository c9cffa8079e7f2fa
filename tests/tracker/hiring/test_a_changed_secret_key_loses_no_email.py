"""After a change of TRACKER_SECRET_KEY, with the former one as fallback, emails are sent and sessions continue."""

from pathlib import Path

from portal.platform.config.settings import TrackerSettings
from portal.tracker.hiring.app import create_hiring, services_of
from portal.tracker.hiring.mail_worker import HiringMailWorker
from tests.tracker.hiring.site import SECRET, HiringBrowser, HiringSite

NEW, INVITED = "another-secret-of-the-hiring-pages", "new@acme.example"


def rotate(hiring: HiringSite, folder: Path, *browsers: HiringBrowser, fallbacks: tuple[str, ...]) -> None:
    """Start the pages again with another secret key; the browsers stay open."""
    told = TrackerSettings(secret_key=NEW, secret_key_fallbacks=fallbacks, attachments=f"file:{folder / 'attachments'}")
    services = services_of(told, NEW, hiring.office.database, hiring.office.clock)
    hiring.mails, pages = HiringMailWorker(services, hiring.outbox), create_hiring(services)
    for one in browsers:
        one.client._transport.app = pages  # type: ignore[attr-defined]  the target of the browser's requests


def test_waiting_emails_are_sent_and_open_pages_keep_working(hiring: HiringSite, tmp_path: Path):
    owner = hiring.signed_in()
    owner.get("/colleagues")
    owner.post("/colleagues", email=INVITED, role="reader")
    rotate(hiring, tmp_path, owner, fallbacks=(SECRET,))
    hiring.mails.send_what_is_due()
    assert len(hiring.outbox.to(INVITED)) == 1
    owner.post("/colleagues/remove", email=INVITED)
    assert "Saved." in owner.words
    assert INVITED not in owner.words


def test_an_email_waits_for_a_key_that_was_removed_too_early(hiring: HiringSite, tmp_path: Path):
    owner = hiring.signed_in()
    owner.get("/colleagues")
    owner.post("/colleagues", email=INVITED, role="reader")
    rotate(hiring, tmp_path, fallbacks=())
    hiring.mails.send_what_is_due()
    assert hiring.outbox.to(INVITED) == []
    rotate(hiring, tmp_path, fallbacks=(SECRET,))
    hiring.office.clock.pass_time(86_400)  # type: ignore[attr-defined]  the clock of tests
    hiring.mails.run_housekeeping()
    hiring.mails.send_what_is_due()
    assert len(hiring.outbox.to(INVITED)) == 1
