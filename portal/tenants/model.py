"""What a tenant file says, typed."""

import re
from dataclasses import dataclass, field

SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,49}")
PUBLIC_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
"""What a posting's id or a slug must look like before anything is looked up."""


@dataclass(frozen=True, slots=True)
class TrackerLink:
    """Where the tenant's recruitment tracking service is. `slug` is {publicTenantSlug} of §4.8."""

    base_url: str
    slug: str
    api_key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Publish:
    """Which vacancies are public and what of them is shown.

    posting_attribute: None when the posting id is the vacancy's id, else the attributeDefinitionId that bears it.
    """

    stages: frozenset[str] = frozenset()
    posting_attribute: str | None = None
    show_salary: bool = False
    show_client: bool = False


@dataclass(frozen=True, slots=True)
class Site:
    """How the tenant's pages look and speak. `locales[0]` is the default; `accent` is #rrggbb."""

    locales: tuple[str, ...] = ("en",)
    accent: str = "#0b5fff"
    logo: str | None = None
    tagline: str | None = None
    about: str | None = None
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Apply:
    """What the application form asks beside §4.8. `phone_region` is ISO 3166-1 alpha-2."""

    privacy_url: str | None = None
    consent: str | None = None
    phone_region: str | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """What self-service shows of an application's standing: stage name → public word."""

    show_status: bool = False
    stages: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MailAddresses:
    """`sender` as in a From header; `operator` is told about submissions that cannot be delivered."""

    sender: str | None = None
    operator: str | None = None


@dataclass(frozen=True, slots=True)
class Tenant:
    """One company with a careers site here."""

    slug: str
    name: str
    tracker: TrackerLink
    publish: Publish = Publish()
    site: Site = Site()
    embed_origins: tuple[str, ...] = ()
    apply: Apply = Apply()
    profile: Profile = field(default_factory=Profile)
    mail: MailAddresses = MailAddresses()
