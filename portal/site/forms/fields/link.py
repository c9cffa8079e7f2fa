"""A link to a profile as typed → an absolute http(s) URI."""

import re
from urllib.parse import quote, urlsplit, urlunsplit

import idna

from portal.contract import bounds
from portal.site.forms.fields import text
from portal.site.forms.fields.refusal import FieldError, Refused

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?!\d)")
"""Not followed by a digit: `example.org:8080/me` is a host and a port."""

_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)+")

_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")

_KEPT = "/%:@!$&'()*+,;=~?-._"
"""Characters of RFC 3986 that mean something in a path or query; everything else is percent-encoded."""


def parse(typed: str) -> str | None:
    """Return the URI, ASCII, 1 to 2048 (§8), with `https://` added if no scheme was typed; None for "". Raises
    Refused.
    """
    given = text.single_line(typed, longest=bounds.NETWORK_URL_MAX)
    if not given:
        return None
    uri = _absolute(given)
    if len(uri) > bounds.NETWORK_URL_MAX:  # now ASCII, so every way of counting gives the same length
        raise Refused(FieldError.TOO_LONG, limit=bounds.NETWORK_URL_MAX)
    return uri


def _absolute(given: str) -> str:
    if re.search(r"[\s\\]", given):
        raise Refused(FieldError.LINK)
    scheme = _SCHEME.match(given)
    if scheme and scheme[1].lower() not in {"http", "https"}:
        raise Refused(FieldError.LINK_SCHEME)
    try:
        parts = urlsplit(given if scheme else f"https://{given.removeprefix('//')}")
        port = parts.port
    except ValueError as exc:
        raise Refused(FieldError.LINK) from exc
    if "@" in parts.netloc:
        raise Refused(FieldError.LINK_LOGIN)
    host = _host(parts.hostname or "")
    netloc = host if port is None else f"{host}:{port}"
    path, query, fragment = (_encoded(part) for part in (parts.path, parts.query, parts.fragment))
    return urlunsplit((parts.scheme.lower(), netloc, path, query, fragment))


def _encoded(part: str) -> str:
    return quote(_STRAY_PERCENT.sub("%25", part), safe=_KEPT)


def _host(name: str) -> str:
    try:
        ascii_name = name.lower() if name.isascii() else idna.encode(name, uts46=True).decode("ascii")
    except idna.IDNAError as exc:
        raise Refused(FieldError.LINK) from exc
    if len(ascii_name) > 253 or not _HOST.fullmatch(ascii_name):
        raise Refused(FieldError.LINK)
    return ascii_name
