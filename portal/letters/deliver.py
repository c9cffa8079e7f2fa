"""The outbox's handler of letters: what was sent, or will never be, is forgotten at once."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from functools import partial
from urllib.parse import urlsplit

import sqlalchemy as sa
from babel import Locale

from portal import moments
from portal.clock import Clock
from portal.db import Database
from portal.letters import gathering
from portal.letters.allowance import GATHERED
from portal.letters.gathering import Gathered
from portal.letters.look import PLAIN, Look, plain
from portal.letters.queue import Content, Fact
from portal.letters.render import Renderer
from portal.letters.tables import letters
from portal.mail.message import Mailer, Message
from portal.outbox.claim import Claim
from portal.outbox.states import Result, State
from portal.sealing import Seal
from portal.tenants.addresses import Addresses, addresses
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant
from portal.tenants.words import words_of


class Post:
    """Writes a letter in its tenant's name and hands it to the mail server."""

    def __init__(
        self,
        tenants: Tenants,
        mailer: Mailer,
        renderer: Renderer,
        clock: Clock,
        *,
        base_url: str,
        look_of: Callable[[Tenant], Look] = plain,
    ) -> None:
        self._look_of = look_of
        self._tenants = tenants
        self._mailer = mailer
        self._renderer = renderer
        self._clock = clock
        self._base_url = base_url

    def send(self, letter: Message) -> None:
        """One attempt; raises MailError."""
        self._mailer.send(letter)

    def written(
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
        """A letter, not sent yet; raises TenantAway. reword: the last hand on the text part.

        of_several: it speaks of several companies, so it goes in the name of none: none may learn of another from a
        letter that comes back, or is answered.
        """
        sender = self._tenants.require(tenant)
        company = partial(self._company, locale)
        look = PLAIN if of_several else self._look_of(sender)
        about = {**facts, **company(tenant), "company_of": company, "several": of_several}
        words = self._renderer.render(template, locale, about, look)
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
            picture=look.logo,
        )

    def zone(self, slug: str) -> tzinfo:
        """Whose clocks a tenant's letters show; UTC for one that is away."""
        tenant = self._tenants.get(slug)
        return moments.zone_of(tenant.site.timezone) if tenant else UTC

    def _company(self, locale: str, slug: str) -> dict[str, object]:
        """What a template knows of a tenant; nothing of one that is away."""
        tenant = self._tenants.get(slug)
        if tenant is None:
            return {"tenant": None, "site": None, "tenant_words": None}
        site = addresses(tenant, base_url=self._base_url, lang=locale).outside()
        return {"tenant": tenant, "site": site, "tenant_words": words_of(tenant, locale)}


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
            gathered = gathering.opened(connection, claimed.subject) if row and row.template == GATHERED else None
        if gathered is not None:
            self._send_gathered(gathered, claimed.subject)
            return Result.DELIVERED
        if row is None or row.sealed is None:
            return Result.OVERTAKEN  # withdrawn meanwhile
        content = Content.opened(self._seal, row.sealed)
        self._post.send(
            self._post.written(
                tenant=row.tenant,
                template=row.template,
                locale=row.locale,
                recipient=content.recipient,
                facts=_in_words(content.facts, row.locale, self._post.zone(row.tenant)),
                reference=claimed.subject,
            )
        )
        return Result.DELIVERED

    def _send_gathered(self, gathered: Gathered, reference: str) -> None:
        opened = [
            (tenant, template, Content.opened(self._seal, sealed)) for tenant, template, sealed in gathered.letters
        ]
        said: dict[str, list[dict[str, object]]] = {what: [] for what in (*gathering.APPLICATIONS, "again")}
        for tenant, template, content in opened:
            what = "again" if content.facts.get("again") else template
            said[what].append(
                {
                    "when": None,
                    "delivered": None,
                    "key": None,
                    "answer_by": None,
                    **_in_words(content.facts, gathered.locale, self._post.zone(tenant)),
                    "slug": tenant,
                }
            )
        self._post.send(
            self._post.written(
                tenant=gathered.tenant,
                template=GATHERED,
                locale=gathered.locale,
                recipient=opened[-1][2].recipient,
                facts={"said": said, "more": gathered.more, "several": gathered.several},
                reference=reference,
                of_several=gathered.several,
            )
        )

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
                letters.update()
                .where(sa.or_(letters.c.id.in_(subjects), letters.c.gathering.in_(subjects)))
                .values(sealed=None, settled_at=self._clock.now())
            )


def _unsubscribe(facts: Mapping[str, object], site: object) -> str | None:
    """Of a letter that its reader subscribed to, and may end by one button of their mail program."""
    if isinstance(site, Addresses) and "alert" in facts:
        return site.alert_end(str(facts["alert"]), str(facts["key"]))
    return None


def _in_words(facts: Mapping[str, Fact], locale: str, zone: tzinfo) -> dict[str, object]:
    """Facts for a template. A time is kept as an instant: putting it into words would keep the person waiting who
    caused the letter.
    """
    language, said = Locale.parse(locale, sep="-"), dict[str, object](facts)
    for name in ("when", "delivered", "withdrawn"):
        if isinstance(at := facts.get(name), str):
            said[name] = moments.in_words(datetime.fromisoformat(at), language, zone)
    for name in ("answer_by", "before"):
        if isinstance(day := facts.get(name), str):
            said[name] = moments.day_in_words(moments.date_of(datetime.fromisoformat(day), zone), language)
    return said
