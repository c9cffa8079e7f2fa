"""The text of a PDF, by pypdf, with the size of its letters; and where its links lead."""

import math
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO

from pypdf import PageObject, PdfReader

from portal.attachments.reading import right_to_left
from portal.attachments.reading.written import CHARACTERS_MOST, PAGES_MOST, Writer, Written

_LINKS_OF_A_PAGE = 100
_SECONDS = 1.5
"""Of a core, that a page may take."""
_FOOT = 0.08
"""Of a page's height."""
_LINES_OF_A_FOOT = 3


@dataclass(frozen=True, slots=True)
class _Piece:
    """height: of its baseline, in points from the page's zero."""

    text: str
    size: float
    height: float


class _EnoughError(Exception):
    pass


def read(file: BinaryIO) -> Written:
    """The first pages. Raises whatever pypdf does with what is no PDF."""
    reader, writer = PdfReader(file), Writer()
    for page in reader.pages[:PAGES_MOST]:
        if writer.is_full:
            break
        _links(page, writer)
        _lines(page, writer)
    about = reader.metadata
    writer.author = str(about.author or "") if about else ""
    return writer.written()


def _lines(page: PageObject, writer: Writer) -> None:
    pieces: list[_Piece] = []
    count = 0
    until = time.process_time() + _SECONDS

    def take(text: str, outer: list[float], inner: list[float], _font: object, size: float) -> None:
        nonlocal count
        count += len(text)
        height = inner[4] * outer[1] + inner[5] * outer[3] + outer[5]
        pieces.append(_Piece(text, size * math.hypot(inner[2], inner[3]) * math.hypot(outer[2], outer[3]), height))
        if count > CHARACTERS_MOST or time.process_time() > until:
            raise _EnoughError

    with suppress(_EnoughError):
        page.extract_text(visitor_text=take)
    lines = _joined(pieces)
    feet = _feet(lines, float(page.mediabox.bottom), float(page.mediabox.height))
    for line in (*feet, *(line for line in lines if line not in feet)):
        writer.line(right_to_left.logical(line.text), line.size)


def _joined(pieces: list[_Piece]) -> list[_Piece]:
    """Lines out of what the page draws at a time; of each the size and height of its largest letters."""
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


def _feet(lines: list[_Piece], bottom: float, height: float) -> list[_Piece]:
    """What stands at the foot of the page, apart from everything else: it speaks of the CV's person, as headers do."""
    low = [line for line in lines if line.height < bottom + _FOOT * height]
    above = min((line.height for line in lines if line not in low), default=bottom)
    return [line for line in low if above - line.height > 3 * line.size] if len(low) <= _LINES_OF_A_FOOT else []


def _links(page: PageObject, writer: Writer) -> None:
    for annotation in list(page.get("/Annots") or ())[:_LINKS_OF_A_PAGE]:
        action = annotation.get_object().get("/A")
        target = action and action.get_object().get("/URI")
        if isinstance(target, str | bytes):
            writer.link(target if isinstance(target, str) else target.decode("latin-1"))
