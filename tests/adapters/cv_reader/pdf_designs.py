"""CVs as typesetting programs write PDF: two columns, tables, running headers, and a picture that has no text."""

import io
from pathlib import Path

from PIL import Image, ImageDraw
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer
from reportlab.platypus import Table as PdfTable

import portal.site.feeds
from tests.adapters.cv_reader.people import Person
from tests.adapters.cv_reader.story import words
from tests.adapters.cv_reader.word_designs import body, contact_line, labelled

_FONT = Path(portal.site.feeds.__file__).parent / "fonts" / "share.ttf"
_LETTERS = "Letters"


def _canvas() -> tuple[Canvas, io.BytesIO]:
    if _LETTERS not in pdfmetrics.getRegisteredFontNames():
        pdfmetrics.registerFont(TTFont(_LETTERS, _FONT))
    out = io.BytesIO()
    return Canvas(out, pagesize=A4), out


def _write(canvas: Canvas, lines: list[tuple[str, float]], x: float, y: float) -> float:
    for text, size in lines:
        canvas.setFont(_LETTERS, size)
        y -= size * 1.45
        if text:
            canvas.drawString(x, y, text)
    return y


def _ended(canvas: Canvas, out: io.BytesIO) -> bytes:
    canvas.showPage()
    canvas.save()
    return out.getvalue()


def _story(person: Person) -> list[tuple[str, float]]:
    return [
        row for heading, lines in body(person) for row in (("", 6.0), (heading, 13.0), *((each, 9.0) for each in lines))
    ]


def two_columns(person: Person) -> bytes:
    """The narrow column with contact details is drawn after the wide one, as LaTeX classes do."""
    canvas, out = _canvas()
    _write(canvas, [(person.shown, 26.0), (person.job, 12.0), *_story(person)], 220, 800)
    said = words(person)
    contact = [
        (said.personal, 13.0),
        *((line, 9.0) for line in person.address),
        (person.phone, 9.0),
        (person.mail, 9.0),
    ]
    _write(canvas, [*contact, (person.profile, 9.0)], 40, 740)
    canvas.linkURL(f"mailto:{person.mail}", (40, 600, 200, 620))
    return _ended(canvas, out)


def sidebar_first(person: Person) -> bytes:
    """The sidebar is drawn first, with a heading; the name is in the other column."""
    canvas, out = _canvas()
    said = words(person)
    side = [(said.personal, 12.0), (person.phone, 9.0), (person.mail, 9.0), *((line, 9.0) for line in person.address)]
    skills = said.sections[-1]
    _write(canvas, [*side, (person.profile, 9.0), (skills[0], 12.0), *((each, 9.0) for each in skills[1])], 40, 740)
    rest = [
        row
        for heading, lines in body(person)
        if heading != skills[0]
        for row in ((heading, 13.0), *((each, 9.0) for each in lines))
    ]
    _write(canvas, [(person.shown.upper(), 28.0), (person.job, 12.0), *rest], 230, 800)
    return _ended(canvas, out)


def table(person: Person) -> bytes:
    _canvas()
    out = io.BytesIO()
    style = ParagraphStyle("text", fontName=_LETTERS, fontSize=10, leading=14)
    large = ParagraphStyle("large", parent=style, fontSize=18, leading=24)
    rows = [[Paragraph(f"{label}:", style), Paragraph(value, style)] for label, value in labelled(person)]
    story = [Paragraph(words(person).title, large), PdfTable(rows, colWidths=[140, 340]), Spacer(1, 12)]
    for heading, lines in body(person):
        story += [Paragraph(heading, large), *(Paragraph(line, style) for line in lines)]
    SimpleDocTemplate(out, title=words(person).title, author=person.shown).build(story)
    return out.getvalue()


def header_and_footer(person: Person) -> bytes:
    """Two pages with the name in the header and contact details in the footer, drawn first."""
    canvas, out = _canvas()
    for page in (1, 2):
        _write(canvas, [(contact_line(person, "  ·  "), 7.0)], 40, 40)
        _write(canvas, [(person.shown, 20.0 if page == 1 else 9.0)], 40, 830)
        rows = _story(person)
        half = len(rows) // 2
        _write(canvas, [(person.job, 12.0), *rows[:half]] if page == 1 else rows[half:], 40, 780)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def spaced(person: Person) -> bytes:
    """The name in spaced capitals."""
    canvas, out = _canvas()
    loud = "   ".join(" ".join(word.upper()) for word in person.shown.split())
    top = [(loud, 22.0), (person.job.upper(), 11.0), (contact_line(person, "  |  "), 8.0)]
    _write(canvas, [*top, *_story(person)], 40, 800)
    return _ended(canvas, out)


def scanned(person: Person) -> bytes:
    """A picture of a page, without text."""
    picture = Image.new("RGB", (620, 877), "white")
    ImageDraw.Draw(picture).text(
        (60, 60), f"{person.given} {person.mail}".encode("ascii", "replace").decode(), fill="black"
    )
    canvas, out = _canvas()
    canvas.drawImage(ImageReader(picture), 0, 0, *A4)
    return _ended(canvas, out)
