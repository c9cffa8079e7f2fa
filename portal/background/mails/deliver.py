"""The outbox's handler of emails. Contents are erased once an email is sent or can no longer be sent."""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import Protocol
from urllib.parse import urlsplit

import sqlalchemy as sa
from babel import Locale

from portal.adapters.mail.message import Mailer, Message
from portal.background.mails import digest
from portal.background.mails.digest import DigestContents
from portal.background.mails.queue import Content, Fact
from portal.background.mails.quota import DIGEST_TEMPLATE
from portal.background.mails.render import PLAIN, MailDesign, Renderer, plain
from portal.background.mails.tables import letters
from portal.background.outbox.claim import Claim
from portal.background.outbox.states import OutboxState, Result
from portal.platform import local_time
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal, Unreadable
from portal.platform.database.db import Database
from portal.platform.errors import MailDefersAll, MailDelayed
from portal.tenants.addresses import Addresses, addresses
from portal.tenants.model import Tenant
from portal.tenants.words import words_of

_DOMAINS = 3
"""Number of different recipient domains that have to be deferred in a row."""
_WINDOW = 600.0
"""Seconds within which they count. A few full mailboxes that are retried every few hours at night are no outage."""


class Deferrals:
    """The deferrals in this process since the last accepted message. Thread-safe."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._deferred_at: dict[str, float] = {}

    @contextmanager
    def counted(self, message: Message) -> Iterator[None]:
        """Send one message in the block. Raises MailDefersAll instead of MailDelayed if every domain is deferred."""
        try:
            yield
        except MailDelayed as error:
            if not error.of_sender and self._is_every_domain(message.domain):
                raise MailDefersAll(f"the mail server defers every message: {error}") from None
            raise
        with self._lock:
            self._deferred_at.clear()

    def _is_every_domain(self, domain: str) -> bool:
        now = self._clock.monotonic()
        with self._lock:
            self._deferred_at[domain] = now
            recent = {name: at for name, at in self._deferred_at.items() if now - at <= _WINDOW}
            self._deferred_at = recent
            return len(recent) >= _DOMAINS


log = logging.getLogger(__name__)


class SenderSource(Protocol):
    """The companies in whose name emails are sent: the tenant files, or the service's tenants."""

    def get(self, slug: str) -> Tenant | None:
        """Return the company with that slug, or None."""

    def require(self, slug: str) -> Tenant:
        """Return the company with that slug. Raises TenantMissing."""


class MailComposer:
    """The writer of emails in a tenant's name, which also passes them to the mail server."""

    def __init__(
        self,
        tenants: SenderSource,
        mailer: Mailer,
        renderer: Renderer,
        clock: Clock,
        *,
        base_url: str,
        design_of: Callable[[Tenant], MailDesign] = plain,
    ) -> None:
        self._design_of = design_of
        self._deferrals = Deferrals(clock)
        self._tenants = tenants
        self._mailer = mailer
        self._renderer = renderer
        self._clock = clock
        self._base_url = base_url

    def send(self, message: Message) -> None:
        """Make one attempt to send an email; raises MailError."""
        with self._deferrals.counted(message):
            self._mailer.send(message)

    def compose(
        self,
        *,
        tenant: str,
        template: str,
        locale: str,
        recipient: str,
        facts: Mapping[str, object],
        reference: str,
        reword: Callable[[str], str] = str,
        of_several: bool = False,
    ) -> Message:
        """Return an email, not sent yet; raises TenantMissing. reword: a last change of the text part.

        of_several: the email concerns several companies, so it names none as its sender: no company may learn of
        another from a bounced email or a reply.
        """
        sender = self._tenants.require(tenant)
        company = partial(self._company, locale)
        design = PLAIN if of_several else self._design_of(sender)
        about = {**facts, **company(tenant), "company_of": company, "several": of_several}
        words = self._renderer.render(template, locale, about, design)
        own = None if of_several else sender.mail.sender
        return Message(
            sender=own or f"careers@{urlsplit(self._base_url).hostname}",
            to=recipient,
            subject=words.subject,
            text=reword(words.text),
            html=words.html,
            reference=reference,
            at=self._clock.now(),
            unsubscribe=_unsubscribe(facts, company(tenant)["site"]),
            reply_to=str(facts["reply_to"]) if "reply_to" in facts else None,
            pictures=tuple(picture for picture in (design.logo, design.logo_dark) if picture),
        )

    def zone(self, slug: str) -> tzinfo:
        """Return the time zone for times in a tenant's emails; UTC if the tenant is missing."""
        tenant = self._tenants.get(slug)
        return local_time.zone_of(tenant.site.timezone) if tenant else UTC

    def _company(self, locale: str, slug: str) -> dict[str, object]:
        """Return a tenant's facts for templates; None for each fact if the tenant is missing."""
        tenant = self._tenants.get(slug)
        if tenant is None:
            return {"tenant": None, "site": None, "tenant_words": None}
        site = addresses(tenant, base_url=self._base_url, lang=locale).outside()
        return {"tenant": tenant, "site": site, "tenant_words": words_of(tenant, locale)}


class MailHandler:
    """The outbox handler that sends queued emails."""

    def __init__(self, db: Database, seal: Seal, composer: MailComposer, clock: Clock) -> None:
        self._db = db
        self._seal = seal
        self._composer = composer
        self._clock = clock

    def deliver(self, claimed: Claim) -> Result:
        """Make one attempt; raises MailError, TenantMissing. An email that may have been sent already is sent again."""
        with self._db.read() as connection:
            row = connection.execute(sa.select(letters).where(letters.c.id == claimed.subject)).one_or_none()
            gathered = digest.opened(connection, claimed.subject) if row and row.template == DIGEST_TEMPLATE else None
            joined = digest.joined(connection, claimed.subject) if gathered is None else []
        if gathered is not None:
            self._send_digest(gathered, claimed.subject)
            return Result.DELIVERED
        if row is None or row.sealed is None:
            return Result.OVERTAKEN  # the email was withdrawn in the meantime
        content = self._merged([row.sealed, *joined])
        self._composer.send(
            self._composer.compose(
                tenant=row.tenant,
                template=row.template,
                locale=row.locale,
                recipient=content.recipient,
                facts=_in_words(content.facts, row.locale, self._composer.zone(row.tenant)),
                reference=claimed.subject,
            )
        )
        return Result.DELIVERED

    def _merged(self, sealed: list[str]) -> Content:
        """Merge an email with the references of those that joined it.

        Raises Unreadable if none of them can be decrypted.
        """
        readable: list[Content] = []
        for one in sealed:
            try:
                readable.append(Content.opened(self._seal, one))
            except Unreadable:
                if one is sealed[-1] and not readable:
                    raise
        if len(sealed) == 1:
            return readable[0]
        if missing := len(sealed) - len(readable):
            log.error(
                "%d references of a digest cannot be read; `portal submissions list --state dead` has them", missing
            )
        references = [one for content in readable for one in content.facts["references"] or ()]
        return Content(readable[-1].recipient, {**readable[-1].facts, "references": references})

    def _send_digest(self, gathered: DigestContents, reference: str) -> None:
        opened = [
            (tenant, template, Content.opened(self._seal, sealed)) for tenant, template, sealed in gathered.emails
        ]
        emails: dict[str, list[dict[str, object]]] = {what: [] for what in (*digest.APPLICATIONS, "again")}
        for tenant, template, content in opened:
            what = "again" if content.facts.get("again") else template
            emails[what].append(
                {
                    "when": None,
                    "delivered": None,
                    "key": None,
                    "answer_by": None,
                    "zone": None,
                    **_in_words(content.facts, gathered.locale, self._composer.zone(tenant)),
                    "slug": tenant,
                }
            )
        self._composer.send(
            self._composer.compose(
                tenant=gathered.tenant,
                template=DIGEST_TEMPLATE,
                locale=gathered.locale,
                recipient=opened[-1][2].recipient,
                facts={
                    "emails": emails,
                    "more": gathered.more,
                    "several": gathered.several,
                    "zone": _same_zone(emails),
                },
                reference=reference,
                of_several=gathered.several,
            )
        )

    def settled(
        self,
        connection: sa.Connection,
        subjects: Sequence[str],
        state: OutboxState,
        outcome: str | None,  # noqa: ARG002  part of the Handler protocol
    ) -> None:
        """Erase the address and the contents once they are no longer needed."""
        if state in {OutboxState.DELIVERED, OutboxState.DEAD, OutboxState.DISCARDED}:
            connection.execute(
                letters.update()
                .where(sa.or_(letters.c.id.in_(subjects), letters.c.gathering.in_(subjects)))
                .values(sealed=None, settled_at=self._clock.now())
            )


def _same_zone(emails: Mapping[str, Sequence[Mapping[str, object]]]) -> object:
    """Return the time zone of all entries, to be stated once; None if they have several, and each states its own."""
    zones = {one["zone"] for ones in emails.values() for one in ones if one["zone"]}
    return zones.pop() if len(zones) == 1 else None


def _unsubscribe(facts: Mapping[str, object], site: object) -> str | None:
    """Return the one-click unsubscribe address of an email that its reader subscribed to; None for any other email."""
    if isinstance(site, Addresses) and "alert" in facts:
        return site.alert_end(str(facts["alert"]), str(facts["key"]))
    return None


def _in_words(facts: Mapping[str, Fact], locale: str, zone: tzinfo) -> dict[str, object]:
    """Return the facts for a template, with times and days written in words, and with times the name of their zone.

    The database stores instants: formatting them when the email is queued would slow down the page that causes it.
    """
    language, words = Locale.parse(locale, sep="-"), dict[str, object](facts)
    for name in ("when", "delivered", "withdrawn"):
        if isinstance(at := facts.get(name), str):
            words[name] = local_time.in_words(datetime.fromisoformat(at), language, zone)
            words["zone"] = local_time.zone_in_words(language, zone)
    for name in ("answer_by", "before"):
        if isinstance(day := facts.get(name), str):
            words[name] = local_time.day_in_words(local_time.date_of(datetime.fromisoformat(day), zone), language)
    return words
