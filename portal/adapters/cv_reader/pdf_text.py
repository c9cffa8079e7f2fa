"""The text of a PDF with its font sizes, by pypdf, and the targets of its links."""

import math
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO

from pypdf import PageObject, PdfReader

from portal.adapters.cv_reader.text_lines import CHARACTERS_MOST, PAGES_MOST, CvText, TextCollector

_LINKS_OF_A_PAGE = 100
_SECONDS = 1.5
"""CPU seconds for one page."""
_FOOTER_HEIGHT = 0.08
"""Height of the footer, as a fraction of the page's height."""
_MAX_FOOTER_LINES = 3


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of text. height: of its baseline, in points from the page's origin."""

    text: str
    size: float
    height: float


class _LimitReachedError(Exception):
    pass


def read(file: BinaryIO) -> CvText:
    """Read the first pages. Raises pypdf's errors for files that are no PDF."""
    reader, collector = PdfReader(file), TextCollector()
    for page in reader.pages[:PAGES_MOST]:
        if collector.is_full:
            break
        _links(page, collector)
        _lines(page, collector)
    about = reader.metadata
    collector.author = str(about.author or "") if about else ""
    return collector.collected()


def _lines(page: PageObject, collector: TextCollector) -> None:
    pieces: list[_Piece] = []
    count = 0
    until = time.process_time() + _SECONDS

    def take(text: str, outer: list[float], inner: list[float], _font: object, size: float) -> None:
        nonlocal count
        count += len(text)
        height = inner[4] * outer[1] + inner[5] * outer[3] + outer[5]
        pieces.append(_Piece(text, size * math.hypot(inner[2], inner[3]) * math.hypot(outer[2], outer[3]), height))
        if count > CHARACTERS_MOST or time.process_time() > until:
            raise _LimitReachedError

    with suppress(_LimitReachedError):
        page.extract_text(visitor_text=take)
    lines = _joined(pieces)
    footer = _footer_lines(lines, float(page.mediabox.bottom), float(page.mediabox.height))
    for line in (*footer, *(line for line in lines if line not in footer)):
        collector.line(logical(line.text), line.size)


def _joined(pieces: list[_Piece]) -> list[_Piece]:
    """Return lines, joined from the pieces that the page draws, with size and height of their largest letters."""
    lines: list[_Piece] = []
    line = _Piece("", 0.0, 0.0)
    for piece in pieces:
        for number, text in enumerate(piece.text.split("\n")):
            if number:
                lines.append(line)
                line = _Piece("", 0.0, 0.0)
            larger = piece if text.strip() and piece.size > line.size else line
            line = _Piece(line.text + text, larger.size, larger.height)
    return [each for each in [*lines, line] if each.text.strip()]


def _footer_lines(lines: list[_Piece], bottom: float, height: float) -> list[_Piece]:
    """Return the lines of a footer, well below all others: like headers, they are about the candidate."""
    low = [line for line in lines if line.height < bottom + _FOOTER_HEIGHT * height]
    above = min((line.height for line in lines if line not in low), default=bottom)
    return [line for line in low if above - line.height > 3 * line.size] if len(low) <= _MAX_FOOTER_LINES else []


def _links(page: PageObject, collector: TextCollector) -> None:
    for annotation in list(page.get("/Annots") or ())[:_LINKS_OF_A_PAGE]:
        action = annotation.get_object().get("/A")
        target = action and action.get_object().get("/URI")
        if isinstance(target, str | bytes):
            collector.link(target if isinstance(target, str) else target.decode("latin-1"))


_ARABIC = re.compile("[\u0600-\u06ff\ufb50-\ufdff\ufe70-\ufefc]")
_REVERSED_NUMBER = re.compile(r"(?<![\d+])(?:[\d()/-]{1,15} ){1,6}\d{1,4}\+(?!\d)|(?<![\d+])\d{7,15}\+(?!\d)")
_JOINED = re.compile("(?<=[\u0600-\u06ff\ufb50-\ufefc])(?=[A-Za-z0-9+])|(?<=[A-Za-z])(?=[\u0600-\u06ff\ufb50-\ufefc])")
_REVERSED_LABEL = re.compile("([^\u0600-\u06ff\ufb50-\ufefc]{4,120}?) ?: ?([\u0600-\u06ff\ufb50-\ufefc][^:\\d]{1,40})")


def logical(line: str) -> str:
    """Return the line in reading order, as far as it can be determined."""
    ordered = _REVERSED_NUMBER.sub(lambda found: "+" + " ".join(reversed(found[0].removesuffix("+").split())), line)
    if not _ARABIC.search(line):
        return ordered
    ordered = _JOINED.sub(" ", ordered)
    swapped = _REVERSED_LABEL.fullmatch(ordered.strip())
    return f"{swapped[2].strip()}: {swapped[1].strip()}" if swapped else ordered
