"""CV files: those of tests/files, saved by real programs, and malicious ones generated here."""

import io
import struct
import zipfile
import zlib
from pathlib import Path

FILES = Path(__file__).parent.parent / "files"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
WORD_TYPES = (
    b'<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument'
    b'.wordprocessingml.document.main+xml"/></Types>'
)


RELATIONS = b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">%s</Relationships>'


def real(name: str) -> bytes:
    """Return a file of tests/files, such as "cv.pdf"."""
    return (FILES / name).read_bytes()


def pdf_of(size: int) -> bytes:
    """Return a real PDF of exactly that many bytes, padded by a comment before its end."""
    content = real("cv.pdf")
    before, mark, after = content.rpartition(b"startxref")
    padding = size - len(content)
    if padding < 2:
        raise ValueError(f"a real PDF has at least {len(content) + 2} bytes")
    return before + b"%" + b"x" * (padding - 2) + b"\n" + mark + after


def program_named_cv() -> bytes:
    """Return the beginning of a Windows program, uploaded under a CV's name."""
    stub = b"MZ" + struct.pack("<29H", *([0x90, 3, 0, 4] + [0] * 25)) + struct.pack("<I", 0x80)
    return stub.ljust(0x80, b"\0") + b"PE\0\0" + struct.pack("<HHIIIHH", 0x8664, 1, 0, 0, 0, 0xF0, 0x22) + bytes(2_000)


def docx(extra: dict[str, bytes] | None = None, *, types: bytes = WORD_TYPES) -> bytes:
    """Return a small DOCX with additional members."""
    return zipped(
        {"[Content_Types].xml": types, "_rels/.rels": RELATIONS % b"", "word/document.xml": b"<document/>"}
        | (extra or {})
    )


def zipped(members: dict[str, bytes]) -> bytes:
    """Return a ZIP archive of these members, deflated."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def zip_bomb(megabytes: int = 64) -> bytes:
    """Return a DOCX whose picture inflates to that many megabytes of zeros, a thousand times its size."""
    return docx({"word/media/image1.bmp": bytes(megabytes * 1024 * 1024)})


def large_doc(sector: int = 14_100) -> bytes:
    """Return a DOC of that many sectors of 512 bytes, with its directory at the end, beyond the header's 109 tables."""
    content = real("cv.doc")
    (first,) = struct.unpack_from("<I", content, 48)
    (table,) = struct.unpack_from("<I", content, 76)
    chain = [first]
    while (following := struct.unpack_from("<I", content, 512 * (table + 1) + 4 * chain[-1])[0]) < 0xFFFFFFFA:
        chain.append(following)
    last = sector + len(chain)  # the table of the last sectors; the list of further tables follows
    links = [0xFFFFFFFF] * 128
    links[sector % 128 : last % 128] = [*range(sector + 1, last), 0xFFFFFFFE]
    tables = [0xFFFFFFFF] * 128
    tables[sector // 128 - 109], tables[127] = last, 0xFFFFFFFE
    content = content[:48] + struct.pack("<I", sector) + content[52:68] + struct.pack("<II", last + 1, 1) + content[76:]
    directory = b"".join(content[512 * (n + 1) : 512 * (n + 2)] for n in chain)
    padded = content.ljust(512 * (sector + 1), b"\0")
    return padded + directory + struct.pack("<128I", *links) + struct.pack("<128I", *tables)


def lying_zip() -> bytes:
    """Return a DOCX whose directory and headers declare a member of 10 bytes, with checksum; it has 50 million."""
    inflated = bytes(50_000_000)
    content = bytearray(docx({"word/media/image1.bmp": inflated}))
    true, said = struct.pack("<LL", zlib.crc32(inflated), 0), struct.pack("<L", zlib.crc32(inflated[:10]))
    content = bytearray(bytes(content).replace(true[:4], said))
    return bytes(bytes(content).replace(struct.pack("<L", len(inflated)), struct.pack("<L", 10)))


def overlapping_zip(copies: int = 20) -> bytes:
    """Return a DOCX in which many directory entries share the bytes of one large member."""
    content = docx({"word/media/image.bmp": bytes(1_000_000)})
    end = content.rindex(b"PK\x05\x06")
    entries, total, length, offset = struct.unpack_from("<2H2L", content, end + 8)
    directory = content[offset : offset + length]
    last = directory[directory.rindex(b"PK\x01\x02") :]
    more = b"".join(last.replace(b"image.bmp", b"im%03d.bmp" % number) for number in range(copies))
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, entries + copies, total + copies, length + len(more), offset, 0)
    return content[:offset] + directory + more + tail


def with_directory_size(content: bytes, change: int) -> bytes:
    """Return an archive whose end record declares a wrong size of the directory."""
    end = content.rindex(b"PK\x05\x06")
    (length,) = struct.unpack_from("<L", content, end + 12)
    return content[: end + 12] + struct.pack("<L", length + change) + content[end + 16 :]


def with_flag(content: bytes, flag: int) -> bytes:
    """Return an archive whose directory sets a flag on every member."""
    changed = bytearray(content)
    at = changed.find(b"PK\x01\x02")
    while at >= 0:
        (flags,) = struct.unpack_from("<H", changed, at + 8)
        struct.pack_into("<H", changed, at + 8, flags | flag)
        at = changed.find(b"PK\x01\x02", at + 4)
    return bytes(changed)
