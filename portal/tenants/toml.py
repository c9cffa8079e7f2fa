"""A tenant file's text → Tenant, or a SettingsError that names the line and what was expected (contract §3)."""

import re
import tomllib
from collections.abc import Callable
from email.headerregistry import Address
from email.utils import parseaddr
from typing import Annotated, Any
from urllib.parse import urlsplit

from babel.core import Locale, UnknownLocaleError
from phonenumbers import SUPPORTED_REGIONS
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from portal.errors import SettingsError
from portal.tenants.model import (
    PUBLIC_ID,
    Apply,
    MailAddresses,
    Profile,
    Publish,
    Site,
    Tenant,
    TrackerLink,
)


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
    return f"{parts.scheme}://{parts.netloc}".lower()


def _host(value: str) -> str:
    if not re.fullmatch(r"(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)+", value.lower()):
        raise ValueError("expected a host name such as careers.acme.example")
    return value.lower()


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


def _region(value: str) -> str:
    if value not in SUPPORTED_REGIONS:
        raise ValueError('expected a country such as "DE"')
    return value


def _posting_id(value: str) -> str:
    if value != "id" and not re.fullmatch(r"attribute:\S.{0,199}", value):
        raise ValueError('expected "id" or "attribute:<attributeDefinitionId>"')
    return value


def _mailbox(value: str) -> str:
    name, address = parseaddr(value)
    try:
        Address(display_name=name, addr_spec=address)
    except (ValueError, IndexError) as exc:
        raise ValueError('expected an address such as "Acme careers <careers@acme.example>"') from exc
    if "@" not in address or re.search(r"[\r\n\x00]", value):
        raise ValueError('expected an address such as "Acme careers <careers@acme.example>"')
    return value


Text = Annotated[str, Field(min_length=1, max_length=5_000)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Tracker(_Section):
    base_url: Annotated[str, AfterValidator(_service)]
    api_key: str
    slug: Annotated[str, AfterValidator(_public_id)] | None = None


class _Publish(_Section):
    stages: list[Text] = Field(default_factory=list)
    posting_id: Annotated[str, AfterValidator(_posting_id)] = "id"
    show_salary: bool = False
    show_client: bool = False


class _Site(_Section):
    locales: Annotated[list[Annotated[str, AfterValidator(_locale)]], Field(min_length=1)] = ["en"]
    accent: Annotated[str, AfterValidator(_accent)] = Site().accent
    logo: Annotated[str, AfterValidator(_https)] | None = None
    tagline: Text | None = None
    about: Text | None = None
    hosts: list[Annotated[str, AfterValidator(_host)]] = Field(default_factory=list)


class _Embed(_Section):
    origins: list[Annotated[str, AfterValidator(_origin)]] = Field(default_factory=list)


class _Apply(_Section):
    privacy_url: Annotated[str, AfterValidator(_https)] | None = None
    consent: Text | None = None
    phone_region: Annotated[str, AfterValidator(_region)] | None = None


class _Profile(_Section):
    show_status: bool = False
    stages: dict[str, Text] = Field(default_factory=dict)


class _Mail(_Section):
    sender: Annotated[str, AfterValidator(_mailbox)] | None = Field(default=None, alias="from")
    operator: Annotated[str, AfterValidator(_mailbox)] | None = None


class _File(_Section):
    name: Annotated[str, Field(min_length=1, max_length=200)]
    tracker: _Tracker
    publish: _Publish = Field(default_factory=_Publish)
    site: _Site = Field(default_factory=_Site)
    embed: _Embed = Field(default_factory=_Embed)
    apply: _Apply = Field(default_factory=_Apply)
    profile: _Profile = Field(default_factory=_Profile)
    mail: _Mail = Field(default_factory=_Mail)


def parse(slug: str, text: str, *, read_secret: Callable[[str], str]) -> Tenant:
    """The tenant that `text` describes. read_secret turns `env:NAME` or `file:/path` into the key.

    Raises SettingsError "line N: key: what was expected"; no value of the file is repeated in it.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise SettingsError(_syntax_error(str(exc))) from exc
    try:
        file = _File.model_validate(data)
    except ValidationError as exc:
        raise SettingsError("; ".join(_problem(text, e["loc"], e["msg"]) for e in exc.errors()[:5])) from exc
    try:
        api_key = read_secret(file.tracker.api_key)
    except SettingsError as exc:
        raise SettingsError(_problem(text, ("tracker", "api_key"), str(exc))) from exc
    return _tenant(slug, file, api_key)


def _tenant(slug: str, file: _File, api_key: str) -> Tenant:
    rule = file.publish.posting_id
    return Tenant(
        slug=slug,
        name=file.name,
        tracker=TrackerLink(file.tracker.base_url, file.tracker.slug or slug, api_key),
        publish=Publish(
            stages=frozenset(file.publish.stages),
            posting_attribute=None if rule == "id" else rule.removeprefix("attribute:"),
            show_salary=file.publish.show_salary,
            show_client=file.publish.show_client,
        ),
        site=Site(
            locales=tuple(file.site.locales),
            accent=file.site.accent,
            logo=file.site.logo,
            tagline=file.site.tagline,
            about=file.site.about,
            hosts=tuple(file.site.hosts),
        ),
        embed_origins=tuple(file.embed.origins),
        apply=Apply(file.apply.privacy_url, file.apply.consent, file.apply.phone_region),
        profile=Profile(file.profile.show_status, dict(file.profile.stages)),
        mail=MailAddresses(file.mail.sender, file.mail.operator),
    )


def _problem(text: str, location: tuple[Any, ...], message: str) -> str:
    keys = [str(part) for part in location if isinstance(part, str)]
    line = _line_of(text, keys)
    what = message.removeprefix("Value error, ").replace("Extra inputs are not permitted", "no such setting")
    return f"{'line ' + str(line) + ': ' if line else ''}{'.'.join(keys)}: {what}"


def _syntax_error(message: str) -> str:
    found = re.search(r"\(at line (\d+), column \d+\)", message)
    where = f"line {found[1]}: " if found else ""
    return f"{where}not TOML: {re.sub(r' *[(]at .*[)]', '', message)}"


def _line_of(text: str, keys: list[str]) -> int | None:
    """The line on which the last of `keys` that the file has stands; tables are written as [a.b] or dotted."""
    table: list[str] = []
    best: tuple[int, int] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[([^\[\]]+)\]", line):
            table = [part.strip(" \"'") for part in header[1].split(".")]
            path = table
        elif key := re.match(r"""\s*("[^"]+"|'[^']+'|[A-Za-z0-9_.-]+)\s*=""", line):
            path = [*table, key[1].strip("\"'")]
        else:
            continue
        if path == keys[: len(path)] and (best is None or len(path) > best[0]):
            best = (len(path), number)
    return best[1] if best else None
