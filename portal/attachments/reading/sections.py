"""Which part of a CV a line stands in: of whom it speaks depends on that."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from portal.attachments.reading import vocabulary
from portal.attachments.reading.vocabulary import plain
from portal.attachments.reading.written import Line

_DATES = re.compile(r"\b(?:19|20)\d\d\b")


class Part(Enum):
    """Whose facts stand there."""

    TOP = auto()
    """Before the first heading."""
    CONTACT = auto()
    STORY = auto()
    """Experience, education and what else there is."""
    OTHERS = auto()
    """References: other people's names, addresses and numbers."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A line, by its number from 0, in its part. heading: it names the part."""

    number: int
    text: str
    size: float
    part: Part
    heading: bool


def placed(lines: tuple[Line, ...]) -> list[Placed]:
    """Every line with the part it stands in."""
    found: list[Placed] = []
    part = Part.TOP
    for number, line in enumerate(lines):
        named = heading(line.text)
        part = named or part
        found.append(Placed(number, line.text, line.size, part, named is not None))
    return found


def heading(text: str) -> Part | None:
    """The part that a line begins; None where it is no heading."""
    if len(text) > 60:
        return None
    bare = plain(" ".join(_spaced_out(text).strip(" :.•-–—|*#_=").split()))
    bare = re.sub(r"^\d{1,2}[.)]\s*", "", bare)
    if bare in vocabulary.OF_OTHERS:
        return Part.OTHERS
    if bare in vocabulary.CONTACT_SECTIONS:
        return Part.CONTACT
    if bare in vocabulary.SECTIONS:
        return Part.STORY
    return None


def _spaced_out(text: str) -> str:
    """E D U C A T I O N is a word."""
    return text.replace(" ", "") if re.fullmatch(r"(?:\w ){3,}\w", text) else text


def has_years(text: str) -> bool:
    """Whether it speaks of a time, as lines about jobs do."""
    return _DATES.search(text) is not None
