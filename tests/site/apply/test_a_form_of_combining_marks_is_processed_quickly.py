"""A form full of combining marks, or with such a file name, is returned quickly with all entries."""

import time

import pytest

from tests.site.apply.applicant import ADA, CV, Applicant

_MARKS = "\u0315\u0300\u0327\u0338" * 16_000
_SECONDS = 3
"""For the whole page; it was seconds for a field, and half a minute for the largest."""


@pytest.mark.parametrize("name", [name for name in ADA if name != "country"])
def test_a_field_of_marks_is_returned_completely(ada: Applicant, name: str) -> None:
    began = time.process_time()
    page = ada.send(None, **{name: _MARKS})
    assert time.process_time() - began < _SECONDS
    assert page.status == 422
    assert name in page.summary
    assert page.typed == {**ADA, name: _MARKS}


@pytest.mark.parametrize(("marks", "status"), [(3_000, 303), (100_000, 413)])
def test_a_file_name_of_marks_is_processed_quickly(ada: Applicant, marks: int, status: int) -> None:
    began = time.process_time()
    answer = ada.post((("\u0315\u0300" * (marks // 2)) + ".txt", CV[1]))
    assert time.process_time() - began < _SECONDS
    assert answer.status_code == status


def test_headers_of_parts_are_limited_before_they_are_parsed(ada: Applicant) -> None:
    """A megabyte of headers costs a second."""
    part = b'--b\r\nContent-Disposition: form-data; name="x"; filename="%s"\r\n\r\n\r\n' % (b"\\a" * 120_000)
    began = time.process_time()
    answer = ada.client.post(
        ada.address,
        content=part * 12 + b"--b--\r\n",
        headers={"Content-Type": "multipart/form-data; boundary=b"},
    )
    assert time.process_time() - began < _SECONDS / 2
    assert answer.status_code == 413
