"""Reads settings from variables and names all that are wrong or misspelt; paths are relative to PORTAL_HOME.

The functions at the end parse the text of one variable each, or say what was expected; two classify addresses.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import fields, replace
from difflib import get_close_matches
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast, get_type_hints
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from portal.platform.errors import SettingsError
from portal.platform.logs.formatting import Form

HOME = "PORTAL_HOME"
_FILE_SCHEMES = ("sqlite:///", "file:")
"""Schemes of addresses on this machine, which are followed by a path."""
_OF_KUBERNETES = re.compile(r"_SERVICE_(HOST|PORT)|_PORT(_\d+_.*)?$")
"""Variables that Kubernetes sets in every pod where a service is called portal or tracker."""
_T = TypeVar("_T")


def read(shape: type[_T], environ: Mapping[str, str], required: Mapping[str, str]) -> _T:
    """Return a dataclass from the variables that are set and not empty, each by its field's alias.

    Raises SettingsError, which names every wrong variable, and repeats its value where that is not a secret.
    """
    variables = {name: text.strip() for name, text in environ.items() if text.strip()}
    wrong: list[str] = []
    try:
        start = home(variables)
    except SettingsError as error:
        start, wrong = None, [str(error)]
    try:
        found = TypeAdapter(shape).validate_python({**required, **variables})
    except ValidationError as error:
        shown = {alias: variables[alias] for alias, one in _by_alias(shape).items() if one.repr and alias in variables}
        wrong += [_problem(one, shown) for one in error.errors(include_input=False, include_url=False)]
    else:
        if not wrong:
            return _from(start, found) if start else found
    raise SettingsError("; ".join(wrong))  # outside the handler: pydantic's error holds the value


def home(environ: Mapping[str, str]) -> Path | None:
    """Return the base of relative paths; None where that is the current folder. Raises SettingsError."""
    text = environ.get(HOME, "").strip()
    if not text:
        return None
    found = Path(text)
    if not found.is_absolute() or not found.is_dir() or "?" in text:  # a question mark would end the path in an address
        raise SettingsError(f"{HOME}: expected the absolute path of a folder that is there, found {text!r}")
    return found


def misspelt(environ: Mapping[str, str], *shapes: type) -> list[str]:
    """Return a sentence for each PORTAL_… and TRACKER_… that none of these reads, with the closest known name."""
    known = [HOME, *(alias for shape in shapes for alias in _by_alias(shape))]
    ours = (name for name in environ if name.startswith(("PORTAL_", "TRACKER_")) and not _OF_KUBERNETES.search(name))
    strange = sorted(name for name in ours if name not in known)
    return [_no_setting(name, known) for name in strange]


def _no_setting(name: str, known: list[str]) -> str:
    prefix, _, rest = name.partition("_")
    ours = [one.removeprefix(f"{prefix}_") for one in known if one.startswith(f"{prefix}_")]
    near = get_close_matches(rest, ours, n=1, cutoff=0.75)
    return f"{name} is no setting" + (f": is {prefix}_{near[0]} meant?" if near else ", and nothing reads it")


def _problem(error: Any, shown: Mapping[str, str]) -> str:  # noqa: ANN401  pydantic's ErrorDetails, which it does not export
    name = str(error["loc"][0])
    found = shown.get(name, "")
    # An address may contain a password by mistake.
    says = f", found {found!r}" if found and len(found) <= 100 and "@" not in found else ""
    return f"{name}: {error['msg'].removeprefix('Value error, ')}{says}"


def _by_alias(shape: type) -> dict[str, Any]:
    """Return the fields by the variables that set them."""
    hints = get_type_hints(shape, include_extras=True)
    return {
        info.alias: one
        for one in fields(shape)
        for info in getattr(hints[one.name], "__metadata__", ())
        if isinstance(info, FieldInfo) and info.alias
    }


def _from(start: Path, found: _T) -> _T:
    """Return the settings with every relative path made absolute from that folder."""
    changed = {one.name: located(getattr(found, one.name), start) for one in fields(cast("Any", found))}
    return cast("_T", replace(cast("Any", found), **changed))


def located(value: _T, start: Path) -> _T:
    """Return a relative path, or the address of a file or folder, based on that folder; anything else unchanged."""
    found: object = value
    if isinstance(value, Path):
        found = start / value
    for scheme in _FILE_SCHEMES:
        if isinstance(value, str) and value.startswith(scheme) and (path := value.removeprefix(scheme)) != ":memory:":
            found = f"{scheme}{start / path}"
    return cast("_T", found)


def origin(text: str) -> str:
    """Return an origin without a slash at its end. Raises ValueError."""
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path.strip("/") or parts.query:
        raise ValueError("expected an origin such as https://careers.example, without a path")
    return text.rstrip("/")


def address(text: str) -> str:
    """Return an address without a slash at its end. Raises ValueError."""
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("expected an address such as https://wiki.example/careers-portal, without ? and #")
    return text.rstrip("/")


def listening(text: str | tuple[str, int] | None) -> tuple[str, int] | None:
    """Return host and port of `HOST:PORT`. Raises ValueError."""
    if text is None or isinstance(text, tuple):
        return text
    host, _, port = text.rpartition(":")
    if not re.fullmatch(r"[A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\]", host) or not re.fullmatch(r"\d{1,5}", port):
        raise ValueError("expected HOST:PORT such as 127.0.0.1:9000")
    if not 1 <= int(port) <= 65_535:
        raise ValueError("expected a port from 1 to 65535")
    return host.strip("[]"), int(port)


Network = IPv4Network | IPv6Network


def networks(text: str | tuple[Network, ...]) -> tuple[Network, ...]:
    """Return the networks of a comma-separated list of addresses and networks. Raises ValueError."""
    if isinstance(text, tuple):
        return text
    try:
        return tuple(ip_network(name.strip()) for name in text.split(",") if name.strip())
    except ValueError:
        raise ValueError("expected addresses or networks such as 10.0.0.5,10.1.0.0/24, comma separated") from None


_IPV4_SPECIAL = """
0.0.0.0/8 RFC 791, 10.0.0.0/8 RFC 1918, 100.64.0.0/10 (providers) RFC 6598, 127.0.0.0/8 RFC 1122, 169.254.0.0/16 (also
credentials of clouds) RFC 3927, 172.16.0.0/12 RFC 1918, 192.0.0.0/24 RFC 6890, 192.0.2.0/24 RFC 5737, 192.31.196.0/24
RFC 7535, 192.52.193.0/24 RFC 7450, 192.88.99.0/24 RFC 7526, 192.168.0.0/16 RFC 1918, 192.175.48.0/24 RFC 7534,
198.18.0.0/15 RFC 2544, 198.51.100.0/24 RFC 5737, 203.0.113.0/24 RFC 5737, 224.0.0.0/4 (multicast) RFC 5771,
240.0.0.0/4 RFC 1112
"""
"""IANA's complete registry of special-purpose addresses (RFC 6890), and multicast. None of them has web servers."""
_IPV6_SPECIAL = """
2001::/23 RFC 2928, 2001:db8::/32 RFC 3849, 2002::/16 (6to4, which wraps any IPv4 address) RFC 3056, 2620:4f:8000::/48
RFC 7534, 3fff::/20 RFC 9637
"""
"""The part of IPv6's registry that is in its unicast addresses."""
_SPECIAL = tuple(map(ip_network, re.findall(r"[0-9a-f.:]+/\d+", _IPV4_SPECIAL + _IPV6_SPECIAL)))
_IPV6_UNICAST = IPv6Network("2000::/3")
"""All of IPv6 that is assigned to users of the internet: RFC 4291, 2.4."""
_TRANSLATED = IPv6Network("64:ff9b::/96")
"""RFC 6052: IPv4 addresses as IPv6-only networks reach them, through a translator."""
_PRIVATE_NAMES = (".internal", ".svc", ".lan", ".home.arpa", ".local", ".localhost")


def is_public(address: str) -> bool:
    """Return whether an IP address is on the public internet; an IPv4 address inside an IPv6 one is judged as IPv4.

    Python's `is_global` follows the registries as of its own release. Raises ValueError.
    """
    found = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address):
        wrapped = IPv4Address(int(found) & 0xFFFFFFFF) if found in _TRANSLATED else found.ipv4_mapped
        if wrapped is None and found not in _IPV6_UNICAST:
            return False
        found = wrapped or found
    return not any(found in block for block in _SPECIAL)


def is_private_host(host: str) -> bool:
    """Return whether a host is in a private network, this machine included. A name is judged by its form alone."""
    name = host.lower().rstrip(".")
    try:
        return not is_public(name)
    except ValueError:
        # A number without dots is an IPv4 address to every resolver.
        is_one_label = "." not in name and not re.fullmatch(r"\d+|0x[0-9a-f]+", name)
        return is_one_label or name.endswith(_PRIVATE_NAMES)


DURATION_LIMIT = 10 * 365 * 86_400


def secret(text: str) -> str:
    """Return a secret key as it is, if it is long enough."""
    if not text:
        raise ValueError(
            "required, but not set: load the settings of this portal, `set -a; . DIR/settings.env; set +a`; "
            "only a new portal needs a new key, which `portal init DIR` makes"
        )
    if len(text) < 16:
        raise ValueError("at least 16 characters are required; make one with `openssl rand -hex 32`")
    return text


def names(text: str) -> tuple[str, ...]:
    """Return the parts of a comma separated list."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def matching(pattern: str, expected: str) -> AfterValidator:
    """Return the check that a whole text matches a pattern. expected: in words."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"expected {expected}")
        return text

    return AfterValidator(check)


def with_a_port(text: str) -> str:
    """Return a Redis address as it is, if its port is a number."""
    try:
        urlsplit(text).port  # noqa: B018  reading the attribute checks the port
    except ValueError:
        raise ValueError("expected memory: or redis://HOST:PORT/NUMBER") from None
    return text


def whole(low: int, high: int) -> BeforeValidator:
    """Return the parser of a whole number within bounds, both included."""

    def read(text: str) -> int:
        if not re.fullmatch(r"\d{1,12}", text) or not low <= int(text) <= high:
            raise ValueError(f"expected a whole number from {low} to {high}")
        return int(text)

    return BeforeValidator(read)


def duration(text: str) -> float:
    """Parse seconds, fractions allowed: delivery is timed finely in tests and on fast links."""
    if not re.fullmatch(r"\d{1,10}(\.\d{1,6})?", text) or not 0 < float(text) <= DURATION_LIMIT:
        raise ValueError("expected a number of seconds above 0")
    return float(text)


shared_secret = matching(r"[!-~]{16,200}", "16 to 200 visible ASCII characters, as `openssl rand -hex 32` prints")
header = matching(r"[A-Za-z][A-Za-z0-9-]{1,60}", "the name of a header, such as X-Forwarded-User")


def form(text: str) -> Form:
    """Return the form of the log."""
    try:
        return Form(text)
    except ValueError:
        raise ValueError("expected text or json") from None


def twice_the_cores() -> int:
    """Return twice the number of cores that this process may use."""
    return 2 * len(os.sched_getaffinity(0))


DatabaseAddress = Annotated[
    str, matching(r"sqlite:///.+|postgresql\+psycopg://.+", "sqlite:///PATH or postgresql+psycopg://…")
]
StoreAddress = Annotated[str, matching(r"file:.+|s3://[a-z0-9.-]{3,63}", "file:FOLDER or s3://BUCKET")]
MailServer = Annotated[
    str,
    matching(r"file:.+|smtps?://.+|ses:[a-z0-9-]+", "file:FOLDER, smtp://…, smtps://… or ses:REGION"),
]
ScannerAddress = Annotated[
    str,
    matching(r"off|clamd:/.+|clamd:[^/:]+:\d+|clamd:\[[0-9a-f:]+\]:\d+", "off, clamd:HOST:PORT or clamd:/PATH"),
]
RateLimitsAddress = Annotated[
    str, matching(r"memory:|rediss?://.+", "memory: or redis://…"), AfterValidator(with_a_port)
]
OriginAddress = Annotated[str, AfterValidator(origin)]
WebAddress = Annotated[str, matching(r"[!-~]{1,500}", "an address without spaces"), AfterValidator(address)]
SecurityContact = Annotated[
    str, matching(r"(mailto:[!-~]+@|tel:\+|https://)[!-~]{1,500}", "mailto:ADDRESS, tel:+NUMBER or https://…")
]
SecurityPolicy = Annotated[str, matching(r"https://[!-~]{1,500}", "an https address without spaces")]
PublicOrigin = Annotated[str, AfterValidator(lambda text: text if text == "none" else origin(text))]
Seconds = Annotated[int, whole(1, DURATION_LIMIT)]
Duration = Annotated[float, BeforeValidator(duration)]
