"""A document of a few kilobytes with millions of elements is rejected by their number, before it times out."""

import io
import threading
import zipfile

import pytest

from portal.adapters.inspection.inspection import LIMITS, inspect
from portal.platform.errors import TooManyInspections, UploadReason, UploadRefused
from tests.parts import files

COUNT = 1_000_000


class Account:
    """CPU account of one sender, charged shortly after the response."""

    network = "somebody"

    def __init__(self) -> None:
        self._seconds = 0.0
        self._charged = threading.Event()

    def used(self) -> int:
        return 0

    def charge(self, seconds: float) -> None:
        self._seconds += seconds
        self._charged.set()

    def taken(self) -> float:
        """Return the seconds of CPU time that the file took."""
        assert self._charged.wait(30)
        return self._seconds

    def refused(self, seconds: int, limit: str) -> TooManyInspections:  # noqa: ARG002  required by the protocol
        return TooManyInspections(seconds)


def extension(body: bytes, members: int = 1, account: Account | None = None) -> str:
    made = io.BytesIO(files.docx())
    with zipfile.ZipFile(
        made, "a"
    ) as archive:  # not compressed, because files with a high compression ratio are rejected anyway
        for number in range(members):
            archive.writestr(f"word/header{number}.xml", b"<x>" + body + b"</x>")
    return inspect(made, max_bytes=50_000_000, budget=account).extension


def attributes(count: int) -> bytes:
    return b"<a %s/>" % b" ".join(b'a%d=""' % number for number in range(count))


@pytest.mark.parametrize(
    ("body", "members"),
    [
        (attributes(COUNT), 1),
        (attributes(1_001), 1),
        (b"<a/>" * COUNT, 1),
        (b"<a/>" * (COUNT // 10), 6),
        (attributes(900) * 600, 1),
        (b'<a b="' + b"x" * 2_300_000 + b'"/>', 1),
        (b"<a " + b" ".join(b'xmlns:a%d="u"' % number for number in range(COUNT)) + b"/>", 1),
    ],
    ids=["attributes", "one attribute", "elements", "members", "both", "a long value", "names"],
)
def test_too_many_elements_are_rejected_before_the_time_limit(body: bytes, members: int) -> None:
    account = Account()
    with pytest.raises(UploadRefused) as raised:
        extension(body, members, account)
    assert raised.value.reason == UploadReason.TOO_COMPLEX
    assert 0 < account.taken() < LIMITS.cpu


def test_a_document_of_a_hundred_pages_is_accepted() -> None:
    run = b'<r rsid="0012"><rPr><sz val="22"/></rPr><t>word</t></r>'
    assert extension(run * 80_000) == "docx"
    assert extension(attributes(1_000)) == "docx"
    assert extension(b'<a b="' + b"x" * 1_900_000 + b'"/>') == "docx"
    assert extension(b"<a>" + b"x" * 2_300_000 + b"</a>") == "docx"
