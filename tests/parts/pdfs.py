"""PDFs as common programs and attackers write them, generated here."""

import io
import os
import re
import struct
import zlib
from collections.abc import Callable

from PIL import Image
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import Link
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NullObject,
    NumberObject,
    StreamObject,
    TextStringObject,
    create_string_object,
)
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from tests.parts import files

Change = Callable[[PdfWriter], object]


def typeset(pages: int = 2, *, compressed: bool = True, password: str | None = None) -> bytes:
    """Return a PDF by reportlab with text, an outline, a link to the web and one inside the document."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, pageCompression=int(compressed), encrypt=password)
    for number in range(pages):
        canvas.bookmarkPage(f"page{number}")
        canvas.addOutlineEntry(f"Page {number + 1}", f"page{number}")
        canvas.drawString(72, 720, f"Marit Solheim, HTML/CSS/JavaScript, Product/Launch, page {number + 1}")
        canvas.linkURL("https://marit.example/", (72, 700, 200, 730))
        canvas.linkRect("", "page0", (72, 600, 200, 630))
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def changed(change: Change | None = None, *, password: tuple[str, str] | None = None) -> bytes:
    """Return a real PDF, rewritten after a change. password: of the user and of the owner."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(files.real("cv.pdf"))))
    if change:
        change(writer)
    if password:
        writer.encrypt(*password, algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def of_photographs(size: int, pages: int = 5) -> bytes:
    """Return a PDF of about that many bytes with a picture on each page, as a phone scans a CV."""
    side = int((size / pages / 4.1) ** 0.5)
    first, *others = [Image.frombytes("RGB", (side, side), os.urandom(side * side * 3)) for _ in range(pages)]
    out = io.BytesIO()
    first.save(out, "PDF", save_all=True, append_images=others, quality=100, subsampling=0)
    return out.getvalue()


def packed(content: bytes) -> bytes:
    """Return the PDF with its objects in a compressed stream, where a search of the bytes does not find them."""
    reader = PdfReader(io.BytesIO(content))
    numbers = sorted(number for generation in reader.xref.values() for number in generation if number)
    objects = {number: reader.get_object(number) for number in numbers}
    out, places, inside, plain = io.BytesIO(), {}, [], io.BytesIO()
    out.write(b"%PDF-1.7\n")
    for number, one in objects.items():
        if one is None or isinstance(one, StreamObject):
            places[number] = (1, out.tell(), 0)
            out.write(b"%d 0 obj\n" % number)
            (one or NullObject()).write_to_stream(out)
            out.write(b"\nendobj\n")
        else:
            inside.append((number, plain.tell()))
            one.write_to_stream(plain)
            plain.write(b" ")
    holder = numbers[-1] + 1
    head = b" ".join(b"%d %d" % one for one in inside) + b" "
    body = zlib.compress(head + plain.getvalue())
    for index, (number, _) in enumerate(inside):
        places[number] = (2, holder, index)
    places[holder] = (1, out.tell(), 0)
    out.write(
        b"%d 0 obj\n<< /Type /ObjStm /N %d /First %d /Filter /FlateDecode /Length %d >>\n"
        b"stream\n%s\nendstream\nendobj\n" % (holder, len(inside), len(head), len(body), body)
    )
    places[holder + 1] = (1, out.tell(), 0)
    rows = b"".join(struct.pack("!BIH", *places.get(number, (0, 0, 0))) for number in range(holder + 2))
    root = reader.trailer.raw_get("/Root").idnum
    start = out.tell()
    out.write(
        b"%d 0 obj\n<< /Type /XRef /Size %d /W [1 4 2] /Root %d 0 R /Length %d >>\nstream\n%s\nendstream\nendobj\n"
        % (holder + 1, holder + 2, root, len(rows), rows)
    )
    out.write(b"startxref\n%d\n%%%%EOF\n" % start)
    return out.getvalue()


def repacked(packs: Callable[[bytes], bytes], filters: bytes, *, kind: bytes = b"/ObjStm") -> bytes:
    """Return a real PDF whose object stream, or cross-reference stream, is compressed in another way."""
    content = packed(changed())
    at = content.index(b"/Type " + kind)
    start = content.index(b"stream\n", at) + len(b"stream\n")
    end = content.index(b"\nendstream", start)
    plain = zlib.decompress(content[start:end]) if kind == b"/ObjStm" else content[start:end]
    body = packs(plain)
    head = content[content.rindex(b"<<", 0, at) : start].replace(b"/Filter /FlateDecode", b"")
    head = re.sub(rb"/Length \d+", b"/Length %d /Filter %s" % (len(body), filters), head)
    before, after = content[: content.rindex(b"<<", 0, at)] + head + body, content[end:]
    if kind == b"/XRef":
        return before + after
    rows, mark, _ = after.rpartition(b"startxref")  # what follows has moved: update the table's position
    moved = len(before) - end
    table = rows.index(b"stream\n", rows.index(b"/Type /XRef")) + len(b"stream\n")
    last = rows.index(b"\nendstream", table)
    entries = [struct.unpack("!BIH", rows[one : one + 7]) for one in range(table, last, 7)]
    told = [(sort, place + moved if sort == 1 and place > at else place, more) for sort, place, more in entries]
    rows = rows[:table] + b"".join(struct.pack("!BIH", *one) for one in told) + rows[last:]
    place = len(before) + rows.rindex(b"endobj\n", 0, rows.index(b"/Type /XRef")) + len(b"endobj\n")
    return before + rows + mark + b"\n%d\n%%%%EOF\n" % place


def slow() -> bytes:
    """Return a PDF of about 40 KB that cannot be inspected within the limits: 30 MB of blanks precede its objects."""
    return repacked(lambda objects: zlib.compress(_behind_blanks(objects), 9), b"/FlateDecode")


def _behind_blanks(objects: bytes) -> bytes:
    """Put blanks before the index of an object stream. The first object's position becomes wrong, but is never used."""
    return b" " * 30_000_000 + objects


def bomb(megabytes: int = 500) -> bytes:
    """Return a PDF whose objects are in a stream that inflates to that size."""
    content = packed(changed())
    at = content.index(b"/Type /ObjStm")
    start = content.index(b"stream\n", at) + len(b"stream\n")
    end = content.index(b"\nendstream", start)
    inflated = zlib.decompress(content[start:end])
    pressed = zlib.compressobj(9)
    body = pressed.compress(inflated) + b"".join(pressed.compress(bytes(1_000_000)) for _ in range(megabytes))
    body += pressed.flush()
    content = content[:start] + body + content[end:]
    length = content.rindex(b"/Length", 0, start)
    return content[:length] + b"/Length %d >>\n" % len(body) + content[content.index(b"stream\n", length) :]


def action(kind: str, **more: object) -> DictionaryObject:
    """Return an action with that /S, and text for its other members."""
    made = {NameObject("/S"): NameObject(f"/{kind}")}
    made |= {NameObject(f"/{key}"): _object(value) for key, value in more.items()}
    return DictionaryObject(made)


def text(value: str) -> TextStringObject:
    """Return a string object of a PDF."""
    return TextStringObject(value)


def shared_page_tree(levels: int = 4, width: int = 16) -> bytes:
    """Return a PDF with one page and 65,536 paths to it: every node lists the same child `width` times."""
    return changed(lambda writer: _share(writer, levels, width))


def _share(writer: PdfWriter, levels: int, width: int) -> None:
    below = writer.root_object.raw_get("/Pages")
    for _ in range(levels):
        node = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Pages"),
                NameObject("/Kids"): ArrayObject([below] * width),
                NameObject("/Count"): NumberObject(width),
            }
        )
        below = writer._add_object(node)
    writer.root_object[NameObject("/Pages")] = below


def _object(value: object) -> object:
    return create_string_object(value) if isinstance(value, str) else value


def opens_with(one: DictionaryObject | ArrayObject) -> Change:
    """Return a change that runs an action when the document is opened."""
    return lambda writer: writer.root_object.update({NameObject("/OpenAction"): one})


def with_scripts_by_name(*scripts: DictionaryObject) -> Change:
    """Return a change that adds scripts, which run when the document is opened, in the order of their names."""
    pairs = [(create_string_object(str(number)), script) for number, script in enumerate(scripts)]
    tree = DictionaryObject({NameObject("/Names"): ArrayObject(one for pair in pairs for one in pair)})
    return lambda writer: writer.root_object.update(
        {NameObject("/Names"): DictionaryObject({NameObject("/JavaScript"): tree})}
    )


def shows_page_with(one: DictionaryObject) -> Change:
    """Return a change that runs an action when the first page is shown."""
    return lambda writer: writer.pages[0].update(
        {NameObject("/AA"): DictionaryObject({NameObject("/O"): writer._add_object(one)})}
    )


def on_click(one: DictionaryObject) -> Change:
    """Return a change that runs an action at a click."""

    def change(writer: PdfWriter) -> None:
        link = Link(rect=(10, 10, 50, 50), url="https://marit.example/")
        link[NameObject("/A")] = one
        writer.add_annotation(0, link)

    return change


def with_file(writer: PdfWriter) -> None:
    """Attach a file."""
    writer.add_attachment("payload.exe", files.program_named_cv())


def with_file_note(writer: PdfWriter) -> None:
    """Attach a file by an annotation, which is a paper clip on the page."""
    stream = DecodedStreamObject()
    stream.set_data(b"payload")
    spec = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Filespec"),
            NameObject("/F"): TextStringObject("payload"),
            NameObject("/EF"): DictionaryObject({NameObject("/F"): writer._add_object(stream)}),
        }
    )
    writer.add_annotation(0, annotation("FileAttachment", FS=spec))


def annotation(kind: str, **more: object) -> DictionaryObject:
    """Return an annotation for a page."""
    rectangle = ArrayObject([FloatObject(one) for one in (10, 10, 50, 50)])
    made = {
        NameObject("/Type"): NameObject("/Annot"),
        NameObject("/Subtype"): NameObject(f"/{kind}"),
        NameObject("/Rect"): rectangle,
        NameObject("/F"): NumberObject(4),
    }
    return DictionaryObject(made | {NameObject(f"/{key}"): value for key, value in more.items()})


def form_that_is_xml(writer: PdfWriter) -> None:
    """Add an XFA form of Adobe's, which other readers show as "Please wait…"."""
    stream = DecodedStreamObject()
    stream.set_data(b"<xdp:xdp/>")
    writer.root_object[NameObject("/AcroForm")] = DictionaryObject(
        {NameObject("/XFA"): writer._add_object(stream), NameObject("/Fields"): ArrayObject()}
    )
