"""Changes of Ada's record without pages: accepted, processed, and handled by an operator's commands."""

import io
import json
import secrets
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import sqlalchemy as sa
from click.testing import CliRunner, Result

from portal.background.outbox.tables import outbox
from portal.cli import portal as command
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.record_changes import change
from portal.delivery.record_changes.change import Change, NewChange
from portal.delivery.record_changes.model import CurrentRecord, ProfileEntry, Record, fetch
from portal.delivery.uploads import storing
from portal.people.index import index
from portal.people.signin.sessions import Session
from portal.people.signin.tables import sessions
from portal.platform.crypto.sealing import Seal, address_hash
from tests import builders
from tests.builders import SECRET, Portal
from tests.site.account.candidate import ADA, candidate
from tests.site.account.conftest import FILE


class Relay(httpx.BaseTransport):
    """The connection to the service. refuse: answers changes with that status; down: cuts it."""

    def __init__(self) -> None:
        self.service: httpx.BaseTransport | None = None
        self.down = False
        self.refuse: int | None = None
        self.sent: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.down or self.service is None:
            raise httpx.ConnectError("refused", request=request)
        if request.method == "POST":
            if self.refuse:
                return httpx.Response(self.refuse, json={})
            self.sent.append(json.loads(request.read())["firstName"])
        return self.service.handle_request(request)


@dataclass
class ChangeScene:
    portal: Portal
    relay: Relay
    seal: Seal = field(default_factory=lambda: Seal(SECRET))

    @property
    def db(self):
        return self.portal.parts.database

    def session(self) -> Session:
        """Ada, signed in."""
        address, now = address_hash(self.seal, "acme", ADA), self.portal.parts.clock.now()
        with self.db.write() as connection:
            if not connection.execute(sa.select(sessions.c.token)).first():
                connection.execute(
                    sessions.insert().values(
                        token="h",
                        tenant="acme",
                        address=address,
                        sealed_address=self.seal.seal(ADA),
                        opened_at=now,
                        used_at=now,
                    )
                )
        return Session("acme", "h", address, ADA, self.ada().key, now)

    def ada(self) -> index.IndexedCandidate:
        (who,) = index.with_address(self.db, self.seal, "acme", ADA)
        return who

    def now(self) -> CurrentRecord:
        tenant = self.portal.parts.tenants.get("acme")
        found = fetch(self.portal.parts.upstream(tenant), self.ada())
        assert found is not None
        return found

    def send(self, first_name: str, *, replaces: str = "", before: CurrentRecord | None = None, cv: bytes = b"") -> str:
        """Send a change of the first name as from a form; return its reference."""
        parts, form_id = self.portal.parts, secrets.token_hex(16)
        return change.accept(
            self.db,
            self.seal,
            Change(
                parts.tenants.require("acme"),
                self.session(),
                self.ada(),
                before or self.now(),
                NewChange(
                    form_id,
                    Record(first_name, "Lovelace", emails=(ProfileEntry(ADA, "personal", True),)),
                    self._stored(cv, form_id) if cv else None,
                    "en",
                    replaces,
                ),
            ),
            clock=parts.clock,
        )

    def _stored(self, cv: bytes, form_id: str) -> str:
        return storing.store_file(
            self.db,
            self.portal.parts.store,
            self.seal,
            tenant="acme",
            form_id=form_id,
            file=io.BytesIO(cv),
            filename="cv.txt",
            max_bytes=10_000,
            clock=self.portal.parts.clock,
        ).handle

    def state(self, reference: str) -> str:
        with self.db.read() as connection:
            return connection.execute(sa.select(outbox.c.state).where(outbox.c.subject == reference)).scalar_one()

    def kept(self, reference: str) -> bool:
        """Return whether the contents of the change are still stored."""
        c = deliveries.c
        with self.db.read() as connection:
            return connection.execute(sa.select(c.sealed).where(c.reference == reference)).scalar_one() is not None

    def deliver(self, *, after: float = 0) -> None:
        self.portal.parts.clock.pass_time(after)
        self.portal.work.deliver_what_is_due()

    def kill(self) -> None:
        """Make the service reject requests until the waiting change fails."""
        self.relay.refuse = 422
        for _ in range(4):
            self.deliver(after=86_400 * 2)
        self.relay.refuse = None

    def operator(self, *words: str) -> Result:
        """Run a `portal` command as an operator types it."""
        settings = self.portal.parts.settings
        own = {
            "PORTAL_SECRET_KEY": SECRET,
            "PORTAL_DATABASE_URL": settings.database_url,
            "PORTAL_TENANTS": str(settings.tenants),
            "PORTAL_ATTACHMENTS": settings.attachments,
            "PORTAL_MAIL": settings.mail,
        }
        return CliRunner().invoke(command, words, env=own)


def open_scene(database_url: str, folder: Path) -> ChangeScene:
    relay = Relay()
    made = builders.portal(folder / "portal", database_url=database_url, transport=relay)
    relay.service = made.service.transport
    made.add_tenant("acme", "Acme", FILE)
    made.service.load("acme", [candidate(phoneNumbers=None, socialMedia=None)])
    made.work.index_what_is_due()
    return ChangeScene(made, relay)
