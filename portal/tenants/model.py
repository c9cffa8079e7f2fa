"""What a tenant file says, typed. Its sections are checked where toml.py reads one, and not where code makes them."""

import re
from dataclasses import dataclass, field
from email.headerregistry import Address
from email.utils import parseaddr
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar
from urllib.parse import urlsplit

import idna
from babel.core import Locale, UnknownLocaleError
from phonenumbers import SUPPORTED_REGIONS
from pydantic import AfterValidator, BeforeValidator, Field, StrictBool

SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,49}")
PUBLIC_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
"""What a posting's id or a slug must look like before anything is looked up."""
_LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_HOST_NAME = re.compile(rf"(?=.{{1,253}}$)({_LABEL}\.)+(?=[a-z]){_LABEL}")
"""The last part begins with a letter: an IP address is nobody's own host."""


def _web_address(value: str, *, schemes: tuple[str, ...]) -> str:
    try:
        parts = urlsplit(value)
        usable = parts.scheme in schemes and parts.hostname and not parts.username and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not re.fullmatch(r"[\x21-\x7e]{1,2000}", value):
        raise ValueError(f"expected an address that starts with {' or '.join(s + '://' for s in schemes)}")
    return value


def _service(value: str) -> str:
    address = _web_address(value, schemes=("https", "http"))
    if urlsplit(address).query or urlsplit(address).fragment:
        raise ValueError("expected an address without query and fragment")
    return address.rstrip("/")


def _https(value: str) -> str:
    return _web_address(value, schemes=("https",))


def _origin(value: str) -> str:
    parts = urlsplit(_web_address(value, schemes=("https", "http")))
    if parts.path.strip("/") or parts.query or parts.fragment or re.search(r"[;,'\"*]", value):
        raise ValueError("expected an origin such as https://www.acme.example, without a path")
    # As browsers write it: the port that goes without saying is not said.
    host = parts.netloc.lower().removesuffix(":443" if parts.scheme == "https" else ":80")
    return f"{parts.scheme}://{host}"


def host_name(value: str) -> str:
    """A host's name as DNS and browsers have it: ASCII, lower case, no final dot. Raises ValueError."""
    bare = value.removesuffix(".")
    try:
        name = bare.lower() if bare.isascii() or len(bare) > 253 else idna.encode(bare, uts46=True).decode("ascii")
    except idna.IDNAError:
        name = ""
    if not _HOST_NAME.fullmatch(name):
        raise ValueError("expected a host name such as careers.acme.example, without scheme, port and path")
    return name


def _locale(value: str) -> str:
    try:
        Locale.parse(value.replace("-", "_"))
    except (ValueError, UnknownLocaleError) as exc:
        raise ValueError('expected a language such as "en" or "pt-BR"') from exc
    return value.replace("_", "-")


def _accent(value: str) -> str:
    if not re.fullmatch(r"#[0-9a-fA-F]{6}", value):
        raise ValueError("expected a colour such as #0b5fff")
    return value.lower()


def _public_id(value: str) -> str:
    if not PUBLIC_ID.fullmatch(value):
        raise ValueError("expected 1 to 100 of A-Z a-z 0-9 _ -")
    return value


def _push_key(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9-]{8,100}", value):
        raise ValueError("expected a key of IndexNow: 8 to 100 of A-Z a-z 0-9 -; make one with `openssl rand -hex 16`")
    return value


def _key_file(value: str) -> Path:
    if not value.startswith("file:/"):
        raise ValueError('expected "file:/path" of a service account\'s JSON file')
    return Path(value.removeprefix("file:"))


def _focus(value: str) -> str:
    if not re.fullmatch(r"(100|[1-9]?\d)% (100|[1-9]?\d)%", value):
        raise ValueError('expected two percentages such as "50% 30%", from the left and from the top')
    return value


def _region(value: str) -> str:
    if value not in SUPPORTED_REGIONS:
        raise ValueError('expected a country such as "DE"')
    return value


def _posting_attribute(value: str) -> str | None:
    if value != "id" and not re.fullmatch(r"attribute:\S.{0,199}", value):
        raise ValueError('expected "id" or "attribute:<attributeDefinitionId>"')
    return None if value == "id" else value.removeprefix("attribute:")


def _mailbox(value: str) -> str:
    name, address = parseaddr(value)
    try:
        Address(display_name=name, addr_spec=address)
    except (ValueError, IndexError) as exc:
        raise ValueError('expected an address such as "Acme careers <careers@acme.example>"') from exc
    if "@" not in address or re.search(r"[\r\n\x00]", value):
        raise ValueError('expected an address such as "Acme careers <careers@acme.example>"')
    return value


def _list(value: object) -> object:
    if not isinstance(value, list):
        raise ValueError("expected a list")  # noqa: TRY004  pydantic's own way to refuse a value
    return value


_T = TypeVar("_T")
Listed = Annotated[_T, BeforeValidator(_list)]
"""A tuple or set that the file writes as a list."""
Text = Annotated[str, Field(min_length=1, max_length=5_000)]
ServiceAddress = Annotated[str, AfterValidator(_service)]
HttpsAddress = Annotated[str, AfterValidator(_https)]
Origin = Annotated[str, AfterValidator(_origin)]
PublicId = Annotated[str, AfterValidator(_public_id)]
Mailbox = Annotated[str, AfterValidator(_mailbox)]


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
    """

    stages: Listed[frozenset[Text]] = frozenset()
    posting_attribute: Annotated[str | None, AfterValidator(_posting_attribute), Field(alias="posting_id")] = None
    show_salary: StrictBool = False
    salary_unit: SalaryUnit | None = None
    show_client: StrictBool = False


class Font(StrEnum):
    """Stacks of fonts that visitors' systems have."""

    SYSTEM = "system"
    HUMANIST = "humanist"
    GEOMETRIC = "geometric"
    ROUNDED = "rounded"
    SERIF = "serif"
    SLAB = "slab"


Link = tuple[Annotated[str, Field(min_length=1, max_length=60)], HttpsAddress]
"""What a link says, and where it leads."""


@dataclass(frozen=True, slots=True)
class Site:
    """How the tenant's pages look and speak. `locales[0]` is the default; `accent` is #rrggbb.

    cover_focus: the point of the cover that stays in sight when it is cut, from the left and from the top.
    radius: of corners, CSS px.
    """

    locales: Annotated[Listed[tuple[Annotated[str, AfterValidator(_locale)], ...]], Field(min_length=1)] = ("en",)
    accent: Annotated[str, AfterValidator(_accent)] = "#0b5fff"
    logo: HttpsAddress | None = None
    tagline: Text | None = None
    about: Text | None = None
    hosts: Listed[tuple[Annotated[str, AfterValidator(host_name)], ...]] = ()
    cover: HttpsAddress | None = None
    cover_focus: Annotated[str, AfterValidator(_focus)] = "50% 50%"
    font: Font = Font.SYSTEM
    radius: Annotated[int, Field(strict=True, ge=0, le=24)] = 10
    links: Annotated[Listed[tuple[Listed[Link], ...]], Field(max_length=8)] = ()


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
    """What the application form asks beside §4.8. `phone_region` is ISO 3166-1 alpha-2."""

    privacy_url: HttpsAddress | None = None
    consent: Text | None = None
    phone_region: Annotated[str, AfterValidator(_region)] | None = None
    bots: Bots = Bots.COUNT


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


@dataclass(frozen=True, slots=True)
class Push:
    """Whom to tell at once of a job that is new, changed or closed; nobody unless it is said.

    index_now: the key, which is served at the site. google: the JSON file of a service account.
    """

    index_now: Annotated[str, AfterValidator(_push_key)] | None = None
    google: Annotated[Path, BeforeValidator(_key_file)] | None = None


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
    push: Push = Push()
