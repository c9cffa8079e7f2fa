"""The names and values that a tenant file may have, with a message for each that does not match."""

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from email.headerregistry import Address
from email.utils import parseaddr
from pathlib import Path
from typing import Annotated, Any, TypeVar
from urllib.parse import unquote, urlsplit
from zoneinfo import available_timezones

import idna
from babel.core import Locale, UnknownLocaleError
from phonenumbers import SUPPORTED_REGIONS
from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter

from portal.contract.bounds import PUBLIC_ID
from portal.tenants import languages

Schema = dict[str, Any]
_LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_HOST_NAME = re.compile(rf"(?=.{{1,253}}$)({_LABEL}\.)+(?=[a-z]){_LABEL}")
"""The last label begins with a letter, so that an IP address is not accepted."""


def web_address(value: str, *, schemes: tuple[str, ...]) -> str:
    """Return an absolute address of one of these schemes, without a login. Raises ValueError."""
    try:
        parts = urlsplit(value)
        usable = parts.scheme in schemes and parts.hostname and not parts.username and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not re.fullmatch(r"[\x21-\x7e]{1,2000}", value):
        raise ValueError(f"expected an address that starts with {' or '.join(s + '://' for s in schemes)}")
    return value


def _service(value: str) -> str:
    address = web_address(value, schemes=("https", "http"))
    if urlsplit(address).query or urlsplit(address).fragment:
        raise ValueError("expected an address without query and fragment")
    return address.rstrip("/")


def _https(value: str) -> str:
    return web_address(value, schemes=("https",))


def _script(value: str) -> str:
    parts = urlsplit(_https(value))
    if not parts.path.strip("/") or parts.fragment:
        raise ValueError("expected the address of a script, such as https://stats.example/script.js")
    host_name(parts.hostname or "")
    return value


def origin_of_script(address: str) -> str:
    """Return the origin of a Script, as a Content-Security-Policy names it."""
    parts = urlsplit(address)
    return f"https://{parts.hostname}{f':{parts.port}' if parts.port else ''}"


def _origin(value: str) -> str:
    parts = urlsplit(web_address(value, schemes=("https", "http")))
    if parts.path.strip("/") or parts.query or parts.fragment or re.search(r"[;,'\"*]", value):
        raise ValueError("expected an origin such as https://www.acme.example, without a path")
    # As browsers write origins: without the default port.
    host = parts.netloc.lower().removesuffix(":443" if parts.scheme == "https" else ":80")
    return f"{parts.scheme}://{host}"


def host_name(value: str) -> str:
    """Return a host name as DNS and browsers write it: ASCII, lower case, no final dot. Raises ValueError."""
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
        raise ValueError('expected a language such as "en" or "de-AT"') from exc
    tag = value.replace("_", "-")
    if not languages.is_complete(tag):
        raise ValueError(f"there are no words in this language; expected one of {', '.join(languages.COMPLETE)}")
    return tag


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


_ATTRIBUTE = re.compile(r"attribute:\S.{0,199}")


def _posting_attribute(value: str) -> str | None:
    if value != "id" and not _ATTRIBUTE.fullmatch(value):
        raise ValueError('expected "id" or "attribute:<attributeDefinitionId>"')
    return None if value == "id" else value.removeprefix("attribute:")


def _attribute(value: str) -> str:
    if not _ATTRIBUTE.fullmatch(value):
        raise ValueError('expected "attribute:<attributeDefinitionId>"')
    return value.removeprefix("attribute:")


def _time_zone(value: str) -> str:
    if value not in available_timezones():
        raise ValueError('expected a time zone such as "Europe/Berlin"')
    return value


_VERIFICATION = {"google": "google-site-verification", "bing": "msvalidate.01", "yandex": "yandex-verification"}
"""Search engine → name of the <meta> tag by which it recognises the owner of a site."""


def _verification(value: object) -> tuple[str, str]:
    engine, _, token = value.partition("=") if isinstance(value, str) else ("", "", "")
    if engine not in _VERIFICATION or not re.fullmatch(r"[A-Za-z0-9_=-]{1,200}", token):
        raise ValueError(f'expected "google=TOKEN"; search engines are {", ".join(_VERIFICATION)}')
    return _VERIFICATION[engine], token


def _former(value: str) -> str:
    path, mark, query = value.partition("?")
    if not re.fullmatch(r"/[^\x00-\x20\x7f#]{0,299}", value) or value == "/" or value.startswith(("//", "/?")):
        raise ValueError('expected a path of the former site such as "/old/jobs/17", of at most 300 characters')
    return unquote(path).rstrip("/") + mark + query


def _moved_to(value: str) -> str:
    if value != "/" and not PUBLIC_ID.fullmatch(value):
        raise ValueError('expected a posting\'s id, or "/" for the list')
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


def _mail_address(value: str) -> str:
    if parseaddr(value) != ("", _mailbox(value)):
        raise ValueError('expected an address such as "people@acme.example", without a name')
    return value


def _list(value: object) -> object:
    if not isinstance(value, list):
        raise ValueError("expected a list")  # noqa: TRY004  pydantic's own way to refuse a value
    return value


_T = TypeVar("_T")
FromList = Annotated[_T, BeforeValidator(_list)]
"""A tuple or set that is a list in the file."""
Text = Annotated[str, Field(min_length=1, max_length=5_000)]
ServiceAddress = Annotated[str, AfterValidator(_service)]
HttpsAddress = Annotated[str, AfterValidator(_https)]
Script = Annotated[str, AfterValidator(_script)]
Origin = Annotated[str, AfterValidator(_origin)]
PublicId = Annotated[str, AfterValidator(_public_id)]
Mailbox = Annotated[str, AfterValidator(_mailbox)]
MailAddress = Annotated[str, AfterValidator(_mail_address)]
Language = Annotated[str, AfterValidator(_locale)]
Accent = Annotated[str, AfterValidator(_accent)]
Focus = Annotated[str, AfterValidator(_focus)]
HostName = Annotated[str, AfterValidator(host_name)]
Region = Annotated[str, AfterValidator(_region)]
TimeZone = Annotated[str, AfterValidator(_time_zone)]
PushKey = Annotated[str, AfterValidator(_push_key)]
KeyFile = Annotated[Path, BeforeValidator(_key_file)]
PostingAttribute = Annotated[str | None, AfterValidator(_posting_attribute)]
"""None if the posting id is the vacancy's own, else the attributeDefinitionId that holds it."""
Attribute = Annotated[str, AfterValidator(_attribute)]
"""An attributeDefinitionId."""
Verification = Annotated[tuple[str, str], BeforeValidator(_verification)]
"""(name, content) of a <meta> tag."""
FormerPath = Annotated[str, AfterValidator(_former)]
"""Decoded, without a final slash; a query may follow as it is."""
MovedTo = Annotated[str, AfterValidator(_moved_to)]
"""A posting's id, or `/` for the list."""
Label = Annotated[str, Field(min_length=1, max_length=60)]
Heading = Annotated[str, Field(min_length=1, max_length=120)]
Paragraph = Annotated[str, Field(min_length=1, max_length=600)]
Quotation = Annotated[str, Field(min_length=1, max_length=300)]


class SettingNames:
    """The setting names of the dataclass that a file is parsed into."""

    def __init__(self, shape: type) -> None:
        self._root: Schema = TypeAdapter(shape).json_schema()

    def instead_of(self, path: Sequence[str]) -> str:
        """Return the message for an unknown name: the most similar setting, or all that are possible there."""
        *section, name = path
        known = sorted(self._at(section).get("properties", {}))
        near = get_close_matches(name, known, n=1, cutoff=0.6)
        if near:
            return f"no such setting; is {near[0]} meant?"
        return f"no such setting; expected one of {', '.join(known)}" if known else "no such setting"

    def every(self) -> list[str]:
        """Return every name with its section: `site.quote.by`. A section with free names is listed as one name."""
        return sorted(self._below(self._root, ""))

    def _at(self, section: Sequence[str]) -> Schema:
        here = self._root
        for part in section:
            here = self._section(here.get("properties", {}).get(part) or here.get("additionalProperties") or {})
        return here

    def _section(self, schema: object) -> Schema:
        """Return the schema behind references, lists and alternatives."""
        if not isinstance(schema, dict):
            return {}
        if "$ref" in schema:
            found: Schema = self._root["$defs"][schema["$ref"].rpartition("/")[2]]
            return found
        for inner in (schema.get("items"), *schema.get("anyOf", ()), *schema.get("allOf", ())):
            if (below := self._section(inner)).get("properties"):
                return below
        return schema

    def _below(self, schema: Schema, prefix: str) -> Iterator[str]:
        for name, one in schema.get("properties", {}).items():
            section = self._section(one)
            if section.get("properties"):
                yield from self._below(section, f"{prefix}{name}.")
            else:
                yield f"{prefix}{name}"
