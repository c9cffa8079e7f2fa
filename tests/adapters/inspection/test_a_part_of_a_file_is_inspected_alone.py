"""A CV inside a form's body is inspected like any other; the process cannot read the rest of the form."""

import io
import os
import tempfile
from typing import BinaryIO, cast

import pytest

from portal.adapters.inspection.inspection import inspect
from portal.gateway.buffered_body import Piece, as_file
from portal.platform.sandbox import helper_process
from tests.parts import files


@pytest.mark.parametrize("size", [40_000, 65_535, 65_536, 400_000])
def test_a_part_of_a_file_is_inspected_like_a_file(size: int) -> None:
    cv = files.pdf_of(size)
    with tempfile.TemporaryFile() as body:
        body.write(b"Ana Garc" + cv + b"ana@people.example")
        found = inspect(as_file(Piece(cast("BinaryIO", body), 8, size)), max_bytes=size)
    assert (found.extension, found.size) == ("pdf", size)


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 3_000_000])
def test_the_rest_of_the_file_is_not_passed_on(size: int) -> None:
    with tempfile.TemporaryFile() as body:
        body.write(b"Ana Garc" + b"x" * size + b"ana@people.example")
        descriptor = helper_process._read_only(as_file(Piece(cast("BinaryIO", body), 8, size)))
    with os.fdopen(descriptor, "rb") as given:
        given.seek(0)
        assert given.read() == b"x" * size


def test_several_parts_form_one_seekable_file() -> None:
    first, second = io.BytesIO(b"..abc.."), io.BytesIO(b"defg")
    one = as_file(Piece(first, 2, 3), Piece(second, 0, 3))
    assert one.read() == b"abcdef"
    assert one.seek(0, io.SEEK_END) == 6
    assert one.seek(-4, io.SEEK_CUR) == 2
    assert one.read(2) == b"cd"
    one.close()
    assert first.read(1) == b"."
