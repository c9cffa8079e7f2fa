"""Unicode normal forms in linear time: the one place where text is normalised.

Sorting combining marks takes quadratic time in the number of marks in a row: NFC of 256 KB of them takes half a minute
in which no other thread runs. No language writes more than a few on one letter. So marks beyond the thirtieth in a row
are dropped first, which is the limit of Unicode's own stream-safe text format (UAX #15, §13).
"""

import unicodedata
from dataclasses import dataclass

MARKS_MOST = 30
"""Maximum combining marks on one letter."""
JOINERS = "\u200c\u200d"
"""Invisible characters that have to stay: they are letters of Persian and Indic words and parts of emoji."""

_ALSO_MARKS = frozenset("\u0f73\u0f75\u0f81\uff9e\uff9f")
"""Characters that count as letters until they are decomposed into marks."""


def composed(text: str) -> str:
    """Return the text in NFC."""
    return text if text.isascii() else unicodedata.normalize("NFC", _within_bounds(text))  # noqa: TID251  bounded


def decomposed(text: str) -> str:
    """Return the text in NFKD."""
    return text if text.isascii() else unicodedata.normalize("NFKD", _within_bounds(text))  # noqa: TID251  bounded


def is_mark(char: str) -> bool:
    """Return whether the character can be in the run of marks after a letter, in any normal form."""
    return unicodedata.combining(char) > 0 or char in _ALSO_MARKS


def overloaded(text: str) -> bool:
    """Return whether a letter has more than MARKS_MOST marks, so that normalisation drops some."""
    return not text.isascii() and len(_within_bounds(text)) != len(text)


def _within_bounds(text: str) -> str:
    if len(text) <= MARKS_MOST:
        return text
    characters, run = [], 0
    combining, also = unicodedata.combining, _ALSO_MARKS
    for char in text:
        run = run + 1 if combining(char) or char in also else 0
        if run <= MARKS_MOST:
            characters.append(char)
    return "".join(characters)


@dataclass(frozen=True, slots=True)
class _Provider:
    """Rules of a mail provider. ignored: characters that do not count in a name. tags: characters that begin a tag.

    one: a name is the same mailbox at each of the domains. by_name: x@name.domain is name+x@domain. sure: all addresses
    of a mailbox certainly have the same reader.
    """

    domains: tuple[str, ...]
    ignored: str = ""
    tags: str = "+"
    one: bool = False
    by_name: bool = False
    sure: bool = True


_PROVIDERS = (
    _Provider(("gmail.com", "googlemail.com"), ignored=".", one=True),
    _Provider(("outlook.com", "hotmail.com", "live.com", "msn.com")),
    _Provider(("icloud.com", "me.com", "mac.com"), one=True),
    _Provider(("fastmail.com", "fastmail.fm"), by_name=True),
    _Provider(("proton.me", "protonmail.com", "pm.me", "protonmail.ch"), ignored="._-", one=True),
    # A base name is chosen for tags, and the same name without a tag may belong to somebody else.
    _Provider(
        ("yahoo.com", "ymail.com", "rocketmail.com", "yahoo.co.uk", "yahoo.de", "yahoo.es", "yahoo.fr", "yahoo.it"),
        tags="+-",
        sure=False,
    ),
)
_OTHERS = _Provider((), sure=False)
_BY_DOMAIN = {domain: one for one in _PROVIDERS for domain in one.domains}


def counted_as(address: str) -> str:
    """Return the mailbox for a limit. address: folded by `sealing`. The result is for comparison, not for sending."""
    return _read(address)[0]


def read_as(address: str) -> str:
    """Return the same text for all addresses that certainly have the same reader; otherwise the address itself."""
    mailbox, provider = _read(address)
    return mailbox if provider.sure else address


def _read(address: str) -> tuple[str, _Provider]:
    name, at, domain = address.rpartition("@")
    before, _, above = domain.partition(".")
    if (known := _BY_DOMAIN.get(above)) and known.by_name:
        name, domain = before, above
    provider = _BY_DOMAIN.get(domain, _OTHERS)
    base = name
    for tag in provider.tags:
        base = base.partition(tag)[0]
    base = base.translate(dict.fromkeys(map(ord, provider.ignored)))
    return f"{base or name}{at}{provider.domains[0] if provider.one else domain}", provider
