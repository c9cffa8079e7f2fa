"""The text of a PDF, by pypdf, with the size of its letters; and where its links lead."""

import math
from typing import BinaryIO

from pypdf import PageObject, PdfReader

from portal.attachments.reading import right_to_left
from portal.attachments.reading.written import CHARACTERS_MOST, PAGES_MOST, Writer, Written

_LINKS_OF_A_PAGE = 100


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
    pieces: list[tuple[str, float]] = []
    count = 0

    def take(text: str, outer: list[float], inner: list[float], _font: object, size: float) -> None:
        nonlocal count
        count += len(text)
        pieces.append((text, size * math.hypot(inner[2], inner[3]) * math.hypot(outer[2], outer[3])))
        if count > CHARACTERS_MOST:
            raise _EnoughError

    try:
        page.extract_text(visitor_text=take)
    except _EnoughError:
        pass
    line, largest = "", 0.0
    for text, size in pieces:
        first, *others = text.split("\n")
        line, largest = line + first, max(largest, size if first.strip() else 0.0)
        for other in others:
            writer.line(right_to_left.logical(line), largest)
            line, largest = other, size if other.strip() else 0.0
    writer.line(right_to_left.logical(line), largest)


def _links(page: PageObject, writer: Writer) -> None:
    for annotation in list(page.get("/Annots") or ())[:_LINKS_OF_A_PAGE]:
        action = annotation.get_object().get("/A")
        target = action and action.get_object().get("/URI")
        if isinstance(target, str | bytes):
            writer.link(target if isinstance(target, str) else target.decode("latin-1"))
