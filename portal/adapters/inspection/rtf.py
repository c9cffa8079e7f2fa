"""Checks RTF: complete, without embedded files, without content that acts automatically.

Control words that may act are searched for in all bytes; their arguments are then parsed as Word does, however they are
split and escaped.
"""

import re
from collections.abc import Iterator
from typing import BinaryIO

from portal.adapters.inspection.active_content import FieldInstruction, may_contact_another_machine
from portal.platform.errors import UploadReason, UploadRefused

SIGNATURE = b"{\\rtf"

_CHUNK = 64 * 1024
_OVERLAP = 128
_WINDOWS = (8 * 1024, 1024 * 1024)
_MAX_NESTED = 20
# RTF carries other files as embedded objects; the pictures of a CV are \pict.
_OBJECT = re.compile(rb"\\obj(?:data|emb|ocx|link|autlink|html)\b")
_ACTIVE_WORDS = re.compile(
    rb"\\(?:(fldinst)|template|nextfile|mmdatasource|sn\s{1,9}pibName\s{0,9}\}\s{0,9}\{\s{0,9}\\sv)(?![a-z])",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    rb"\\([a-z]{1,32})(-?[0-9]{1,10})? ?|\\'([0-9a-f]{2})|\\(.)|([{}])|[\r\n\0]+|([^\\{}\r\n\0]+)",
    re.IGNORECASE | re.DOTALL,
)
_BLANK_WORDS = frozenset({"tab", "line", "par", "page", "sect", "cell", "row", "emspace", "enspace", "qmspace"})
_QUOTES = frozenset({"ldblquote", "rdblquote"})
# Destinations whose text is not part of the surrounding text; nor is that of any group that begins with \*.
_SEPARATE_DESTINATIONS = frozenset(
    {
        "colortbl",
        "fldrslt",
        "fonttbl",
        "footnote",
        "header",
        "footer",
        "info",
        "pict",
        "stylesheet",
        "tc",
        "title",
        "xe",
    }
)


def check_rtf(file: BinaryIO, size: int) -> None:
    """Raise UploadRefused if the RTF is incomplete, embeds files, or runs or fetches something automatically."""
    file.seek(max(0, size - 512))
    if not file.read(512).rstrip(b"\x00 \r\n\t").endswith(b"}"):
        raise UploadRefused(UploadReason.DAMAGED)
    at, before = 0, b""
    while True:
        file.seek(at)
        if not (chunk := file.read(_CHUNK)):
            return
        seen = before + chunk
        if _OBJECT.search(seen):
            raise UploadRefused(UploadReason.EMBEDDED_FILES)
        for found in _ACTIVE_WORDS.finditer(seen):
            if found.end() > len(before):  # otherwise the previous chunk contained it
                _check(file, at - len(before) + found.end(), is_field=bool(found[1]))
        before, at = seen[-_OVERLAP:], at + len(chunk)


def _check(file: BinaryIO, start: int, *, is_field: bool) -> None:
    """Check the group that begins at `start`, in a small window first."""
    for window in _WINDOWS:
        file.seek(start)
        content = file.read(window)
        try:
            if is_field:
                _check_field(content)
            elif may_contact_another_machine("".join(text or "" for text in _unescaped(content, with_separate=False))):
                raise UploadRefused(UploadReason.EXTERNAL_CONTENT)
        except _CutOffError:
            continue
        return
    raise UploadRefused(UploadReason.TOO_COMPLEX if len(content) == window else UploadReason.DAMAGED)


def _check_field(content: bytes) -> None:
    for with_separate in (True, False):  # readers differ in the destinations that they know and skip
        instruction = FieldInstruction()
        for text in _unescaped(content, with_separate=with_separate):
            if text is None:
                instruction.begin_nested()
            else:
                instruction.add(text)
        instruction.check()


class _CutOffError(Exception):
    """The group continues beyond the bytes that were read."""


def _unescaped(content: bytes, *, with_separate: bool) -> Iterator[str | None]:
    """Yield a group's text without escapes, and None where a nested field begins. Raises UploadRefused, _CutOffError.

    with_separate: include the text of destinations that are not part of the surrounding text.
    """
    depth, separate_depth, nested, is_first, is_blank = 0, 0, 0, False, True
    for token in _TOKEN.finditer(content):
        word, brace = (token[1] or b"").decode().lower(), token[5]
        if brace:
            depth += 1 if brace == b"{" else -1
            if depth < 0:
                return
            separate_depth = separate_depth if depth >= separate_depth else 0
        elif word == "fldinst":
            nested, separate_depth = nested + 1, 0
            if nested > _MAX_NESTED:
                raise UploadRefused(UploadReason.TOO_COMPLEX)
            yield None
        elif (
            is_first
            and not separate_depth
            and not with_separate
            and (token[4] == b"*" or word in _SEPARATE_DESTINATIONS)
        ):
            separate_depth = depth
        elif not separate_depth and (text := _text(token, is_blank=is_blank)):
            is_blank = is_blank and text.isspace()
            yield text
        is_first = brace == b"{" or (is_first and not token[0].strip())
    raise _CutOffError


def _text(token: re.Match[bytes], *, is_blank: bool) -> str:
    """Return what a token shows. is_blank: no visible text precedes it in the group.

    Raises UploadRefused for what only serves to hide text: Unicode escapes of ASCII letters or before any other text,
    and raw bytes (\\bin).
    """
    word, number, code, symbol, _, plain = token.groups()
    if plain:
        return str(plain.decode("cp1252", "replace"))
    if code:
        return bytes.fromhex(code.decode()).decode("cp1252", "replace")
    if symbol:
        return {b"\\": "\\", b"{": "{", b"}": "}", b"~": " ", b"_": "-", b"\n": " ", b"\r": " "}.get(symbol, "")
    name = (word or b"").decode().lower()
    if name == "bin":
        raise UploadRefused(UploadReason.SUSPICIOUS)
    if name == "u" and number:
        point = int(number) % 65_536
        if is_blank or point < 128:
            raise UploadRefused(UploadReason.SUSPICIOUS)
        return chr(point)
    if name in _QUOTES:
        return '"'
    return " " if name in _BLANK_WORDS else ""
