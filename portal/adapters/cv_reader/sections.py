"""Which section of a CV a line is in, which tells whom the line is about."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from portal.adapters.cv_reader import vocabulary
from portal.adapters.cv_reader.text_lines import TextLine
from portal.adapters.cv_reader.vocabulary import plain


class CvSection(Enum):
    """A section of a CV; whom its facts are about depends on it."""

    TOP = auto()
    """Lines before the first heading."""
    CONTACT = auto()
    HISTORY = auto()
    """Experience, education and all other sections."""
    REFERENCES = auto()
    """Names, addresses and numbers of other people."""


@dataclass(frozen=True, slots=True)
class SectionedLine:
    """A line with its number, from 0, and its section. heading: whether it is the section's heading."""

    number: int
    text: str
    size: float
    section: CvSection
    heading: bool


def with_sections(lines: tuple[TextLine, ...]) -> list[SectionedLine]:
    """Return every line with its section."""
    found: list[SectionedLine] = []
    section = CvSection.TOP
    for number, line in enumerate(lines):
        named = heading(line.text)
        section = named or section
        found.append(SectionedLine(number, line.text, line.size, section, named is not None))
    return found


def heading(text: str) -> CvSection | None:
    """Return the section that a heading begins; None if the line is no heading."""
    if len(text) > 60:
        return None
    bare = plain(" ".join(_without_letter_spacing(text).strip(" :.•-–—|*#_=").split()))
    bare = re.sub(r"^\d{1,2}[.)]\s*", "", bare)
    if bare in vocabulary.OF_OTHERS:
        return CvSection.REFERENCES
    if bare in vocabulary.CONTACT_SECTIONS:
        return CvSection.CONTACT
    if bare in vocabulary.SECTIONS:
        return CvSection.HISTORY
    return None


def _without_letter_spacing(text: str) -> str:
    """Join a word with spaced letters, such as E D U C A T I O N."""
    return text.replace(" ", "") if re.fullmatch(r"(?:\w ){3,}\w", text) else text
