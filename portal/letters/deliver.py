"""The outbox's handler of letters: what was sent, or will never be, is forgotten at once."""

import json
from urllib.parse import urlsplit

import sqlalchemy as sa

from portal.clock import Clock
from portal.db import Database
from portal.errors import PortalError
from portal.letters.render import Renderer
from portal.letters.tables import letters
from portal.mail.message import Mailer, Message
from portal.outbox.states import State
from portal.tenants.folder import Tenants


class SenderAway(PortalError):
    """The tenant's file is gone or broken: its letters wait."""

    transient = True


class LetterHandler:
    """Sends letters in their tenant's name."""

    def __init__(
        self, db: Database, tenants: Tenants, mailer: Mailer, renderer: Renderer, clock: Clock, *, base_url: str
    ) -> None:
        self._db = db
        self._tenants = tenants
        self._mailer = mailer
        self._renderer = renderer
        self._clock = clock
        self._base_url = base_url

    def deliver(self, subject: str, *, maybe_arrived: bool) -> None:  # noqa: ARG002  a letter that may have gone is sent again
        """One attempt; raises MailError."""
        with self._db.read() as connection:
            row = connection.execute(sa.select(letters).where(letters.c.id == subject)).one()
        tenant = self._tenants.get(row.tenant)
        if tenant is None:
            raise SenderAway(f"tenant {row.tenant} has no usable file")
        home = f"https://{tenant.site.hosts[0]}" if tenant.site.hosts else f"{self._base_url}/{tenant.slug}"
        facts = {**json.loads(row.facts), "tenant": tenant, "home": home}
        words = self._renderer.render(row.template, row.locale, facts)
        self._mailer.send(
            Message(
                sender=tenant.mail.sender or f"careers@{urlsplit(self._base_url).hostname}",
                to=row.recipient,
                subject=words.subject,
                text=words.text,
                html=words.html,
                reference=subject,
                at=self._clock.now(),
            )
        )

    def settled(self, connection: sa.Connection, subject: str, state: State) -> None:
        """Address and words go as soon as they are of no more use."""
        if state in {State.DELIVERED, State.DEAD}:
            connection.execute(
                letters.update()
                .where(letters.c.id == subject)
                .values(recipient=None, facts=None, settled_at=self._clock.now())
            )
