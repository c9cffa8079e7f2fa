"""Tables of bad bodies: forms, multipart, JSON and files, each with the allowed statuses."""

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, quote_from_bytes

from tests.hostile.values import ANYTHING, REFUSED, Statuses, one_of
from tests.parts import files

BOUNDARY = "hostile"
MULTIPART = f"multipart/form-data; boundary={BOUNDARY}"
URL_ENCODED = "application/x-www-form-urlencoded"
JSON = "application/json"
Fields = dict[str, bytes]
"""The right fields of a form."""


def encoded(fields: Fields) -> bytes:
    """Return a form of these fields, as URL_ENCODED."""
    return b"&".join(
        f"{quote(name, safe='')}={quote_from_bytes(raw, safe='')}".encode() for name, raw in fields.items()
    )


def part(name: str, value: bytes, more: bytes = b"") -> bytes:
    """Return one part of a form, with the boundary before it. more: headers, and parameters of the first one."""
    head = b'--%b\r\nContent-Disposition: form-data; name="%b"%b\r\n\r\n' % (BOUNDARY.encode(), name.encode(), more)
    return head + value + b"\r\n"


END = f"--{BOUNDARY}--\r\n".encode()


def whole(fields: Fields, *more: bytes) -> bytes:
    """Return a form of these fields, followed by these parts."""
    return b"".join([*(part(name, value) for name, value in fields.items()), *more, END])


CV = (b"cv.txt", b"Ada Lovelace, Bachelor of Engines, 1842 to 1843.\n" * 9)
"""A right file: its name and what is in it."""


def file_part(field: str, name: bytes, content: bytes, kind: bytes = b"application/pdf") -> bytes:
    return part(field, content, b'; filename="%b"\r\nContent-Type: %b' % (name, kind))


@dataclass(frozen=True, slots=True)
class Framing:
    """How a body is wrapped. make: right fields → body. field: the name of its file's field, "" where it has none."""

    name: str
    content_type: str
    make: Callable[[Fields], bytes]
    expected: Statuses = ANYTHING


def _as(raw: bytes) -> Callable[[Fields], bytes]:
    return lambda _: raw


_NOT_READ = one_of(200, 303, 400, 404, 410, 413, 415, 422)
"""Where nothing of a body is read, what is too large in it is of no concern."""

FORMS = (
    Framing("no type", "", encoded),
    Framing("text", "text/plain", encoded),
    Framing("json", JSON, lambda fields: json.dumps({name: value.decode() for name, value in fields.items()}).encode()),
    Framing("no type at all", "\x00/;;;=", encoded),
    Framing("utf-16", f"{URL_ENCODED}; charset=utf-16", lambda fields: encoded(fields).decode().encode("utf-16")),
    Framing("utf-7", f"{URL_ENCODED}; charset=utf-7", encoded),
    Framing("unknown charset", f"{URL_ENCODED}; charset=" + "x" * 3_000, encoded),
    Framing("ten thousand fields", URL_ENCODED, lambda fields: encoded(fields) + b"&a=1" * 10_000),
    Framing("a field ten thousand times", URL_ENCODED, lambda fields: encoded(fields) + b"&to=x&seen=x" * 10_000),
    Framing("only separators", URL_ENCODED, _as(b"&" * 60_000)),
    Framing("only per cent", URL_ENCODED, _as(b"%" * 60_000)),
    Framing("not encoded", URL_ENCODED, _as(b"\xff\xfe\x00=\x00&%zz=%&=&===")),
    Framing("names of nul", URL_ENCODED, lambda fields: encoded(fields) + b"&%00=%00&\x00"),
    Framing("nothing", URL_ENCODED, _as(b"")),
    Framing("three megabytes", URL_ENCODED, _as(b"a=" + b"x" * 3_000_000), _NOT_READ),
    Framing("charset by field", URL_ENCODED, lambda fields: encoded(fields) + b"&_charset_=utf-16"),
    Framing("packed", URL_ENCODED, lambda fields: zlib.compress(encoded(fields))),
    Framing("no boundary", "multipart/form-data", whole),
    Framing("empty boundary", 'multipart/form-data; boundary=""', whole),
    Framing("another boundary", "multipart/form-data; boundary=other", whole),
    Framing("long boundary", "multipart/form-data; boundary=" + "x" * 5_000, whole),
    Framing("boundary of bytes", "multipart/form-data; boundary=\xff\xfe\x00", whole),
    Framing("boundary of an expression", 'multipart/form-data; boundary="(.*)+$"', whole),
    Framing("many boundaries", MULTIPART + f"; boundary={BOUNDARY}" * 500, whole),
    Framing("mixed", f"multipart/mixed; boundary={BOUNDARY}", whole),
    Framing("no end", MULTIPART, lambda fields: whole(fields)[: -len(END)]),
    Framing("cut off in a part's head", MULTIPART, lambda fields: whole(fields)[:20]),
    Framing("no blank line", MULTIPART, lambda fields: whole(fields).replace(b"\r\n\r\n", b"\r\n")),
    Framing("line feeds", MULTIPART, lambda fields: whole(fields).replace(b"\r\n", b"\n")),
    Framing("carriage returns", MULTIPART, lambda fields: whole(fields).replace(b"\r\n", b"\r")),
    Framing("before and after", MULTIPART, lambda fields: b"x" * 100_000 + b"\r\n" + whole(fields) + b"y" * 100_000),
    Framing("boundaries alone", MULTIPART, _as(f"--{BOUNDARY}\r\n".encode() * 20_000)),
    Framing("boundaries almost", MULTIPART, _as(b"--hostil\r\n" * 20_000)),
    Framing("five thousand parts", MULTIPART, lambda fields: whole(fields, part("a", b"1") * 5_000)),
    Framing("five thousand empty files", MULTIPART, lambda fields: whole(fields, file_part("a", b"", b"") * 5_000)),
    Framing("long head", MULTIPART, lambda fields: whole(fields, part("a", b"1", b"; x=" + b"y" * 100_000))),
    Framing("many heads", MULTIPART, lambda fields: whole(fields, part("a", b"1", b"\r\nX: y" * 20_000))),
    Framing("many parameters", MULTIPART, lambda fields: whole(fields, part("a", b"1", b'; x="y"' * 20_000))),
    Framing("parameters in pieces", MULTIPART, lambda fields: whole(fields, part("a", b"1", _pieces()))),
    Framing("no name", MULTIPART, lambda fields: whole(fields, part("a", b"1").replace(b'; name="a"', b""))),
    Framing("no disposition", MULTIPART, lambda fields: whole(fields, f"--{BOUNDARY}\r\n\r\nx\r\n".encode())),
    Framing("name of bytes", MULTIPART, lambda fields: whole(fields, part("a", b"1", b"; name*=utf-8''%ff%00"))),
    Framing("unknown charset of a name", MULTIPART, lambda fields: whole(fields, part("a", b"1", b"; name*=x''%ff"))),
    Framing("half a quote", MULTIPART, lambda fields: whole(fields, part("a", b"1", b'; filename="\\'))),
    Framing("parts in parts", MULTIPART, lambda fields: whole(fields, part("a", whole(fields), _NESTED))),
    Framing("base64", MULTIPART, lambda fields: whole(fields, part("a", b"%%%", _BASE64))),
    Framing("parts of utf-16", MULTIPART, lambda fields: whole(fields, part("a", b"\xff\xfe", _UTF_16))),
    Framing("parts of no charset", MULTIPART, lambda fields: whole(fields, part("a", b"\xff", _NO_CHARSET))),
    Framing(
        "text of files", MULTIPART, lambda fields: b"".join(file_part(n, b"x", v) for n, v in fields.items()) + END
    ),
)
"""Bodies for each route that takes a form; where nothing else is said, what was right in them may be taken."""

_NESTED = b"\r\nContent-Type: multipart/mixed; boundary=hostile"
_BASE64 = b"\r\nContent-Transfer-Encoding: base64"
_UTF_16 = b"\r\nContent-Type: text/plain; charset=utf-16"
_NO_CHARSET = b"\r\nContent-Type: text/plain; charset=\xff\x00"


def _pieces() -> bytes:
    return b"".join(b'; filename*%d="x"' % number for number in range(3_000))


def _polyglot() -> bytes:
    return b"GIF89a/*<svg onload=hostile>*/=1;" + files.real("cv.pdf") + files.docx()


_SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="hostile"><script>hostile</script></svg>'
_HTML = b"<!doctype html><title>x</title><script>hostile</script>" + b"<p>Ada Lovelace</p>" * 50
_ENTITIES = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">%b]><document>&i;</document>' % b"".join(
    b'<!ENTITY %c "%b">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(8)
)
_FOREIGN = b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><document>&a;</document>'


_NO_CV = one_of(400, 410, 413, 415, 422)
"""410: for a ticket that is none."""


@dataclass(frozen=True, slots=True)
class BadFile:
    name: str
    filename: bytes
    make: Callable[[], bytes]
    expected: Statuses


def _file(name: str, filename: str | bytes, content: bytes | Callable[[], bytes], *, taken: bool = False) -> BadFile:
    raw = filename if isinstance(filename, bytes) else filename.encode()
    made = content if callable(content) else lambda: content
    return BadFile(name, raw, made, ANYTHING if taken else _NO_CV)


FILES = (
    _file("nothing", "cv.pdf", b""),
    _file("one byte", "cv.pdf", b"\0"),
    _file("picture with a script", "cv.svg", _SVG),
    _file("picture as document", "cv.pdf", _SVG),
    _file("page", "cv.html", _HTML),
    _file("page as document", "cv.docx", _HTML),
    _file("program", "cv.exe", files.program_named_cv),
    _file("program as document", "cv.pdf", files.program_named_cv),
    _file("cut off", "cv.pdf", lambda: files.real("cv.pdf")[:900]),
    _file("only a head", "cv.pdf", b"%PDF-1.7\n"),
    _file("archive", "cv.zip", lambda: files.zipped({"a/../../etc/passwd": b"x"})),
    _file("archive cut off", "cv.docx", lambda: files.docx()[:100]),
    _file("archive that grows", "cv.docx", lambda: files.zip_bomb(8)),
    _file("archive that lies", "cv.docx", files.lying_zip),
    _file("archive that overlaps", "cv.docx", files.overlapping_zip),
    _file("entities", "cv.docx", lambda: files.docx({"word/document.xml": _ENTITIES})),
    _file("entity of a file", "cv.docx", lambda: files.docx({"word/document.xml": _FOREIGN})),
    _file("password", "cv.docx", lambda: files.real("locked.docx")),
    _file("password of a pdf", "cv.pdf", lambda: files.real("locked.pdf")),
    _file("macro", "cv.odt", lambda: files.real("macro.odt")),
    _file("half a doc", "cv.doc", lambda: files.real("cv.doc")[:700]),
    _file("deep rtf", "cv.rtf", b"{\\rtf1" + b"{" * 20_000),
    _file("only nul", "cv.txt", bytes(50_000)),
    _file("not utf-8", "cv.txt", b"\xff\xfe\x80" * 5_000, taken=True),
    _file("too large", "cv.txt", lambda: b"x" * 400_000),
    _file("far too large", "cv.txt", lambda: b"x" * 3_000_000),
    _file("several in one", "cv.pdf", _polyglot, taken=True),
    _file("name is a path", "../../../etc/passwd", b"x", taken=True),
    _file("name has nul", b"cv.pdf\0.exe", b"x", taken=True),
    _file("name turns round", "cv\u202efdp.exe", b"x", taken=True),
    _file("name is long", "x" * 5_000 + ".pdf", b"x", taken=True),
    _file("name breaks the line", "cv\r\nX-Hostile: 1.pdf", b"x", taken=True),
    _file("name is markup", "<svg onload=hostile>.pdf", b"x", taken=True),
    _file("name is bytes", b"\xff\xfe\x80.pdf", b"x", taken=True),
    _file("name of a device", "CON.pdf", b"x", taken=True),
)
"""Files for each field of a CV."""

_ARE_NO_JSON = one_of(400)
_ARE_TOO_MUCH = one_of(413)
_HAVE_A_SHAPE = one_of(422)


@dataclass(frozen=True, slots=True)
class BadDocument:
    name: str
    raw: bytes
    expected: Statuses
    content_type: str = JSON


DOCUMENTS = (
    BadDocument("nothing", b"", _ARE_NO_JSON),
    BadDocument("half", b"{", _ARE_NO_JSON),
    BadDocument("two", b"{}{}", _ARE_NO_JSON),
    BadDocument("byte order mark", b"\xef\xbb\xbf{}", _ARE_NO_JSON),
    BadDocument("not utf-8", b'{"firstName": "\xff\xfe"}', _ARE_NO_JSON),
    BadDocument("overlong", b'{"firstName": "\xc0\xaf"}', _ARE_NO_JSON),
    BadDocument("bytes of a surrogate", b'{"firstName": "\xed\xa0\x80"}', _ARE_NO_JSON),
    BadDocument("utf-16", '{"firstName": "A"}'.encode("utf-16"), _ARE_NO_JSON),
    BadDocument("utf-32", '{"firstName": "A"}'.encode("utf-32"), _ARE_NO_JSON),
    BadDocument("comment", b"{/* x */}", _ARE_NO_JSON),
    BadDocument("single quotes", b"{'firstName': 'A'}", _ARE_NO_JSON),
    BadDocument("comma too many", b'{"firstName": "A",}', _ARE_NO_JSON),
    BadDocument("not a number", b'{"firstName": NaN}', _ARE_NO_JSON),
    BadDocument("infinite", b'{"firstName": -Infinity}', _ARE_NO_JSON),
    BadDocument("too big a fraction", b'{"firstName": 1e999}', _ARE_NO_JSON),
    BadDocument("five thousand digits", b'{"firstName": ' + b"9" * 5_000 + b"}", _ARE_NO_JSON),
    BadDocument("a name of nul", b'{"\\u0000": 1}', one_of(400, 422)),
    BadDocument("half a character", b'{"firstName": "\\ud800"}', one_of(400, 422)),
    BadDocument("lists in lists", b"[" * 60_000, _ARE_TOO_MUCH),
    BadDocument("lists in lists, closed", b"[" * 30_000 + b"]" * 30_000, _ARE_TOO_MUCH),
    BadDocument("objects in objects", b'{"a":' * 5_000 + b"1" + b"}" * 5_000, _ARE_TOO_MUCH),
    BadDocument("many members", b"{" + b",".join(b'"a%d":1' % n for n in range(6_000)) + b"}", _ARE_TOO_MUCH),
    BadDocument("one member many times", b'{"a":1' + b',"a":1' * 6_000 + b"}", one_of(413, 422)),
    BadDocument("two megabytes", b'{"firstName": "' + b"x" * 2_000_000 + b'"}', _ARE_TOO_MUCH),
    BadDocument("two megabytes of blanks", b" " * 2_000_000 + b"{}", _ARE_TOO_MUCH),
    BadDocument("null", b"null", _HAVE_A_SHAPE),
    BadDocument("list", b"[]", _HAVE_A_SHAPE),
    BadDocument("text", b'"{}"', _HAVE_A_SHAPE),
    BadDocument("number", b"5", _HAVE_A_SHAPE),
    BadDocument("prototype", b'{"__proto__": {"x": 1}, "constructor": {"prototype": 1}}', _HAVE_A_SHAPE),
    BadDocument("no type", b"{}", one_of(415), ""),
    BadDocument("plain text", b"{}", one_of(415), "text/plain"),
    BadDocument("form", b"a=b", one_of(415), URL_ENCODED),
    BadDocument("parts", whole({"a": b"{}"}), one_of(415), MULTIPART),
    BadDocument("almost the type", b"{}", one_of(415), "application/json-seq"),
    BadDocument("type of bytes", b"{}", one_of(415), "\xff\xfe/\x80"),
    BadDocument("another charset", b"{}", REFUSED, f"{JSON}; charset=utf-16"),
    BadDocument("unknown charset", b"{}", REFUSED, f"{JSON}; charset=" + "x" * 3_000),
)
"""Documents for each route that takes JSON."""

_IS_WRONG_THERE = one_of(400, 413, 422)
MEMBERS: tuple[tuple[str, bytes, Statuses], ...] = (
    ("true", b"true", _IS_WRONG_THERE),
    ("list of lists", b"[[[[]]]]", _IS_WRONG_THERE),
    ("another object", b'{"__proto__": {"x": 1}}', _IS_WRONG_THERE),
    ("not a number", b"NaN", _IS_WRONG_THERE),
    ("too big a fraction", b"1e999", _IS_WRONG_THERE),
    ("big number", b"9" * 400, _IS_WRONG_THERE),
    ("nul", b'"a\\u0000b"', _IS_WRONG_THERE),
    ("raw nul", b'"a\0b"', _IS_WRONG_THERE),
    ("half a character", b'"\\udfff"', _IS_WRONG_THERE),
    ("raw control", b'"a\x1bb"', _IS_WRONG_THERE),
    ("long text", b'"' + b"x" * 70_000 + b'"', ANYTHING),
    ("deep", b"[" * 40 + b"]" * 40, _IS_WRONG_THERE),
    ("ten thousand entries", b"[" + b"0," * 10_000 + b"0]", _IS_WRONG_THERE),
    ("marks without end", b'"a' + "́".encode() * 5_000 + b'"', ANYTHING),
    ("markup", b'"<svg onload=hostile>"', ANYTHING),
)
"""JSON of a member, in place of a right one."""


def with_member(content: dict[str, Any], name: str, raw: bytes) -> bytes:
    """Return a document with one member replaced."""
    mark = "@the member@"
    return json.dumps(content | {name: mark}).encode().replace(json.dumps(mark).encode(), raw)
