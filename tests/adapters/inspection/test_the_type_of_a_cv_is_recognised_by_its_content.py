"""The type of files that real programs saved is recognised from their content, whatever their name is."""

import codecs
import io
import struct

import pytest

from portal.adapters.cv_reader.result import CvDetails
from portal.adapters.inspection.inspection import EXTENSIONS, inspect
from portal.platform.errors import FileKind, UploadReason, UploadRefused
from tests.parts import files

MIB = 1024 * 1024


def refused(content: bytes, *, max_bytes: int = 10 * MIB) -> UploadReason:
    with pytest.raises(UploadRefused) as raised:
        inspect(io.BytesIO(content), max_bytes=max_bytes)
    return raised.value.reason


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("cv.pdf", "application/pdf"),
        ("scan.pdf", "application/pdf"),
        ("cv.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("cv.odt", "application/vnd.oasis.opendocument.text"),
        ("cv.rtf", "application/rtf"),
        ("cv.doc", "application/msword"),
    ],
)
def test_files_saved_by_real_programs_are_accepted(name: str, media_type: str) -> None:
    content = files.real(name)
    found = inspect(io.BytesIO(content), max_bytes=len(content))
    assert (found.media_type, found.size) == (media_type, len(content))
    assert found.extension == name.rpartition(".")[2]
    assert found.extension in EXTENSIONS


@pytest.mark.parametrize(
    "content",
    [
        b"Marit Solheim\n\tengineer\r\n",
        "José, 李小龙, مريم".encode(),
        codecs.BOM_UTF8 + "Ærlig talt".encode(),
        "Ærlig talt".encode("utf-16"),
        codecs.BOM_UTF16_BE + "Ærlig talt".encode("utf-16-be"),
        ("é" * 70_000).encode(),
        b"a < b, and that is all",
        "J\u00f6rg M\u00fcller \u2013 \u20ac 1".encode("cp1252"),
        "in Latin-1: Jos\u00e9".encode("latin-1"),
        "Jos\u00e9 ".encode("cp1252") * 20_000,
        ("Micha\u0142 wr\u00f3ci\u0142 " * 20).encode("cp1250") + b"\x8f",
    ],
)
def test_text_in_utf8_utf16_with_bom_or_windows_1252_is_accepted(content: bytes) -> None:
    assert inspect(io.BytesIO(content), max_bytes=MIB).media_type == "text/plain"


@pytest.mark.parametrize(
    "content",
    [
        files.program_named_cv(),
        b"\x7fELF" + bytes(200),
        b"\x89PNG\r\n\x1a\n" + bytes(200),
        b"\xff\xd8\xff\xe0" + bytes(200),
        b"GIF89a" + bytes(50),
        "J\u00f6rg\0".encode("cp1252"),
        "J\u00f6rg\x1b[2J".encode("cp1252"),
        bytes(range(128, 256)),
        "unmarked UTF-16".encode("utf-16-le"),
        b"text with a NUL\0",
        b"text with an escape \x1b[2J",
        codecs.BOM_UTF16_LE + b"odd",
        b"<!DOCTYPE html><script>alert(1)</script>",
        b"\n  <svg onload=alert(1)>",
        b"<?xml version='1.0'?><x/>",
        b"#!/bin/sh\nrm -rf ~\n",
        b"%!PS-Adobe-3.0\n",
        files.OLE + bytes(504),
        files.zipped({"evil.js": b"x"}),
        files.zipped({"[Content_Types].xml": b"spreadsheetml.sheet.main+xml", "_rels/.rels": b"<x/>"}),
        files.zipped({"mimetype": b"application/vnd.oasis.opendocument.spreadsheet", "META-INF/manifest.xml": b"<x/>"}),
    ],
)
def test_other_file_types_are_rejected(content: bytes) -> None:
    assert refused(content) in (UploadReason.WRONG_TYPE, UploadReason.DAMAGED)


HEADLESS = files.real("cv.pdf").partition(b"\n")[2]
PLAIN_PDF = b"1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n"


@pytest.mark.parametrize(
    "content",
    [
        PLAIN_PDF,
        b"Marit Solheim, engineer. " * 300 + b"\n%PDF-1.7\n",
        b"x" * 70_000 + b"\n" + PLAIN_PDF,
        b"1 0%\nobj % (\n<</Type/Catalog/Pages 2 0 R>>",
        b"1 0 obj" + b" " * 9_000 + b"<</Type/Catalog>>",
        b"Marit Solheim\ntrailer\n<</Root 1 0 R>>",
        b"Marit Solheim\nstartxref\n120\n",
        b"Marit Solheim\n%%EOF\n",
    ],
)
def test_a_pdf_without_its_first_line_is_not_text(content: bytes) -> None:
    assert refused(content) == UploadReason.SUSPICIOUS


def test_a_real_pdf_without_its_first_line_is_rejected() -> None:
    assert refused(HEADLESS) in (UploadReason.SUSPICIOUS, UploadReason.WRONG_TYPE)


@pytest.mark.parametrize(
    "content",
    [
        b"Drove trucks with a trailer. Wrote parsers of PDF: xref, trailer, startxref, obj and endobj, %%, EOF.\n",
        b"C++: std::cout << obj << 1; 2 obj, 3 objects, 100% remote\n",
        b"5 0 objections in 10 years\n",
    ],
)
def test_a_text_that_mentions_pdf_is_text(content: bytes) -> None:
    assert inspect(io.BytesIO(content), max_bytes=MIB).media_type == "text/plain"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_text_in_utf16_without_bom_is_reported_as_such(encoding: str) -> None:
    for said in (
        "Marit Solheim\n",
        "Zo\u00eb\n" * 3_000,
        "\u041c\u0430\u0440\u0438\u044f \u0418\u0432\u0430\u043d\u043e\u0432\u0430",
    ):
        with pytest.raises(UploadRefused) as raised:
            inspect(io.BytesIO(said.encode(encoding)), max_bytes=MIB)
        assert (raised.value.reason, raised.value.kind) == (UploadReason.WRONG_TYPE, FileKind.UNMARKED_TEXT)


def read(content: bytes) -> CvDetails | None:
    return inspect(io.BytesIO(content), max_bytes=MIB, read=True).details


def test_cvs_in_windows_1252_and_utf8_are_read_alike() -> None:
    cv = "J\u00f6rg M\u00fcller\njoerg.mueller@post.example\n+49 30 901820\n"
    said = read(cv.encode("cp1252"))
    assert said == read(cv.encode())
    assert said
    assert (said.given_name, said.family_name) == ("J\u00f6rg", "M\u00fcller")
    cut = cv + "\u00e9" * 60_000  # reading ends inside a character
    assert read(b" " + cut.encode()) == read(cut.encode()) == said


def test_only_ascii_is_read_from_a_cv_in_an_unknown_encoding() -> None:
    cv = "\u0416\u044e\u043b\u0438 \u0429\u0443\u0446\n" * 3 + "maria.ivanova@post.example\n"
    said = read(cv.encode("cp1251"))
    assert said
    assert said.email == "maria.ivanova@post.example"
    assert said.given_name is None or said.given_name.isascii()


def test_an_executable_named_cv_pdf_is_rejected() -> None:
    assert refused(files.program_named_cv()) == UploadReason.WRONG_TYPE


def test_empty_and_blank_files_are_reported_as_empty() -> None:
    assert refused(b"") == UploadReason.EMPTY
    assert refused(b" \n\t\n") == UploadReason.EMPTY
    assert refused(codecs.BOM_UTF8) == UploadReason.EMPTY


def test_a_doc_with_pictures_is_recognised_wherever_its_directory_is() -> None:
    large = files.large_doc()
    assert inspect(io.BytesIO(large), max_bytes=10 * MIB).extension == "doc"
    (last,) = struct.unpack_from("<I", large, 68)
    beyond = large[:68] + struct.pack("<I", last + 1) + large[72:]
    assert refused(beyond) == UploadReason.DAMAGED


@pytest.mark.parametrize("limit", [100_000, 10 * MIB])
def test_a_file_at_the_size_limit_is_accepted_and_one_byte_more_is_rejected(limit: int) -> None:
    assert inspect(io.BytesIO(files.pdf_of(limit)), max_bytes=limit).size == limit
    assert refused(files.pdf_of(limit + 1), max_bytes=limit) == UploadReason.TOO_LARGE
