"""What a tenant file says, typed. Its sections are checked where toml.py reads one, and not where code makes them."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated

from pydantic import Field, StrictBool

from portal.tenants.values import (
    Accent,
    Attribute,
    Focus,
    Heading,
    HostName,
    HttpsAddress,
    KeyFile,
    Label,
    Language,
    Listed,
    MailAddress,
    Mailbox,
    Paragraph,
    PostingAttribute,
    PushKey,
    Region,
    Text,
    TimeZone,
)


@dataclass(frozen=True, slots=True)
class TrackerLink:
    """Where the tenant's recruitment tracking service is. `slug` is {publicTenantSlug} of §4.8."""

    base_url: str
    slug: str
    api_key: str = field(repr=False)


class SalaryUnit(StrEnum):
    """What a salary is paid for; the values are schema.org's `unitText`."""

    HOUR = "HOUR"
    DAY = "DAY"
    WEEK = "WEEK"
    MONTH = "MONTH"
    YEAR = "YEAR"


@dataclass(frozen=True, slots=True)
class Publish:
    """Which vacancies are public and what of them is shown.

    posting_attribute: None when the posting id is the vacancy's id, else the attributeDefinitionId that bears it.
    salary_unit: None where the tenant did not say; then no period is shown and no structured salary is published.
    facets: what a filter is called → the attributeDefinitionId whose values it offers.
    """

    stages: Listed[frozenset[Text]] = frozenset()
    posting_attribute: Annotated[PostingAttribute, Field(alias="posting_id")] = None
    show_salary: StrictBool = False
    salary_unit: SalaryUnit | None = None
    show_client: StrictBool = False
    facets: Annotated[dict[Label, Attribute], Field(max_length=8)] = field(default_factory=dict, hash=False)


class Font(StrEnum):
    """Six stacks of fonts that visitors' systems have, then three that we send."""

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
"""What a link says, and where it leads."""
Links = Annotated[Listed[tuple[Listed[Link], ...]], Field(max_length=8)]


@dataclass(frozen=True, slots=True)
class Why:
    """One reason to work there."""

    title: Heading
    text: Paragraph


Whys = Annotated[Listed[tuple[Why, ...]], Field(max_length=3)]


@dataclass(frozen=True, slots=True)
class Quote:
    """What somebody who works there says. by: who, as it is shown."""

    text: Paragraph
    by: Heading | None = None


@dataclass(frozen=True, slots=True)
class SiteText:
    """What a tenant says in one language; what is None or empty is said in the words of the file's other sections.

    stages: stage name → public word. facets: a filter's label → what it is called.
    """

    tagline: Text | None = None
    about: Text | None = None
    consent: Text | None = None
    privacy_url: HttpsAddress | None = None
    links: Links = ()
    why: Whys = ()
    quote: Quote | None = None
    stages: dict[str, Text] = field(default_factory=dict)
    facets: dict[str, Label] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Site:
    """How the tenant's pages look and speak. `locales[0]` is the default; `accent` is #rrggbb.

    cover_focus: the point of the cover that stays in sight when it is cut, from the left and from the top.
    radius: of corners, CSS px. timezone: of times on pages and in mails. text: the tenant's words by language.
    """

    locales: Annotated[Listed[tuple[Language, ...]], Field(min_length=1)] = ("en",)
    accent: Accent = "#0b5fff"
    logo: HttpsAddress | None = None
    tagline: Text | None = None
    about: Text | None = None
    hosts: Listed[tuple[HostName, ...]] = ()
    cover: HttpsAddress | None = None
    cover_focus: Focus = "50% 50%"
    font: Font = Font.SYSTEM
    radius: Annotated[int, Field(strict=True, ge=0, le=24)] = 10
    links: Links = ()
    timezone: TimeZone = "UTC"
    why: Whys = ()
    quote: Quote | None = None
    text: dict[Language, SiteText] = field(default_factory=dict, hash=False)


class Bots(StrEnum):
    """What is done about applications that a program may have sent. None is refused."""

    COUNT = "count"
    """They are counted and sent like any other."""
    REVIEW = "review"
    """What looks so is held for the operator."""
    PROOF = "proof"
    """Above a rate a browser proves work, and who has no proof confirms by mail."""


@dataclass(frozen=True, slots=True)
class Apply:
    """What the application form asks beside §4.8. `phone_region` is ISO 3166-1 alpha-2.

    contact: whom an applicant can ask. read_cv: whether the form offers what the CV says.
    """

    privacy_url: HttpsAddress | None = None
    consent: Text | None = None
    phone_region: Region | None = None
    bots: Bots = Bots.COUNT
    answer_within_days: Annotated[int, Field(strict=True, ge=1, le=365)] | None = None
    contact: MailAddress | None = None
    read_cv: StrictBool = True

    def answer_by(self, accepted_at: datetime) -> datetime | None:
        """Until when the company means to answer what came at that instant; None where it does not say."""
        return accepted_at + timedelta(days=self.answer_within_days) if self.answer_within_days else None


@dataclass(frozen=True, slots=True)
class Profile:
    """What self-service shows of an application's standing: stage name → public word."""

    show_status: StrictBool = False
    stages: dict[str, Text] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MailAddresses:
    """`sender` as in a From header; `operator` is told about submissions that cannot be delivered."""

    sender: Annotated[Mailbox | None, Field(alias="from")] = None
    operator: Mailbox | None = None


Synonyms = Annotated[Listed[tuple[Label, ...]], Field(max_length=20)]


@dataclass(frozen=True, slots=True)
class Search:
    """synonyms: a word → words that find the same jobs as it does."""

    synonyms: Annotated[dict[Label, Synonyms], Field(max_length=200)] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Push:
    """Whom to tell at once of a job that is new, changed or closed; nobody unless it is said.

    index_now: the key, which is served at the site. google: the JSON file of a service account.
    """

    index_now: PushKey | None = None
    google: KeyFile | None = None


@dataclass(frozen=True, slots=True)
class Tenant:
    """One company with a careers site here."""

    slug: str
    name: str
    tracker: TrackerLink
    publish: Publish = field(default_factory=Publish)
    site: Site = field(default_factory=Site)
    embed_origins: tuple[str, ...] = ()
    apply: Apply = Apply()
    profile: Profile = field(default_factory=Profile)
    mail: MailAddresses = MailAddresses()
    push: Push = Push()
    search: Search = field(default_factory=Search)
