"""Only Flate is accepted for objects and cross-references of a PDF: other filters take seconds for a few KB."""

import base64
import io
import zlib
from collections.abc import Callable

import pytest
from pypdf._codecs._codecs import LzwCodec

from portal.adapters.inspection import inspection
from portal.adapters.inspection.inspection import inspect
from portal.platform.errors import UploadReason, UploadRefused
from tests.parts import pdfs

STRANGE = {
    "LZW": (lambda plain: LzwCodec().encode(plain), b"/LZWDecode"),
    "LZW in Flate": (lambda plain: zlib.compress(LzwCodec().encode(plain)), b"[/FlateDecode /LZWDecode]"),
    "hexadecimal": (lambda plain: plain.hex().encode() + b">", b"/ASCIIHexDecode"),
    "base 85": (lambda plain: base64.a85encode(plain) + b"~>", b"/ASCII85Decode"),
    "Flate twice": (lambda plain: zlib.compress(zlib.compress(plain)), b"[/FlateDecode /FlateDecode]"),
}


def refused(content: bytes) -> UploadReason:
    with pytest.raises(UploadRefused) as raised:
        inspect(io.BytesIO(content), max_bytes=1_000_000)
    return raised.value.reason


@pytest.mark.parametrize("packed", STRANGE.values(), ids=STRANGE)
@pytest.mark.parametrize("kind", [b"/ObjStm", b"/XRef"], ids=["objects", "cross-references"])
def test_objects_with_other_filters_are_rejected(packed: tuple[Callable[[bytes], bytes], bytes], kind: bytes) -> None:
    assert refused(pdfs.repacked(*packed, kind=kind)) in (UploadReason.TOO_COMPLEX, UploadReason.DAMAGED)


@pytest.mark.parametrize("filters", [b"/FlateDecode", b"[/FlateDecode]"])
@pytest.mark.parametrize("kind", [b"/ObjStm", b"/XRef"], ids=["objects", "cross-references"])
def test_flate_is_accepted(filters: bytes, kind: bytes) -> None:
    content = pdfs.repacked(zlib.compress, filters, kind=kind)
    assert inspect(io.BytesIO(content), max_bytes=1_000_000).pages == 1


def test_an_empty_list_of_filters_is_accepted() -> None:
    assert inspect(io.BytesIO(pdfs.repacked(bytes, b"[]")), max_bytes=1_000_000).pages == 1


def test_a_decompression_bomb_ends_after_two_seconds_of_cpu_time() -> None:
    content = pdfs.slow()
    assert len(content) < 80_000
    assert inspection.LIMITS.cpu == 2
    assert refused(content) == UploadReason.TOO_COMPLEX
