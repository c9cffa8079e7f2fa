"""Replies of the hiring pages that waited in the backup may have been sent or undone since, so a restore sends none."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from portal.platform.config.settings import TrackerSettings
from portal.tracker.app import create_tracker
from portal.tracker.hiring.app import HiringMount, create_hiring, services_of
from portal.tracker.hiring.mail_worker import HiringMailWorker
from portal.tracker.tables import open_database
from tests.operations.backup.machine import Backups
from tests.told_clock import ToldClock
from tests.tracker.hiring.applicants import apply
from tests.tracker.hiring.site import RECRUITER, SECRET, HiringSite, Outbox, opened_hiring

UNDO = re.compile(r"/acme/hiring(/jobs/[^/\"]+/replies/[0-9a-f]+/undo)")


@dataclass
class Replies:
    """A reply to one applicant and a bulk reply to three, none of them sent at the time of the backup."""

    clock: ToldClock
    before: HiringSite
    job: str
    alone: str

    def sent(self, site: HiringSite) -> list[str]:
        """Send everything that is due within two hours."""
        self.clock.pass_time(2 * 3_600)
        site.mails.send_what_is_due()
        return [one.subject for one in site.outbox.sent if "people" in one.to]

    @contextmanager
    def restored(self, url: str, folder: Path) -> Iterator[HiringSite]:
        told = TrackerSettings(database_url=url, secret_key=SECRET, attachments=f"file:{folder / 'attachments'}")
        database = open_database(url)
        services, outbox = services_of(told, SECRET, database, self.clock), Outbox()
        mount = HiringMount(create_hiring(services), services.concurrency)
        app = create_tracker(told, clock=self.clock, database=database, hiring=mount)
        office = replace(self.before.office, database=database, app=app)
        yield HiringSite(office, services, HiringMailWorker(services, outbox), outbox)
        database.close()


def _reply(site: HiringSite, to: list[str], subject: str) -> str:
    recruiter = site.signed_in(RECRUITER)
    recruiter.get("/account")
    data = {"token": recruiter.token, "to": to, "kind": "rejection", "locale": "en", "then": "send"}
    words = {"subject": subject, "body": "We chose another."}
    return recruiter.client.post("/acme/hiring/reply", data=data | words, follow_redirects=True).text


def _written(backups: Backups, folder: Path, *, then: Callable[[], object]) -> Replies:
    """Write the replies, call `then`, then send one reply and undo the others."""
    clock = ToldClock(datetime.now(UTC))
    with opened_hiring(backups.site.environment["TRACKER_DATABASE_URL"], clock, folder) as site:
        job = site.office.add_vacancy(name="Welder")
        people = [apply(site, job, email=f"p{n}@people.example", key=f"cv-{n}") for n in range(4)]
        page = _reply(site, people[1:], "To three")
        _reply(site, people[:1], "To one")
        then()
        written = Replies(clock, site, job, people[0])
        if address := UNDO.search(page):
            recruiter = site.signed_in(RECRUITER)
            recruiter.get(f"/jobs/{job}/applications")
            recruiter.post(address[1])
        assert written.sent(site) == ["To one"], "the other replies were undone"
    return written


def _says_so(written: Replies, site: HiringSite) -> None:
    assert written.sent(site) == []
    recruiter = site.signed_in(RECRUITER)
    recruiter.get(f"/applications/{written.alone}")
    assert "May not have been sent: an earlier state of these pages was restored To one" in recruiter.words
    recruiter.get(f"/jobs/{written.job}/applications")
    assert not UNDO.search(recruiter.page), "nothing waits any more"


def test_a_restore_sends_no_waiting_replies(backups: Backups, tmp_path: Path):
    written = _written(backups, tmp_path, then=backups.take)
    backups.lose_the_machine()
    assert "4 of the hiring pages" in backups.restore()
    with written.restored(backups.site.environment["TRACKER_DATABASE_URL"], tmp_path) as site:
        _says_so(written, site)


@pytest.mark.parametrize("backups", ["sqlite"], indirect=True)
def test_a_database_restored_by_other_means_sends_no_waiting_replies(backups: Backups, tmp_path: Path):
    service = Path(backups.site.environment["TRACKER_DATABASE_URL"].removeprefix("sqlite:///"))
    saved = tmp_path / "saved.db"

    def save() -> None:
        with closing(sqlite3.connect(service)) as source, closing(sqlite3.connect(saved)) as target:
            source.backup(target)

    written = _written(backups, tmp_path, then=save)
    for end in ("", "-wal", "-shm"):
        service.with_name(service.name + end).unlink(missing_ok=True)
    saved.replace(service)
    instant = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    assert "0 of the hiring pages" in backups.site.portal("db", "restored", instant)
    assert "4 of the hiring pages" in backups.site.portal("db", "restored", instant, "--service")
    with written.restored(backups.site.environment["TRACKER_DATABASE_URL"], tmp_path) as site:
        _says_so(written, site)
