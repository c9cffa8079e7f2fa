"""The outbox's handler of letters: what was sent, or will never be, is forgotten at once."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from urllib.parse import urlsplit

import sqlalchemy as sa
from babel.dates import format_datetime

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


class Post:
    """Writes a letter in its tenant's name and hands it to the mail server."""

    def __init__(self, tenants: Tenants, mailer: Mailer, renderer: Renderer, clock: Clock, *, base_url: str) -> None:
        self._tenants = tenants
        self._mailer = mailer
        self._renderer = renderer
        self._clock = clock
        self._base_url = base_url

    def send(
        self,
        *,
        tenant: str,
        template: str,
        locale: str,
        recipient: str,
        facts: Mapping[str, object],
        reference: str,
        reword: Callable[[str], str] = str,
    ) -> None:
        """One attempt; raises MailError or SenderAway. reword: the last hand on the text part."""
        sender = self._tenants.get(tenant)
        if sender is None:
            raise SenderAway(f"tenant {tenant} has no usable file")
        home = f"https://{sender.site.hosts[0]}" if sender.site.hosts else f"{self._base_url}/{sender.slug}"
        words = self._renderer.render(template, locale, {**facts, "tenant": sender, "home": home})
        self._mailer.send(
            Message(
                sender=sender.mail.sender or f"careers@{urlsplit(self._base_url).hostname}",
                to=recipient,
                subject=words.subject,
                text=reword(words.text),
                html=words.html,
                reference=reference,
                at=self._clock.now(),
            )
        )


class LetterHandler:
    """Sends letters that wait."""

    def __init__(
        self, db: Database, tenants: Tenants, mailer: Mailer, renderer: Renderer, clock: Clock, *, base_url: str
    ) -> None:
        self._db = db
        self._post = Post(tenants, mailer, renderer, clock, base_url=base_url)
        self._clock = clock

    def deliver(self, subject: str, *, maybe_arrived: bool) -> None:  # noqa: ARG002  a letter that may have gone is sent again
        """One attempt; raises MailError."""
        with self._db.read() as connection:
            row = connection.execute(sa.select(letters).where(letters.c.id == subject)).one()
        if row.recipient is None:
            return  # withdrawn meanwhile
        facts = json.loads(row.facts)
        if "when" in facts:
            # Written as an instant, because putting it into words would keep the person waiting who caused the letter.
            when = datetime.fromisoformat(facts["when"])
            facts["when"] = format_datetime(when, "long", locale=row.locale.replace("-", "_"))
        self._post.send(
            tenant=row.tenant,
            template=row.template,
            locale=row.locale,
            recipient=row.recipient,
            facts=facts,
            reference=subject,
        )

    def settled(self, connection: sa.Connection, subject: str, state: State) -> None:
        """Address and words go as soon as they are of no more use."""
        if state in {State.DELIVERED, State.DEAD}:
            connection.execute(
                letters.update()
                .where(letters.c.id == subject)
                .values(recipient=None, facts=None, settled_at=self._clock.now())
            )
