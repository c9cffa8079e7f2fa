"""Phone numbers in a CV, as written. The caller, who knows the country, checks which of them are valid."""

import re
from collections.abc import Iterator

from portal.adapters.cv_reader import vocabulary
from portal.adapters.cv_reader.sections import CvSection, SectionedLine
from portal.adapters.cv_reader.vocabulary import EMPLOYER, plain

_NUMBER = re.compile(r"(?<![\w/.,@+-])(?:\+|00)?\(?\+?\d(?:[\d ()./\u2010-\u2013-]{5,26})\d(?![\w@])")
_DATE = re.compile(
    r"(?<![\d./-])\d{1,2}\s?[./-]\s?\d{1,2}\s?[./-]\s?\d{2,4}(?![./-]?\d)|\b(?:19|20)\d\d\s?[./\u2010-\u2013-]\s?\d{1,2}\b|"
    r"\b\d{1,2}\s?[./]\s?(?:19|20)\d\d\b|\b(?:19|20)\d\d\s{0,2}[\u2010-\u2013-]\s{0,2}(?:19|20)?\d\d\b"
)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,8}")
_MOST = 4
_BESIDE = 3
"""Lines between an address and a number that belongs to it."""


def phones(lines: list[SectionedLine], mail_line: int | None) -> list[str]:
    """Return at most four numbers of 7 to 40 characters, most likely first. mail_line: of the candidate's address.

    Between jobs and schools, numbers belong to other people: there, only those near that address count.
    """
    found: dict[str, tuple[int, int]] = {}
    for line in lines:
        if line.part is CvSection.OTHERS:
            continue
        for text, is_labelled in _numbers(lines, line):
            if line.part is CvSection.STORY and (mail_line is None or abs(line.number - mail_line) > _BESIDE):
                continue
            rank = (0 if is_labelled else 1 if text.startswith(("+", "00", "(+")) else 2, line.number)
            found.setdefault(text, rank)
    return sorted(found, key=lambda text: found[text])[:_MOST]


def _numbers(lines: list[SectionedLine], line: SectionedLine) -> Iterator[tuple[str, bool]]:
    text = _IBAN.sub(lambda m: " " * len(m[0]), line.text)
    # Joins a number that a column splits.
    after = lines[line.number + 1].text if line.number + 1 < len(lines) else ""
    if re.search(r"[+(]?\d[\d ()/-]*$", text) and re.fullmatch(r"\d{3,8}", after):
        text = f"{text} {after}"
    before = plain(lines[line.number - 1].text) if line.number else ""
    for found in _NUMBER.finditer(text):
        number = found[0].strip()
        ahead = plain(text[max(0, found.start() - 40) : found.start()])
        nearest = re.split(r"[|•·,;]|  ", ahead)[-1]
        digits = sum(char.isdigit() for char in number)
        if not 7 <= digits <= 15 or not _is_no_date(number) or _is_something_else(nearest, before, found.start()):
            continue
        if line.part is not CvSection.TOP and EMPLOYER.search(f"{before} {ahead}"):
            continue
        yield number[:40], _has_label(nearest, before, text, found.start())


def _is_no_date(number: str) -> bool:
    return not _DATE.search(number) or number.startswith(("+", "00"))


def _is_something_else(nearest: str, before: str, start: int) -> bool:
    if vocabulary.FAX.search(nearest) or vocabulary.NO_PHONE.search(nearest):
        return True
    alone = start < 3 and len(before) < 40
    return (
        alone
        and bool(vocabulary.FAX.search(before) or vocabulary.NO_PHONE.search(before))
        and not (vocabulary.PHONE.search(before))
    )


def _has_label(nearest: str, before: str, text: str, start: int) -> bool:
    if vocabulary.PHONE.search(nearest) or vocabulary.PHONE_ARABIC.search(text):
        return True
    return start < 3 and len(before) < 25 and bool(vocabulary.PHONE.search(before))
