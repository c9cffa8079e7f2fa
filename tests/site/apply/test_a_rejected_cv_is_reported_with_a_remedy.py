import io
from collections.abc import Iterator

import httpx
import pytest
from flask import Flask, Request

from portal.gateway.request_bodies import received
from portal.site.forms import request_body
from portal.site.forms.request_body import FORM_OVERHEAD, TEXT_LIMIT
from tests.parts import files, pdfs
from tests.site.apply.applicant import ADA, Applicant, Page
from tests.site.apply.conftest import LIMIT


def text_of(size: int) -> bytes:
    return (b"Welding since 1998. " * (size // 20 + 1))[:size]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("cv.pdf", b"", "This file is empty."),
        (
            "cv.pdf",
            b"MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff" + bytes(400),
            "This is a program. Choose your CV as a PDF, Word or text file.",
        ),
        (
            "cv.txt",
            text_of(LIMIT + 1),
            "This file is a little larger than the limit of 20 kB. Saving it as a PDF often makes it smaller.",
        ),
        (
            "cv.txt",
            text_of(LIMIT + 5_000),
            "This file is 24 kB. The limit is 20 kB. Saving it as a PDF often makes it smaller.",
        ),
        (
            "cv.pdf",
            pdfs.typeset(1, password="secret"),
            "This PDF is password-protected. Save it without a password and choose it again.",
        ),
        (
            "cv.doc",
            files.real("locked.doc"),
            "This file is password-protected. Save it without a password and choose it again.",
        ),
        ("cv.png", b"\x89PNG\r\n\x1a\n" + bytes(200), "This is an image. Put it in a document, save that as a PDF"),
        ("cv.docx", files.docx({"word/media/1.png": files.docx()}), "This file contains another file."),
    ],
)
def test_a_rejected_file_has_a_message_with_a_remedy(ada: Applicant, name: str, content: bytes, told: str) -> None:
    page = ada.send((name, content))
    assert page.status == 422
    assert told in page.summary["cv"]
    assert page.typed == ADA
    assert ada.receipt()


def test_a_file_of_exactly_the_limit_is_accepted(ada: Applicant) -> None:
    assert ada.receipt(("cv.txt", text_of(LIMIT)))


def test_a_body_far_over_the_limit_returns_the_form_with_its_text(ada: Applicant) -> None:
    page = ada.send(("cv.txt", bytes(LIMIT + FORM_OVERHEAD)))
    assert page.status == 413
    assert "This file is 1.1 MB. The limit is 20 kB." in page.summary["cv"]
    assert page.typed == ADA
    assert ada.receipt()


def test_a_body_without_a_length_returns_the_form_too(ada: Applicant) -> None:
    page = ada.send(("cv.txt", bytes(20 * (LIMIT + FORM_OVERHEAD))))
    assert page.status == 413
    assert ". The limit is 20 kB." in page.summary["cv"]
    assert page.typed == ADA


def test_an_endless_body_is_not_read_for_ever() -> None:
    class Endless(io.RawIOBase):
        given = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  the only use of the buffer
            start = part("firstName", None, b"Ada") + part("cv", "cv.txt", b"") if not self.given else b""
            chunk = (start + b"x" * len(buffer))[: len(buffer)]
            buffer[:] = chunk
            self.given += len(chunk)
            return len(chunk)

    endless = Endless()
    asked = {"REQUEST_METHOD": "POST", "wsgi.input": endless, "wsgi.input_terminated": True}
    asked |= {"CONTENT_TYPE": "multipart/form-data; boundary=b", "HTTP_TRANSFER_ENCODING": "chunked"}
    with (
        received(asked, LIMIT + FORM_OVERHEAD),
        Flask("test").app_context(),
        request_body.received(Request(asked), file_field="cv", max_file=LIMIT) as posted,
    ):
        assert posted.too_large
        assert posted.fields["firstName"] == "Ada"
    assert endless.given < 20 * (LIMIT + FORM_OVERHEAD)


def test_too_much_text_returns_the_form_too(ada: Applicant) -> None:
    page = ada.send(unknown="x" * 300_000)
    assert page.status == 413
    assert page.typed["firstName"] == "Ada"


@pytest.mark.parametrize(("size", "status"), [(TEXT_LIMIT, 422), (TEXT_LIMIT + 1, 413)])
def test_a_form_without_a_file_is_limited_to_the_size_of_its_text(ada: Applicant, size: int, status: int) -> None:
    """It is not even parsed: eight megabytes of nothing but names took three seconds."""
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = ada.client.post(ada.address, content=(b"a=b&" * size)[:size], headers=kind)
    assert answer.status_code == status
    assert len(answer.content) < 100_000


def test_fields_may_follow_the_file_and_only_the_first_of_each_counts(ada: Applicant) -> None:
    def parts() -> Iterator[tuple[str, str | None, bytes]]:
        yield "photo", "photo.png", b"PNG"
        yield "cv", "", b""
        yield "cv", "cv.txt", text_of(500)
        for name, value in {**ada.page.hidden, **ADA}.items():
            yield name, None, value.encode()
        yield "firstName", None, b""
        yield "isAdmin", None, b"yes"
        yield "cv", "other.exe", bytes(300)

    assert post_raw(ada, b"".join(part(*one) for one in parts()) + b"--b--\r\n").status_code == 303


def test_invalid_utf8_is_rejected_at_its_field(ada: Applicant) -> None:
    raw = part("firstName", None, b"Jos\xe9") + part("lastName", None, "García".encode()) + b"--b--\r\n"
    page = Page(post_raw(ada, raw))
    assert page.status == 422
    assert "did not arrive correctly" in page.summary["firstName"]
    assert page.typed["lastName"] == "García"
    assert "lastName" not in page.summary


@pytest.mark.parametrize("raw", [b"", b"--b\r\n", b"nonsense", b'--b\r\nContent-Disposition: form-data; name="x'])
def test_a_body_that_is_not_a_form_returns_the_form(ada: Applicant, raw: bytes) -> None:
    page = Page(post_raw(ada, raw))
    assert page.status == 422
    assert "Part of the form did not arrive" in page.notice


def part(name: str, filename: str | None, value: bytes) -> bytes:
    named = "" if filename is None else f'; filename="{filename}"'
    return f'--b\r\nContent-Disposition: form-data; name="{name}"{named}\r\n\r\n'.encode() + value + b"\r\n"


def post_raw(ada: Applicant, raw: bytes) -> httpx.Response:
    return ada.client.post(ada.address, content=raw, headers={"Content-Type": "multipart/form-data; boundary=b"})
