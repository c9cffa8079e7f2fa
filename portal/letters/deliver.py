"""The outbox's handler of letters: what was sent, or will never be, is forgotten at once."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from urllib.parse import urlsplit

import sqlalchemy as sa
from babel.dates import format_datetime

from portal.clock import Clock
from portal.db import Database
from portal.letters.queue import Content
from portal.letters.render import Renderer
from portal.letters.tables import letters
from portal.mail.message import Mailer, Message
from portal.outbox.claim import Claim
from portal.outbox.states import Result, State
from portal.sealing import Seal
from portal.tenants.addresses import addresses
from portal.tenants.folder import Tenants


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
        """One attempt; raises MailError or TenantAway. reword: the last hand on the text part."""
        sender = self._tenants.require(tenant)
        site = addresses(sender, base_url=self._base_url, lang=locale).outside()
        words = self._renderer.render(template, locale, {**facts, "tenant": sender, "site": site})
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

    def __init__(self, db: Database, seal: Seal, post: Post, clock: Clock) -> None:
        self._db = db
        self._seal = seal
        self._post = post
        self._clock = clock

    def deliver(self, claimed: Claim) -> Result:
        """One attempt; raises MailError, TenantAway. A letter that may have gone is sent again."""
        with self._db.read() as connection:
            row = connection.execute(sa.select(letters).where(letters.c.id == claimed.subject)).one_or_none()
        if row is None or row.sealed is None:
            return Result.OVERTAKEN  # withdrawn meanwhile
        content = Content.opened(self._seal, row.sealed)
        facts = dict(content.facts)
        when = facts.get("when")
        if isinstance(when, str):
            # Written as an instant, because putting it into words would keep the person waiting who caused the letter.
            instant = datetime.fromisoformat(when)
            facts["when"] = format_datetime(instant, "long", locale=row.locale.replace("-", "_"))
        self._post.send(
            tenant=row.tenant,
            template=row.template,
            locale=row.locale,
            recipient=content.recipient,
            facts=facts,
            reference=claimed.subject,
        )
        return Result.DELIVERED

    def settled(
        self,
        connection: sa.Connection,
        subjects: Sequence[str],
        state: State,
        outcome: str | None,  # noqa: ARG002  the outbox's signature
    ) -> None:
        """Address and words go as soon as they are of no more use."""
        if state in {State.DELIVERED, State.DEAD, State.DISCARDED}:
            connection.execute(
                letters.update().where(letters.c.id.in_(subjects)).values(sealed=None, settled_at=self._clock.now())
            )
