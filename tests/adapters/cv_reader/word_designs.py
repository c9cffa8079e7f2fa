"""CVs as word processors and editors write them: DOCX, ODT, RTF, plain text."""

import io

from docx import Document
from docx.shared import Pt
from odf import style as odf_style
from odf import text as odf_text
from odf.opendocument import OpenDocumentText
from odf.table import Table, TableCell, TableRow

from tests.adapters.cv_reader.people import Person
from tests.adapters.cv_reader.story import words


def contact_line(person: Person, mark: str = " | ") -> str:
    """One line with all contact details."""
    return mark.join(filter(None, [", ".join(person.address), person.phone, person.mail, person.profile]))


def labelled(person: Person, *, name: bool = True) -> list[tuple[str, str]]:
    """Return (label, value) pairs, including date of birth and nationality."""
    said = words(person)
    rows = [(said.name, person.shown)] if name else []
    rows.append((said.address, ", ".join(person.address)))
    rows += [tuple(map(str.strip, text.split(":", 1))) for text in (said.born, said.nationality) if ":" in text]
    rows += [(said.phone, person.phone), (said.mail, person.mail)]
    return [*rows, ("Web", person.profile)] if person.profile else rows


def body(person: Person, *, others: bool = True) -> list[tuple[str, list[str]]]:
    """The sections below."""
    said = words(person)
    return [*said.sections, said.others] if others else said.sections


def _saved(document: Document) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _sections(document: Document, person: Person) -> None:
    for heading, lines in body(person):
        document.add_heading(heading, level=1)
        for line in lines:
            document.add_paragraph(line)


def docx_plain(person: Person) -> bytes:
    document = Document()
    document.add_heading(person.shown, level=0)
    document.add_paragraph(person.job)
    document.add_paragraph(contact_line(person))
    _sections(document, person)
    return _saved(document)


def docx_table(person: Person) -> bytes:
    document = Document()
    document.add_paragraph(words(person).title).runs[0].font.size = Pt(20)
    rows = labelled(person)
    table = document.add_table(rows=len(rows), cols=2)
    for row, (label, value) in zip(table.rows, rows, strict=True):
        row.cells[0].text, row.cells[1].text = label, value
    _sections(document, person)
    return _saved(document)


def docx_header(person: Person) -> bytes:
    """The name in the page's header, the email address in its footer."""
    document = Document()
    section = document.sections[0]
    section.header.paragraphs[0].text = person.shown
    section.footer.paragraphs[0].text = f"{person.mail}  ·  {person.phone}"
    document.add_paragraph(person.job)
    for line in (*person.address, person.profile):
        document.add_paragraph(line)
    _sections(document, person)
    return _saved(document)


def docx_columns(person: Person) -> bytes:
    """A table as layout: contact details on the left, everything else on the right."""
    document = Document()
    left, right = document.add_table(rows=1, cols=2).rows[0].cells
    left.text = words(person).personal
    for line in (*person.address, person.phone, person.mail, person.profile):
        left.add_paragraph(line)
    run = right.paragraphs[0].add_run(person.shown)
    run.font.size, run.bold = Pt(26), True
    right.add_paragraph(person.job)
    for heading, lines in body(person):
        right.add_paragraph(heading).runs[0].bold = True
        for line in lines:
            right.add_paragraph(line)
    return _saved(document)


def _odt(document: OpenDocumentText) -> bytes:
    out = io.BytesIO()
    document.write(out)
    return out.getvalue()


def odt_plain(person: Person) -> bytes:
    document = OpenDocumentText()
    large = odf_style.Style(name="Large", family="paragraph")
    large.addElement(odf_style.TextProperties(fontsize="24pt"))
    document.automaticstyles.addElement(large)
    document.text.addElement(odf_text.P(stylename=large, text=person.shown))
    for line in (person.job, *person.address, f"{words(person).phone}: {person.phone}", person.mail, person.profile):
        document.text.addElement(odf_text.P(text=line))
    for heading, lines in body(person):
        document.text.addElement(odf_text.H(outlinelevel=1, text=heading))
        for line in lines:
            document.text.addElement(odf_text.P(text=line))
    return _odt(document)


def odt_table(person: Person) -> bytes:
    document = OpenDocumentText()
    document.text.addElement(odf_text.H(outlinelevel=1, text=words(person).title))
    table = Table()
    for pair in labelled(person):
        row = TableRow()
        for text in pair:
            cell = TableCell()
            cell.addElement(odf_text.P(text=text))
            row.addElement(cell)
        table.addElement(row)
    document.text.addElement(table)
    for heading, lines in body(person, others=False):
        document.text.addElement(odf_text.H(outlinelevel=2, text=heading))
        for line in lines:
            document.text.addElement(odf_text.P(text=line))
    return _odt(document)


def _rtf(lines: list[str]) -> bytes:
    def escaped(text: str) -> str:
        coded = text.replace("\\", "\\\\").replace("{", "\\{").replace("}", "\\}")
        return "".join(c if c.isascii() else f"\\u{ord(c) - 65536 if ord(c) > 32767 else ord(c)}?" for c in coded)

    rows = "".join(f"\\pard {escaped(line)}\\par\n" for line in lines)
    return f"{{\\rtf1\\ansi\\deff0{{\\fonttbl{{\\f0 Arial;}}}}\n{rows}}}".encode("ascii")


def rtf(person: Person) -> bytes:
    lines = [person.shown, person.job, *person.address, f"{words(person).phone} {person.phone}", person.mail]
    lines += [person.profile, *(line for heading, more in body(person) for line in (heading.upper(), *more))]
    return _rtf(lines)


def txt_labels(person: Person) -> bytes:
    lines = [words(person).title, ""]
    lines += [f"{label}: {value}" for label, value in labelled(person)]
    lines += [line for heading, more in body(person) for line in ("", f"{heading}:", *(f"- {each}" for each in more))]
    return "\n".join(lines).encode()


def txt_lines(person: Person) -> bytes:
    said = words(person)
    lines = [f"{said.title}: {person.shown}", person.job, "", said.personal, *person.address, said.born]
    lines += [f"{said.phone} {person.phone}", f"{said.mail} {person.mail}", person.profile]
    lines += [line for heading, more in body(person) for line in ("", heading, *more)]
    return "\r\n".join(lines).encode("utf-16")
