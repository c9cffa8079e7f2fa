"""Finds lines that may say where the candidate lives. The caller, who has a gazetteer, interprets them."""

import re
from collections.abc import Iterator

from portal.adapters.cv_reader import vocabulary
from portal.adapters.cv_reader.sections import CvSection, SectionedLine, has_years
from portal.adapters.cv_reader.vocabulary import plain

_APART = re.compile(r"\s*[|•·;✆☎]\s*|\s{2,}|\s[–—/]\s")
_CODE = re.compile(r"(?<![\d+])(?:\d{4,5}|\d{2}-\d{3}|\d{3} \d{2})(?!\d)|\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b")
_ADDRESSES = re.compile(r"https?://\S+|\S+@\S+|\b[\w-]+(?:\.[\w-]+){1,3}/\S*|\bwww\.\S+")
_MOST = 8
_LONGEST = 90
_TOP_LINES = 30


def places(lines: list[SectionedLine]) -> list[str]:
    """Return at most eight texts as written, most likely first."""
    found: dict[str, int] = {}
    for rank, text in _pieces(lines):
        piece = text.strip(" .,:-–()")
        if 2 <= len(piece) <= _LONGEST and not re.search(r"@|https?:|www\.|\+\d|\.com\b", piece):
            found.setdefault(piece, rank)
    return sorted(found, key=lambda piece: found[piece])[:_MOST]


def _pieces(lines: list[SectionedLine]) -> Iterator[tuple[int, str]]:
    """Yield (rank, text); rank 0 for text after a label, 1 for text with a postal code, 2 for other text."""
    for line in lines:
        if line.part is CvSection.OTHERS or line.heading:
            continue
        label = _label(line.text)
        if label is not None and line.part is not CvSection.STORY:
            after = [each.text for each in lines[line.number + 1 : line.number + 3]]
            value = line.text[label:]
            if value:
                yield 0, value
            for text in after if not value else after[:1]:
                if not _is_of_no_place(text) and (not value or _CODE.search(text)):
                    yield 0, text
            continue
        if line.part is CvSection.STORY or (line.part is CvSection.TOP and line.number > _TOP_LINES):
            continue
        for piece in _APART.split(_ADDRESSES.sub("  ", line.text)):
            if _is_of_no_place(piece) or sum(char.isdigit() for char in piece) > 9:
                continue
            yield (1 if _CODE.search(piece) else 2), piece


def _label(text: str) -> int | None:
    """Return the position at which the labelled text begins; None without a label."""
    # plain() may lengthen a text: so only its beginning is compared, character by character.
    if found := vocabulary.PLACE_LABELS_ARABIC.match(text):
        return found.end()
    bare = text.lstrip("•*- ")
    found = vocabulary.PLACE_LABELS.match("".join(plain(char)[:1] or " " for char in bare[:60]))
    rest = bare[found.end() :] if found else ""
    if found is None or (rest and (found[0][-1] not in ":. " or not (rest[0].isupper() or rest[0].isdigit()))):
        return None
    return len(text) - len(bare) + found.end()


def _is_of_no_place(text: str) -> bool:
    return bool(vocabulary.NO_PLACE.search(plain(text))) or (has_years(text) and not _CODE.search(text))
