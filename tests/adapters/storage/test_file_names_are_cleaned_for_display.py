"""Names of uploaded files are cleaned for display: no paths or control characters, never empty, never too long."""

import pytest

from portal.adapters.storage.store import clean_filename, content_disposition


@pytest.mark.parametrize(
    ("raw", "extension", "cleaned"),
    [
        ("cv.pdf", "pdf", "cv.pdf"),
        ("CV.PDF", "pdf", "CV.pdf"),
        ("Lebenslauf Müller 2026.docx", "docx", "Lebenslauf Müller 2026.docx"),
        ("履歴書.pdf", "pdf", "履歴書.pdf"),
        ("O'Brien, CV (final).odt", "odt", "O'Brien, CV (final).odt"),
        ("../../etc/passwd", "txt", "passwd.txt"),
        ("C:\\Users\\marit\\cv.doc", "doc", "cv.doc"),
        ("cv.exe", "pdf", "cv.exe.pdf"),
        ("cv.pdf\0.exe", "pdf", "cv.pdf.exe.pdf"),
        ("\u202efdp.vc", "pdf", "fdp.vc.pdf"),
        ("\u2066cv\u2069.pdf", "pdf", "cv.pdf"),
        ("cv\r\nSet-Cookie: x.pdf", "pdf", "cv Set-Cookie_ x.pdf"),
        ("cv\x1b[2J.pdf", "pdf", "cv[2J.pdf"),
        ("\ud800cv.pdf", "pdf", "cv.pdf"),
        ('a"b<c>.pdf', "pdf", "a_b_c.pdf"),
        ("e\u0301.pdf", "pdf", "é.pdf"),
        ("", "pdf", "cv.pdf"),
        (".pdf", "pdf", "cv.pdf"),
        ("...", "pdf", "cv.pdf"),
        ("/", "pdf", "cv.pdf"),
        (" \u200b ", "pdf", "cv.pdf"),
    ],
)
def test_file_names_are_cleaned(raw: str, extension: str, cleaned: str) -> None:
    assert clean_filename(raw, extension) == cleaned


@pytest.mark.parametrize("letter", ["a", "é", "語", "🙂"])
def test_a_long_name_is_truncated_between_characters(letter: str) -> None:
    cleaned = clean_filename(letter * 500 + ".docx", "docx")
    assert len(cleaned.encode()) <= 150
    assert cleaned.endswith(letter + ".docx")
    assert clean_filename(cleaned, "docx") == cleaned


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("cv.pdf", 'attachment; filename="cv.pdf"'),
        ("José.pdf", "attachment; filename=\"Jose.pdf\"; filename*=UTF-8''Jos%C3%A9.pdf"),
        ("履歴書.pdf", "attachment; filename=\"cv.pdf\"; filename*=UTF-8''%E5%B1%A5%E6%AD%B4%E6%9B%B8.pdf"),
    ],
)
def test_the_download_header_encodes_the_name(name: str, header: str) -> None:
    assert content_disposition(name) == header
    assert header.isascii()
