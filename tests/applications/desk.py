"""The applications package with a database and a folder for files, without pages and without the service."""

import io
from dataclasses import dataclass, replace
from pathlib import Path

import portal.migrations
from portal.applications import uploads
from portal.applications.accept import accept
from portal.applications.model import ApplicantLocation, NewApplication
from portal.attachments.address import open_store
from portal.attachments.store import Store
from portal.db import Database
from portal.tenants.model import MailAddresses, Tenant, TrackerLink
from tests.told_clock import ToldClock

ACME = Tenant(
    slug="acme",
    name="Acme",
    tracker=TrackerLink("http://127.0.0.1", "acme", "key"),
    mail=MailAddresses("Acme careers <careers@acme.example>", "jobs@acme.example"),
)
SECRET = "a secret for tests, 32 characters"
CV = b"Curriculum vitae of Jos\xc3\xa9 Garc\xc3\xada, welder.\n" * 20


@dataclass
class Desk:
    db: Database
    store: Store
    clock: ToldClock
    folder: Path

    def keep(self, form: str, content: bytes = CV, *, tenant: str = "acme") -> str:
        return uploads.keep(
            self.db,
            self.store,
            tenant=tenant,
            form_id=form,
            file=io.BytesIO(content),
            filename="cv.txt",
            max_bytes=100_000,
            clock=self.clock,
        ).handle

    def filled(self, form: str, content: bytes = CV, **changes: object) -> NewApplication:
        return replace(
            NewApplication(
                submission_id=form,
                posting_id="job-1",
                posting_title="Welder",
                locale="en",
                upload=self.keep(form, content),
                first_name="José",
                last_name="García",
                email="jose@people.example",
                phone_number="+4930123456",
                network_url=None,
                location=ApplicantLocation(city="Berlin", country="DE"),
            ),
            **changes,  # type: ignore[arg-type]  tests name the fields they mean
        )

    def send(self, application: NewApplication) -> str:
        return accept(self.db, tenant=ACME, application=application, secret=SECRET, clock=self.clock)


def open_desk(database_url: str, folder: Path) -> Desk:
    db = Database(database_url, migrations=Path(portal.migrations.__path__[0]))
    db.upgrade()
    store = open_store(f"file:{folder / 'attachments'}", s3_endpoint=None)
    return Desk(db, store, ToldClock(), folder)
