"""A posted file is a slice of its form's body: correct for any content, and not copied."""

import io
import random
import resource
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

import pytest
from flask import Request

from portal.gateway.buffered_body import Body
from portal.site.forms import request_body

BOUNDARY = b"----WebKitFormBoundaryAbc"
MARK = b"--" + BOUNDARY
# The block sizes of parsing and searching: errors are most likely where two blocks meet.
EDGES = (65_536, 131_072, 262_144)


def form(*parts: tuple[str, bytes], end: bytes = b"--\r\n", line: bytes = b"\r\n") -> bytes:
    made = b""
    for name, content in parts:
        kind = 'form-data; name="cv"; filename="cv.pdf"' if name == "cv" else f'form-data; name="{name}"'
        head = b"Content-Disposition: " + kind.encode()
        made += MARK + line + head + line * 2 + content + line
    return made + MARK + end


def request_of(content: bytes, stream: BinaryIO | None = None, **more: str) -> Request:
    environ: dict[str, object] = {
        "REQUEST_METHOD": "POST",
        "wsgi.input": stream or io.BytesIO(content),
        "wsgi.input_terminated": True,
        "CONTENT_TYPE": f"multipart/form-data; boundary={BOUNDARY.decode()}",
        "CONTENT_LENGTH": str(len(content)),
        **more,
    }
    return Request(environ)


def posted(content: bytes) -> tuple[bytes | None, dict[str, str], bool]:
    """Return the file, the text fields, and whether the body is broken."""
    with request_body.received(request_of(content), file_field="cv", max_file=10_000_000) as found:
        file = found.file.content().read() if found.file else None
        assert found.file is None or found.file.size == len(file or b"")
        return file, found.fields.to_dict(), found.broken


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize(
    "end", [b"", b"\r", b"\n", b"\r\n", b"--", MARK[:-1], b"\r\n" + MARK + b"x", b"\r\n" + MARK[:-1]]
)
def test_a_file_is_complete_wherever_its_end_is(edge: int, end: bytes) -> None:
    before = form(("firstName", b"Ana"), ("cv", b"")).index(b'cv.pdf"') + 7 + 4
    for size in range(edge - before - 60, edge - before + 20, 3):
        file = b"x" * (size - len(end)) + end
        found = posted(form(("firstName", b"Ana"), ("cv", file), ("lastName", b"Garc")))
        assert found == (file, {"firstName": "Ana", "lastName": "Garc"}, False)


def test_a_file_is_complete_for_any_content() -> None:
    chosen = random.Random(13)  # noqa: S311  not used for a secret
    pieces = [
        MARK,
        b"\r\n" + MARK + b"-",
        MARK + b"--\r\n",
        b"\r\n" + MARK + b"x\r\n",
        b"\r",
        b"\n",
        b"\r\n\r\n",
        b"x" * 70_000,
        b"y" * 300_000,
    ]
    for _ in range(40):
        # Never at its beginning, where it would be a boundary.
        file = b"%" + b"z".join(chosen.choice(pieces) for _ in range(chosen.randrange(1, 12)))
        assert posted(form(("cv", file), ("lastName", b"Garc"))) == (file, {"lastName": "Garc"}, False)


@pytest.mark.parametrize("line", [b"\r\n", b"\n", b"\r"])
def test_a_file_begins_after_the_blank_line_with_any_line_endings(line: bytes) -> None:
    file = bytes(range(256)) * 2_000 + b"."
    assert posted(form(("cv", file), ("lastName", b"Garc"), line=line)) == (file, {"lastName": "Garc"}, False)


def test_the_first_non_empty_file_is_used() -> None:
    large, other = b"a" * 400_000, b"b" * 500_000
    assert posted(form(("cv", b""), ("cv", large), ("cv", other), ("city", b"Bonn"))) == (
        large,
        {"city": "Bonn"},
        False,
    )


@pytest.mark.parametrize("kept", [100, 65_536, 100_000, 300_000, 600_000])
def test_a_form_that_ends_within_its_file_is_incomplete_and_keeps_its_text(kept: int) -> None:
    sent = form(("firstName", b"Ana"), ("cv", b"c" * 600_000))
    file, words, broken = posted(sent[: sent.index(b"cc") + kept])
    assert (words, broken) == ({"firstName": "Ana"}, True)
    assert file == b"c" * kept


@contextmanager
def no_room_on_disk() -> Iterator[None]:
    was = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, was[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, was)


def test_a_file_is_not_written_a_second_time() -> None:
    file = b"d" * 600_000
    sent = form(("cv", file), ("city", b"Bonn"))
    with tempfile.TemporaryFile(buffering=0) as stream:
        stream.write(sent)
        stream.seek(0)
        request = request_of(sent, cast("BinaryIO", stream))
        with no_room_on_disk(), request_body.received(request, file_field="cv", max_file=10_000_000) as found:
            assert found.file is not None
            assert found.file.content().read() == file
            assert found.fields["city"] == "Bonn"


def test_a_body_that_is_only_a_file_is_used_as_it_is() -> None:
    request = request_of(b"e" * 70_000, CONTENT_TYPE="application/pdf")
    with request_body.received_file(request, file_field="cv", max_file=10_000_000) as found:
        assert found.file is not None
        assert found.file.content().read() == b"e" * 70_000
    with request_body.received_file(
        request_of(b"", CONTENT_TYPE="application/pdf"), file_field="cv", max_file=9
    ) as found:
        assert found.file is None


def test_fields_after_an_oversized_file_are_found() -> None:
    sent = form(("firstName", b"Ana"), ("cv", b"f" * 3_000_000), ("lastName", b"Garc"))
    kept = Body(400_000)
    for start in range(0, len(sent), 16_384):
        kept.take(sent[start : start + 16_384])
    request = request_of(sent)
    with (
        kept.in_place(request.environ),
        request_body.received(Request(request.environ), file_field="cv", max_file=300_000) as found,
    ):
        assert found.fields.to_dict() == {"firstName": "Ana", "lastName": "Garc"}
        assert found.file is not None
        assert found.file.size > 300_000
