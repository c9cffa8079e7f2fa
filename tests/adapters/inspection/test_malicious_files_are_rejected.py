"""Malicious files, and files that only their owner can open, are rejected."""

import io
import zipfile
import zlib

import pytest

from portal.adapters.inspection.inspection import inspect
from portal.platform.errors import UploadReason, UploadRefused
from tests.parts import files


def refused(content: bytes) -> UploadReason:
    with pytest.raises(UploadRefused) as raised:
        inspect(io.BytesIO(content), max_bytes=100_000_000)
    return raised.value.reason


def test_the_unmodified_docx_of_these_tests_is_accepted() -> None:
    assert inspect(io.BytesIO(files.docx()), max_bytes=100_000).extension == "docx"


@pytest.mark.parametrize("name", ["locked.pdf", "locked.docx", "locked.odt", "locked.doc"])
def test_password_protected_files_are_rejected(name: str) -> None:
    assert refused(files.real(name)) == UploadReason.ENCRYPTED


def test_a_password_protected_archive_is_reported_as_encrypted() -> None:
    assert refused(files.with_flag(files.docx(), 0x01)) == UploadReason.ENCRYPTED


@pytest.mark.parametrize(
    "content",
    [
        files.real("macro.odt"),
        files.docx({"word/vbaProject.bin": files.OLE}),
        files.docx({"word/VBAPROJECT.BIN": b"x"}),
        files.docx(types=b'<Override ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/>'),
    ],
)
def test_a_document_with_macros_is_rejected(content: bytes) -> None:
    assert refused(content) == UploadReason.MACROS


@pytest.mark.parametrize(
    "content",
    [
        files.docx({"word/embeddings/another.docx": files.docx()}),
        files.docx({"word/embeddings/oleObject1.bin": files.OLE + bytes(600)}),
        files.docx({"word/media/image1.png": files.program_named_cv()}),
    ],
)
def test_an_embedded_file_is_rejected(content: bytes) -> None:
    assert refused(content) == UploadReason.EMBEDDED_FILES


def test_a_zip_bomb_is_rejected() -> None:
    bomb = files.zip_bomb()
    assert len(bomb) < 200_000
    assert refused(bomb) == UploadReason.SUSPICIOUS


def test_archive_members_that_overlap_are_rejected() -> None:
    assert refused(files.overlapping_zip()) == UploadReason.SUSPICIOUS


def test_archive_members_with_a_large_total_size_are_rejected() -> None:
    members = {f"word/media/{number}.bmp": bytes(1_000_000) for number in range(140)}
    assert refused(files.docx(members)) == UploadReason.SUSPICIOUS


@pytest.mark.parametrize(("at", "what"), [(22, "size"), (18, "packed size"), (8, "method"), (30, "name")])
def test_a_member_that_contradicts_the_directory_is_reported_as_damaged(at: int, what: str) -> None:
    content = bytearray(files.docx())
    second = content.index(b"PK\x03\x04", 4)
    content[second + at] ^= 0x01
    assert refused(bytes(content)) == UploadReason.DAMAGED, what


@pytest.mark.parametrize("short", range(-1, 20, 3))
def test_forbidden_content_is_found_across_chunk_boundaries(short: int) -> None:
    pdf = b"%PDF-1.7\n%".ljust(1024 * 1024 - short, b"x") + b"/S /JavaScript\n%%EOF\n"
    assert refused(pdf) == UploadReason.ACTIVE_CONTENT
    rtf = rb"{\rtf1 ".ljust(64 * 1024 - short, b"x") + rb"\objdata 00}"
    assert refused(rtf) == UploadReason.EMBEDDED_FILES


@pytest.mark.parametrize("size", [65_535, 65_536, 65_537, 131_072, 500_000, 1_000_003])
def test_well_compressed_files_are_accepted(size: int) -> None:
    docx = files.docx({"word/media/image1.bmp": bytes(size)})
    assert inspect(io.BytesIO(docx), max_bytes=100_000).extension == "docx"


def test_archives_with_too_many_members_are_rejected() -> None:
    assert refused(files.docx({f"word/media/{number}": b"" for number in range(1_000)})) == UploadReason.SUSPICIOUS


def test_false_sizes_in_an_archive_are_detected() -> None:
    lying = files.lying_zip()
    with zipfile.ZipFile(io.BytesIO(lying)) as archive:  # a reader that trusts the size sees ten harmless bytes
        assert archive.read("word/media/image1.bmp") == bytes(10)
    assert refused(lying) == UploadReason.SUSPICIOUS


def test_duplicate_member_names_are_rejected() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("word/document.xml", b"one")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("word/document.xml", b"other")
    assert refused(out.getvalue()) == UploadReason.SUSPICIOUS


@pytest.mark.parametrize("name", ["cv.docx", "cv.odt", "cv.pdf", "cv.rtf"])
@pytest.mark.parametrize("kept", [0.3, 0.9])
def test_a_truncated_file_is_reported_as_damaged(name: str, kept: float) -> None:
    content = files.real(name)
    assert refused(content[: int(len(content) * kept)]) == UploadReason.DAMAGED


@pytest.mark.parametrize("change", [-1, 1, 1_000])
def test_a_directory_of_the_wrong_size_is_reported_as_damaged(change: int) -> None:
    assert refused(files.with_directory_size(files.real("cv.docx"), change)) == UploadReason.DAMAGED


def test_a_changed_byte_in_a_member_is_reported_as_damaged() -> None:
    content = bytearray(files.real("cv.odt"))
    content[len(content) // 3] ^= 0xFF
    assert refused(bytes(content)) == UploadReason.DAMAGED


def test_data_before_or_after_an_archive_is_rejected() -> None:
    assert refused(files.docx() + b"trailing") == UploadReason.DAMAGED
    assert refused(b"<script>" + files.docx()) == UploadReason.WRONG_TYPE


def test_a_pdf_that_is_also_an_archive_is_rejected() -> None:
    assert refused(files.real("cv.pdf") + files.docx()) == UploadReason.SUSPICIOUS
    assert refused(files.real("cv.pdf") + files.zipped({"a": b"b"})) == UploadReason.SUSPICIOUS


def test_an_rtf_with_an_embedded_file_is_rejected() -> None:
    spoiled = files.real("cv.rtf").rstrip()[:-1] + rb"{\object\objemb{\*\objdata 0105000002}}}"
    assert refused(spoiled) == UploadReason.EMBEDDED_FILES


def test_a_doc_with_a_cyclic_sector_chain_is_reported_as_damaged() -> None:
    content = bytearray(files.real("cv.doc"))
    sector = int.from_bytes(content[48:52], "little")
    table = (int.from_bytes(content[76:80], "little") + 1) * 512
    content[table + 4 * sector : table + 4 * sector + 4] = sector.to_bytes(4, "little")
    assert refused(bytes(content)) == UploadReason.DAMAGED


def test_a_doc_with_a_cyclic_table_list_is_reported_as_damaged() -> None:
    content = bytearray(files.real("cv.doc").ljust(512 * 31_002, b"\0"))
    at = 512 * (int.from_bytes(content[48:52], "little") + 1)
    content[512 * 31_000 : 512 * 31_001] = content[at : at + 512]
    content[512 * 31_001 :] = (31_000).to_bytes(4, "little") * 128
    content[48:52] = (30_999).to_bytes(4, "little")
    content[68:72] = (31_000).to_bytes(4, "little")
    assert refused(bytes(content)) == UploadReason.DAMAGED


def test_a_member_with_data_after_its_end_is_damaged_and_not_read_forever() -> None:
    content = bytearray(files.docx({"word/media/image1.bmp": b"\0\1" * 200_000}))
    name = content.index(b"word/media/image1.bmp")
    body = zlib.compress(b"\0\1" * 100_000, wbits=-15)
    content[name + 21 : name + 21 + len(body)] = body
    assert refused(bytes(content)) == UploadReason.DAMAGED
