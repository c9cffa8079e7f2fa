"""A tenant file's text → Tenant, or a SettingsError that names the line and what was expected (docs/operating.md).

Messages are in our own words, and never contain the value that was found.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config

from portal.platform.config.settings import Exemption
from portal.platform.config.variables import is_private_host
from portal.platform.errors import SettingsError
from portal.tenants.model import (
    ApplySettings,
    Feeds,
    MailAddresses,
    Profile,
    PublishSettings,
    PushSettings,
    SearchSettings,
    Site,
    Tenant,
    TrackerLink,
)
from portal.tenants.retention import Retention
from portal.tenants.values import FromList, Origin, PublicId, ServiceAddress, SettingNames
from portal.tenants.webhooks import Webhooks, WebhooksTable, signing_key

_SECTION = "expected a section of its own, such as [{name}]"
_BY_TYPE: Mapping[str, str] = MappingProxyType(
    {
        "string_type": "expected text in quotes",
        "string_too_short": "expected text, and there is none",
        "string_too_long": "expected at most {max_length} characters",
        "int_type": "expected a whole number, without quotes",
        "int_parsing": "expected a whole number, without quotes",
        "int_from_float": "expected a whole number, without quotes",
        "greater_than_equal": "expected {ge} or more",
        "less_than_equal": "expected {le} or less",
        "bool_type": "expected true or false, without quotes",
        "bool_parsing": "expected true or false, without quotes",
        "literal_error": "expected {expected}",
        "enum": "expected {expected}",
        "too_long": "expected at most {max_length}, and there are {actual_length}",
        "too_short": "expected at least {min_length}",
        "dict_type": _SECTION,
        "dataclass_type": _SECTION,
    }
)
_OF_SYNTAX = (
    (r"Illegal character '\\n'|Unterminated", "the quote that ends the text is missing"),
    ("Invalid value", "behind = stands text in quotes, a number, true, false or a list"),
    ("Invalid statement|Expected '=' after a key", "expected NAME = VALUE, or a [section]"),
    (
        "Cannot overwrite a value|Cannot declare|Cannot mutate|Duplicate inline",
        "the same name stands there twice: keep one",
    ),
    ("Unclosed array", "the ] that ends the list is missing"),
    ("Expected ']'|Expected ']]'", "the ] that ends the section's name is missing"),
    ("Expected newline or end of document", "there is more behind the value: one setting a line, text in quotes"),
)


def of_value(error: Any) -> str:  # noqa: ANN401  pydantic's ErrorDetails, which it does not export
    """Return the message for a value that pydantic rejected."""
    kind, path, context = error["type"], error["loc"], error.get("ctx", {})
    if kind == "value_error":
        return str(context["error"])
    if kind == "missing":
        return _missing(path)
    name = ".".join(str(part) for part in path if isinstance(part, str))
    return _BY_TYPE.get(kind, "expected something else: see the table of settings").format(**context, name=name)


def _missing(path: tuple[Any, ...]) -> str:
    if isinstance(path[-1], int):
        return 'expected pairs such as ["About us", "https://www.acme.example"]'
    if len(path) > 1:
        return "it is missing in this section"
    return 'it is missing: name = "…" stands above all sections' if path[0] == "name" else f"[{path[0]}] is missing"


def of_syntax(message: str) -> str:
    """Return the message for text that tomllib rejected: "line N: not TOML: what was expected"."""
    found = re.search(r"\(at line (\d+), column \d+\)", message)
    where = f"line {found[1]}: " if found else "at its end: "
    bare = re.sub(r" *[(]at .*[)]", "", message)
    return f"{where}not TOML: {next((says for pattern, says in _OF_SYNTAX if re.search(pattern, bare)), bare)}"


_Wrong = tuple[int, str]  # a line number, and what is wrong on that line
_SAID = 20  # mistakes of one file that are reported together
_CLEAR = (
    "expected https://, because this host is on the internet: http:// would send the API key and applications "
    f"unencrypted; PORTAL_ALLOW_INSECURE={Exemption.SERVICE_HTTP} allows it"
)


@dataclass(frozen=True, slots=True)
class _Tracker:
    base_url: ServiceAddress
    api_key: str
    slug: PublicId | None = None


@dataclass(frozen=True, slots=True)
class _Embed:
    origins: FromList[tuple[Origin, ...]] = ()


@with_config(ConfigDict(extra="forbid"))
@dataclass(frozen=True, slots=True)
class _File:
    """The sections that Tenant takes unchanged, and the two that it does not. Unknown names are rejected in all."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    tracker: _Tracker
    publish: PublishSettings = field(default_factory=PublishSettings)
    site: Site = field(default_factory=Site)
    embed: _Embed = field(default_factory=_Embed)
    apply: ApplySettings = field(default_factory=ApplySettings)
    profile: Profile = field(default_factory=Profile)
    mail: MailAddresses = field(default_factory=MailAddresses)
    push: PushSettings = field(default_factory=PushSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    feeds: Feeds = field(default_factory=Feeds)
    webhooks: WebhooksTable | None = None
    retention: Retention = field(default_factory=Retention)


@cache
def _of_file() -> TypeAdapter[_File]:
    """Build the validator once: it takes longer than reading a file with it, and there may be hundreds of files."""
    return TypeAdapter(_File)


def parse(slug: str, text: str, *, read_secret: Callable[[str], str], http_everywhere: bool = False) -> Tenant:
    """Return the tenant that `text` describes. read_secret: resolves `env:NAME` or `file:/path` to the key.

    http_everywhere: whether a service on the internet may be addressed by http.

    Raises SettingsError "line N: key: what was expected", ordered by line; never contains a value of the file.
    """
    if not text.strip():
        raise SettingsError("the file is empty: expected at least name, and base_url and api_key in [tracker]")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise SettingsError(of_syntax(str(exc))) from exc
    wrong: list[_Wrong] = []
    secrets = _Secrets(data, text, read_secret, wrong)
    key = secrets.read("tracker", "api_key")
    signing = [secrets.read("webhooks", name, check=signing_key) for name in ("secret", "former_secret")]
    try:
        file = _of_file().validate_python(data)
    except ValidationError as exc:
        wrong = [*(_problem(text, e["loc"], _expected(e)) for e in exc.errors()), *wrong]
        raise SettingsError(_missing_names(wrong)) from exc
    wrong += [_problem(text, path, message) for path, message in _contradictions(file)]
    if not http_everywhere and _is_clear(file.tracker.base_url):
        wrong.append(_problem(text, ("tracker", "base_url"), _CLEAR))
    if wrong:
        raise SettingsError(_missing_names(wrong))
    return Tenant(
        slug=slug,
        name=file.name,
        tracker=TrackerLink(file.tracker.base_url, file.tracker.slug or slug, key),
        publish=file.publish,
        site=file.site,
        embed_origins=file.embed.origins,
        apply=file.apply,
        profile=file.profile,
        mail=file.mail,
        push=file.push,
        search=file.search,
        feeds=file.feeds,
        webhooks=Webhooks(file.webhooks.jobs, tuple(filter(None, signing))) if file.webhooks else Webhooks(),
        retention=file.retention,
    )


def _is_clear(address: str) -> bool:
    """Return whether requests to an address cross the internet unencrypted."""
    parts = urlsplit(address)
    return parts.scheme == "http" and not is_private_host(parts.hostname or "")


@dataclass(frozen=True, slots=True)
class _Secrets:
    """Reads the secrets that a file refers to; what cannot be read is added to the other mistakes."""

    data: dict[str, Any]
    text: str
    read_secret: Callable[[str], str]
    wrong: list[_Wrong]

    def read(self, section: str, name: str, *, check: Callable[[str], object] = str) -> str:
        """Return the secret, "" if there is none. check: raises SettingsError for an unusable one."""
        table = self.data.get(section)
        reference = table.get(name) if isinstance(table, dict) else None
        if isinstance(reference, str):
            try:
                found = self.read_secret(reference)
                check(found)
            except SettingsError as exc:
                self.wrong.append(_problem(self.text, (section, name), str(exc)))
            else:
                return found
        return ""


def _missing_names(wrong: list[_Wrong]) -> str:
    more = f"; and {len(wrong) - _SAID} more" if len(wrong) > _SAID else ""
    in_order = sorted(wrong, key=lambda one: one[0])
    return "; ".join(f"line {line}: {message}" for line, message in in_order[:_SAID]) + more


def _expected(error: Any) -> str:  # noqa: ANN401  pydantic's ErrorDetails, which it does not export
    """Return what was expected; for an unknown name, which one could be meant."""
    if error["type"] in {"unexpected_keyword_argument", "extra_forbidden"}:
        return _names().instead_of([part for part in error["loc"] if isinstance(part, str)])
    return of_value(error)


@cache
def _names() -> SettingNames:
    return SettingNames(_File)


def every_name() -> list[str]:
    """Return every setting of a tenant file with its section: `site.accent`."""
    return _names().every()


def _contradictions(file: _File) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield settings that have no effect without another one, or contradict another one: (path, what is wrong)."""
    for name in ("logo", "cover"):
        if getattr(file.site, f"{name}_dark") and not getattr(file.site, name):
            yield ("site", f"{name}_dark"), f"there is no site.{name}, which this replaces in dark mode"
    people, facets = {person.name for person in file.site.people}, file.publish.facets
    spoken = {*file.site.locales, *(tag.partition("-")[0] for tag in file.site.locales)}
    for tag, texts in file.site.text.items():
        here = ("site", "text", tag)
        if tag not in spoken:
            yield here, f'site.locales does not name "{tag}", so nobody would read this'
        if texts.consent and not file.apply.consent:
            yield (*here, "consent"), "there is no apply.consent: it is asked for in every language or in none"
        yield from (((*here, "facets", one), f'publish.facets has no "{one}"') for one in texts.facets.keys() - facets)
        yield from (((*here, "people", one), f'site.people has no "{one}"') for one in texts.people.keys() - people)


def _problem(text: str, location: tuple[Any, ...], message: str) -> _Wrong:
    keys = [str(part) for part in location if isinstance(part, str)]
    line = line_of(text, keys, nth=next((part for part in location if isinstance(part, int)), 0))
    return line or 1, f"{'.'.join(keys)}: {message}"  # a missing setting is reported on line 1


def line_of(text: str, keys: list[str], *, nth: int = 0) -> int | None:
    """Return the line of the longest prefix of `keys` that the file has; tables may be written as [a.b] or dotted.

    nth: of a table that occurs several times as [[a.b]], from 0.
    """
    table: list[str] = []
    times: Counter[str] = Counter()
    best: tuple[int, int] | None = None
    another = False
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*(\[{1,2})([^\[\]]+)\]", line):
            table = [part.strip(" \"'") for part in header[2].split(".")]
            path = table
            another = header[1] == "[[" and times[header[2]] != nth
            times[header[2]] += 1
        elif key := re.match(r"""\s*("[^"]+"|'[^']+'|[A-Za-z0-9_.-]+)\s*=""", line):
            path = [*table, key[1].strip("\"'")]
        else:
            continue
        if not another and path == keys[: len(path)] and (best is None or len(path) > best[0]):
            best = (len(path), number)
    return best[1] if best else None
