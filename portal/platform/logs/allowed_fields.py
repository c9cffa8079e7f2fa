"""Facts that a log line may hold: short words of known alphabets. Others are left out, and the line says so.

A log call raises nothing: an application that was stored must not fail because its log line is invalid.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from enum import Enum

Fact = str | int | float
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,49}")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,59}")
ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_HASH = re.compile(r"[0-9a-f]{16}")
_ALPHABETS: Mapping[str, re.Pattern[str]] = {
    "stream": _WORD,
    "tenant": _SLUG,
    "reference": ID,
    "request": ID,
    "kind": _WORD,
    "part": _WORD,
    "state": _WORD,
    "reason": _WORD,
    "limit": _WORD,
    "error": _WORD,
    "mailbox": _HASH,
    "network": _HASH,
}
_MESSAGE_MOST = 1_000
LEFT_OUT = "leftOut"
"""Field that names the facts that were left out."""


class StructuredMessage(ABC):
    """Structured message: what a record's `msg` may be instead of a text."""

    __slots__ = ()

    @property
    @abstractmethod
    def event(self) -> str:
        """Name of the event."""

    @abstractmethod
    def facts(self) -> Mapping[str, Fact]:
        """Return the checked facts, in the order in which they are written."""

    def __str__(self) -> str:
        return in_words(self)


class Facts(dict[str, Fact]):
    """Checked facts by name; those that are None are omitted."""

    def __init__(self, **fields: str | float | Enum | None) -> None:
        super().__init__(_checked(fields))


def _checked(fields: Mapping[str, str | float | Enum | None]) -> Iterator[tuple[str, Fact]]:
    left_out = []
    for name, value in fields.items():
        plain = value.value if isinstance(value, Enum) else value
        if plain is None or plain == "":
            continue
        if _fits(name, plain):
            yield name, round(plain, 4) if isinstance(plain, float) else plain
        else:
            left_out.append(name)
    if left_out:
        yield LEFT_OUT, ",".join(left_out)


def _fits(name: str, value: Fact) -> bool:
    if not isinstance(value, str):
        return True
    alphabet = _ALPHABETS.get(name)
    return len(value) <= _MESSAGE_MOST if name == "message" else bool(alphabet and alphabet.fullmatch(value))


def in_words(entry: StructuredMessage) -> str:
    """Format for people: `accepted tenant=acme reference=…`, the message last."""
    facts = dict(entry.facts())
    message = facts.pop("message", None)
    words = " ".join([entry.event, *(f"{name}={value}" for name, value in facts.items())])
    return f"{words}: {message}" if message else words
