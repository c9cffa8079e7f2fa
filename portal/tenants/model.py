"""A tenant file's content, typed. Only toml.py validates the sections; other code can build them unchecked."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field, StrictBool

from portal.tenants.retention import Retention
from portal.tenants.values import (
    Accent,
    Attribute,
    Focus,
    FormerPath,
    FromList,
    Heading,
    HostName,
    HttpsAddress,
    KeyFile,
    Label,
    Language,
    MailAddress,
    Mailbox,
    MovedTo,
    Paragraph,
    PostingAttribute,
    PushKey,
    Quotation,
    Region,
    Script,
    Text,
    TimeZone,
    Verification,
)
from portal.tenants.webhooks import Webhooks


@dataclass(frozen=True, slots=True)
class TrackerLink:
    """The connection to the tenant's recruitment tracking service. `slug` is {publicTenantSlug} of §4.8."""

    base_url: str
    slug: str
    api_key: str = field(repr=False)


class SalaryUnit(StrEnum):
    """The period that a salary is paid for; the values are schema.org's `unitText`."""

    HOUR = "HOUR"
    DAY = "DAY"
    WEEK = "WEEK"
    MONTH = "MONTH"
    YEAR = "YEAR"


@dataclass(frozen=True, slots=True)
class PublishSettings:
    """Which vacancies are public, and what is shown of them.

    posting_attribute: None if the posting id is the vacancy's id, else the attributeDefinitionId that holds it, in the
    file `posting_id = "attribute:ID"`. salary_unit: None if not configured; then no period is shown and no structured
    salary is published. facets: a filter's label → the attributeDefinitionId whose values it offers.
    """

    stages: FromList[frozenset[Text]] = frozenset()
    posting_attribute: Annotated[PostingAttribute, Field(alias="posting_id")] = None
    show_salary: StrictBool = False
    salary_unit: SalaryUnit | None = None
    show_client: StrictBool = False
    facets: Annotated[dict[Label, Attribute], Field(max_length=8)] = field(default_factory=dict, hash=False)


class Font(StrEnum):
    """Six stacks of fonts that visitors' systems have, then three that the portal serves."""

    SYSTEM = "system"
    HUMANIST = "humanist"
    GEOMETRIC = "geometric"
    ROUNDED = "rounded"
    SERIF = "serif"
    SLAB = "slab"
    INTER = "inter"
    FIGTREE = "figtree"
    SOURCE_SERIF = "source-serif"


Link = tuple[Label, HttpsAddress]
"""(text, URL)"""
Links = Annotated[FromList[tuple[FromList[Link], ...]], Field(max_length=8)]


@dataclass(frozen=True, slots=True)
class ReasonToJoin:
    """One reason to work for the company."""

    title: Heading
    text: Paragraph


ReasonsToJoin = Annotated[FromList[tuple[ReasonToJoin, ...]], Field(max_length=3)]


@dataclass(frozen=True, slots=True)
class Quote:
    """A quotation of an employee. by: who said it, as it is shown."""

    text: Paragraph
    by: Heading | None = None


@dataclass(frozen=True, slots=True)
class Person:
    """A person who works for the company. says: a quotation of them."""

    name: Label
    role: Heading | None = None
    picture: HttpsAddress | None = None
    says: Quotation | None = None


def _each_once(people: tuple[Person, ...]) -> tuple[Person, ...]:
    if len({person.name for person in people}) < len(people):
        raise ValueError("a name is there twice: each person once")
    return people


People = Annotated[FromList[tuple[Person, ...]], Field(max_length=6), AfterValidator(_each_once)]


@dataclass(frozen=True, slots=True)
class PersonText:
    """The texts about a person in one language; [[site.people]] replaces those that are None."""

    name: Label | None = None
    role: Heading | None = None
    says: Quotation | None = None


Benefits = Annotated[FromList[tuple[Label, ...]], Field(max_length=12)]


@dataclass(frozen=True, slots=True)
class SiteText:
    """The tenant's texts in one language; the texts of the file's other sections replace those that are None or empty.

    people: a person's name in [[site.people]] → the texts about them. stages: stage name → public word. facets: a
    filter's label in [publish.facets] → its translation.
    """

    tagline: Text | None = None
    about: Text | None = None
    consent: Text | None = None
    privacy_url: HttpsAddress | None = None
    links: Links = ()
    why: ReasonsToJoin = ()
    quote: Quote | None = None
    people: dict[str, PersonText] = field(default_factory=dict)
    benefits: Benefits = ()
    stages: dict[str, Text] = field(default_factory=dict)
    facets: dict[str, Label] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Site:
    """Appearance and texts of the tenant's pages. In dark mode logo_dark and cover_dark replace logo and cover."""

    locales: Annotated[FromList[tuple[Language, ...]], Field(min_length=1)] = ("en",)
    """The first is the default language."""
    accent: Accent = "#0b5fff"
    """#rrggbb."""
    logo: HttpsAddress | None = None
    logo_dark: HttpsAddress | None = None
    tagline: Text | None = None
    about: Text | None = None
    hosts: FromList[tuple[HostName, ...]] = ()
    cover: HttpsAddress | None = None
    cover_dark: HttpsAddress | None = None
    cover_focus: Focus = "50% 50%"
    """The point of the cover that stays visible when it is cropped, from the left and from the top."""
    font: Font = Font.SYSTEM
    radius: Annotated[int, Field(strict=True, ge=0, le=24)] = 10
    """Of corners, in CSS px."""
    links: Links = ()
    timezone: TimeZone = "UTC"
    """Of times on pages and in mails."""
    why: ReasonsToJoin = ()
    quote: Quote | None = None
    analytics: Script | None = None
    """A script for the public pages (analytics_script in portal/site/headers.py)."""
    people: People = ()
    benefits: Benefits = ()
    text: dict[Language, SiteText] = field(default_factory=dict, hash=False)
    """The tenant's texts by language."""
    redirects: Annotated[dict[FormerPath, MovedTo], Field(max_length=500)] = field(default_factory=dict, hash=False)
    """Addresses of a former site."""
    verification: Annotated[FromList[tuple[Verification, ...]], Field(max_length=10)] = ()
    """<meta> tags of search engines for the job list page."""


class Bots(StrEnum):
    """What happens to applications that a bot may have sent. None is rejected."""

    COUNT = "count"
    """They are counted, and sent like any other."""
    REVIEW = "review"
    """Suspicious ones are held for the operator's review."""
    PROOF = "proof"
    """Above a rate, the browser computes a proof of work; without one, the sender confirms by email."""


@dataclass(frozen=True, slots=True)
class ApplySettings:
    """Settings of the application form, beside the fields of §4.8. `phone_region` is ISO 3166-1 alpha-2.

    contact: whom a candidate can ask. read_cv: whether the form offers data read from the CV.
    """

    privacy_url: HttpsAddress | None = None
    consent: Text | None = None
    phone_region: Region | None = None
    bots: Bots = Bots.COUNT
    answer_within_days: Annotated[int, Field(strict=True, ge=1, le=365)] | None = None
    contact: MailAddress | None = None
    read_cv: StrictBool = True

    def answer_by(self, accepted_at: datetime) -> datetime | None:
        """Return until when the company intends to respond to an application of that time; None if it does not say."""
        return accepted_at + timedelta(days=self.answer_within_days) if self.answer_within_days else None


@dataclass(frozen=True, slots=True)
class Profile:
    """What self-service shows of an application's status. stages: stage name → public word."""

    show_status: StrictBool = False
    stages: dict[str, Text] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MailAddresses:
    """`sender` as in a From header; `operator` is notified of submissions that cannot be delivered."""

    sender: Annotated[Mailbox | None, Field(alias="from")] = None
    operator: Mailbox | None = None


Synonyms = Annotated[FromList[tuple[Label, ...]], Field(max_length=20)]


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Settings of the job search. synonyms: a word → further words that find the same jobs."""

    synonyms: Annotated[dict[Label, Synonyms], Field(max_length=200)] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PushSettings:
    """The search engines that are notified immediately of new, changed and closed jobs; none by default.

    index_now: the key, which the site serves. google: the JSON file of a service account.
    """

    index_now: PushKey | None = None
    google: KeyFile | None = None


@dataclass(frozen=True, slots=True)
class Feeds:
    """Settings of the feeds. jsonp: whether job boards get a script if they name a `callback`.

    That script runs in any site's page.
    """

    jsonp: bool = False


@dataclass(frozen=True, slots=True)
class Tenant:
    """One company with a careers site here."""

    slug: str
    name: str
    tracker: TrackerLink
    publish: PublishSettings = field(default_factory=PublishSettings)
    site: Site = field(default_factory=Site)
    embed_origins: tuple[str, ...] = ()
    apply: ApplySettings = ApplySettings()
    profile: Profile = field(default_factory=Profile)
    mail: MailAddresses = MailAddresses()
    push: PushSettings = PushSettings()
    search: SearchSettings = field(default_factory=SearchSettings)
    feeds: Feeds = Feeds()
    webhooks: Webhooks = field(default_factory=Webhooks)
    retention: Retention = field(default_factory=Retention)
