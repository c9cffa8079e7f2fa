"""The deliveries package with a database and a folder for files, without pages and without the service."""

import io
from dataclasses import dataclass, field, replace
from pathlib import Path

import sqlalchemy as sa

import portal.platform.database.migrations
from portal.adapters.storage.opening import open_store
from portal.adapters.storage.store import Store
from portal.background.outbox.tables import outbox
from portal.delivery.applications.kind import APPLICATION
from portal.delivery.applications.payload import ApplicationPayload
from portal.delivery.envelopes.accept import NewDelivery, accept
from portal.delivery.uploads import storing
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database
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
JOSE = ApplicationPayload(
    first_name="José",
    last_name="García",
    email="jose@people.example",
    phone_number="+4930123456",
    city="Berlin",
    country="DE",
)


@dataclass
class Desk:
    db: Database
    store: Store
    clock: ToldClock
    folder: Path
    seal: Seal = field(default_factory=lambda: Seal(SECRET))

    def keep(self, form: str, content: bytes = CV, *, tenant: str = "acme") -> str:
        return storing.store_file(
            self.db,
            self.store,
            self.seal,
            tenant=tenant,
            form_id=form,
            file=io.BytesIO(content),
            filename="cv.txt",
            max_bytes=100_000,
            clock=self.clock,
        ).handle

    def filled(
        self,
        form: str,
        content: bytes = CV,
        *,
        upload: str | None = None,
        title: str = "Welder",
        consent: str | None = None,
        **said: str,
    ) -> NewDelivery[ApplicationPayload]:
        """Return José's form, with these changes."""
        payload = JOSE.model_copy(update=said)
        return NewDelivery(
            form_id=form,
            about="job-1",
            title=title,
            email=payload.email,
            locale="en",
            payload=payload,
            upload=upload or self.keep(form, content),
            consent=consent,
        )

    def send(self, new: NewDelivery[ApplicationPayload], *, tenant: Tenant = ACME, scan_required: bool = False) -> str:
        return accept(
            self.db, self.seal, APPLICATION, tenant=tenant, new=new, clock=self.clock, scan_required=scan_required
        )

    def under(self, *secrets: str) -> "Desk":
        """Return the same scene with other secret keys, the current one first."""
        return replace(self, seal=Seal(secrets[0], secrets[1:]))

    def queued(self) -> list[str]:
        """Return the references in the outbox, oldest first."""
        query = sa.select(outbox.c.subject).where(outbox.c.kind == APPLICATION.name).order_by(outbox.c.id)
        with self.db.read() as connection:
            return list(connection.execute(query).scalars())


def open_desk(database_url: str, folder: Path) -> Desk:
    db = Database(database_url, migrations=Path(portal.platform.database.migrations.__path__[0]))
    db.upgrade()
    store = open_store(f"file:{folder / 'attachments'}", s3_endpoint=None)
    return Desk(db, store, ToldClock(), folder)
