"""A CV is shown as a PDF or downloaded; nothing in it is executed, and only colleagues can open it."""

import io
import zipfile
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from portal.platform.errors import StoreMisconfigured, StoreUnavailable
from portal.tracker.hiring.app import HiringMount, create_hiring
from tests.tracker.hiring.applicants import PDF, apply
from tests.tracker.hiring.site import READER, HiringSite


def _archive(**members: str) -> bytes:
    """A ZIP file; a member's name has __ for /."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/"), content)
    return made.getvalue()


DOCX = _archive(docProps__app="", word__document="")
ODT = _archive(mimetype="application/vnd.oasis.opendocument.text", content="")
ODS = _archive(mimetype="application/vnd.oasis.opendocument.spreadsheet", content="")
XLSX = _archive(docProps__app="", xl__workbook="")
HTML = b"<!doctype html><script>alert(document.cookie)</script>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'


def test_a_pdf_is_shown_in_the_browser(hiring: HiringSite):
    application = apply(hiring, hiring.office.add_vacancy())
    answer = hiring.signed_in(READER).get(f"/applications/{application}/cv")
    assert (answer.status_code, answer.content) == (200, PDF)
    assert answer.headers["Content-Type"] == "application/pdf"
    assert answer.headers["Content-Disposition"] == 'inline; filename="Ada Okafor.pdf"'
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("cv", "ending"),
    [
        (DOCX, "docx"),
        (ODT, "odt"),
        (ODS, "bin"),
        (XLSX, "bin"),
        (b"PK\x03\x04", "bin"),
        (HTML, "bin"),
        (SVG, "bin"),
        (b"", "bin"),
        (b"\n%PDF-1.4", "bin"),
        (HTML + PDF, "bin"),
    ],
)
def test_other_files_are_downloaded(hiring: HiringSite, cv: bytes, ending: str):
    application = apply(hiring, hiring.office.add_vacancy(), cv=cv)
    answer = hiring.signed_in(READER).get(f"/applications/{application}/cv")
    assert answer.content == cv
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="Ada Okafor.{ending}"'
    policy = answer.headers["Content-Security-Policy"]
    assert policy == "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "name", ["gpj.\u202efdp.exe", "a\u2066b\u2069", "../../etc/passwd", 'x"; filename="y.html', "a\\b", "<b>", "\u200f"]
)
def test_a_file_name_cannot_inject_headers(hiring: HiringSite, name: str):
    application = apply(hiring, hiring.office.add_vacancy(), firstName=name, lastName="Z")
    said = hiring.signed_in(READER).get(f"/applications/{application}/cv").headers["Content-Disposition"]
    assert not set(said) & set("\u202e\u2066\u2069\r\n\\/<>")
    assert said.count('filename="') == 1
    assert "E2%80%AE" not in said.upper()
    assert said.endswith((".pdf", '.pdf"'))


@pytest.mark.parametrize("key", ["globex/their-cv", "acme/missing", "acme/../x", "_erased/x", "acme"])
def test_a_storage_key_of_another_company_opens_nothing(hiring: HiringSite, key: str):
    hiring.office.neighbour()
    theirs = hiring.services.store
    assert theirs
    apply(hiring, hiring.office.add_vacancy())
    theirs.put("globex/their-cv", io.BytesIO(PDF), size=len(PDF), media_type="a/b", filename="x")
    application = apply(hiring, hiring.office.add_vacancy(), cv=None, cvAttachmentId=key, email="eve@people.example")
    answer = hiring.signed_in(READER).get(f"/applications/{application}/cv")
    assert (answer.status_code, PDF in answer.content) == (404, False)


class FailingStorage:
    """A storage that fails when it is opened, or while it is read."""

    def __init__(self, error: Exception, *, when_read: bool) -> None:
        self._error, self._when_read = error, when_read

    @contextmanager
    def open(self, _key: str) -> Any:
        if not self._when_read:
            raise self._error
        yield self

    def read(self, *_size: int) -> bytes:
        raise self._error


@pytest.mark.parametrize("when_read", [False, True])
@pytest.mark.parametrize("error", [StoreUnavailable("x"), StoreMisconfigured("x"), OSError(5, "x")])
def test_an_unavailable_storage_is_reported(hiring: HiringSite, error: Exception, when_read: bool):
    application = apply(hiring, hiring.office.add_vacancy())
    away: Any = FailingStorage(error, when_read=when_read)
    pages = HiringMount(create_hiring(replace(hiring.services, store=away)), hiring.services.concurrency)
    reader = hiring.signed_in(READER)
    hiring.office.app.wsgi_app = pages.beside(hiring.office.app.wsgi_app)  # type: ignore[method-assign]  the pages with that storage, before the others
    answer = reader.get(f"/applications/{application}/cv")
    assert answer.status_code == 503
    assert "storage of files does not answer" in reader.words
    assert answer.headers["Retry-After"]
