"""Checks PDF: it is complete, has no password and no second format, and runs, opens, fetches and embeds nothing."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO

from pypdf import PasswordType, PdfReader
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, PdfObject, StreamObject

from portal.adapters.inspection import archive
from portal.adapters.inspection.pdf_objects import (
    UNREADABLE,
    ObjectReader,
    noting_warnings,
    refused,
    scanned_objects,
    superseded_objects,
    value,
)
from portal.platform.errors import UploadReason

SIGNATURE = b"%PDF-"

_CHUNK = 1024 * 1024
_OVERLAP = 192
_HEAD = 4_096
_TAIL = 1_024  # ISO 32000 has %%EOF last; readers search this many bytes for it
_MAX_COMMENT = 0xFFFF
_PAGE_OF_THE_WEB = re.compile(rb"<(?:script|html|!doctype|head|body|svg|iframe|img|\?php)", re.IGNORECASE)

_NEVER = frozenset({"/JavaScript", "/Launch", "/SubmitForm", "/ImportData", "/GoToE", "/Rendition", "/Movie", "/Sound"})
_HARMLESS_ACTIONS = frozenset({"/GoTo", "/Named", "/SetOCGState", "/Hide", "/Trans", "/Thread"})
"""Actions that may run automatically: all of them stay in the document, unless /F names another one."""
_FETCHED = ("/F", "/Ref", "/OPI")
"""Stream members that take its content, or what is drawn instead, from another file: external streams (ISO 32000-2,
7.3.8.2), reference XObjects (8.10.4) and proxies of the Open Prepress Interface (ISO 32000-1, 14.11.7).
"""
_ELSEWHERE = ("/DestOutputProfileRef", "/AlternatePresentations")
"""Dictionary members that name other files: a colour profile (ISO 32000-2, 14.11.5) and slide shows (ISO 32000-1,
13.5). So do file specifications by URL, /FS /URL (7.11.5); a link that needs a click is not one.
"""
_VIEWS = frozenset({"/NextPage", "/PrevPage", "/FirstPage", "/LastPage"})
"""Named actions that every reader supports (ISO 32000-2, table 215); others print and save."""
_OPEN_OTHERS = frozenset({"/GoToR", "/Thread"})
"""Actions that open the document named by /F (ISO 32000-2, 12.6.4.3 and 12.6.4.7)."""

_SCHEMES = frozenset(
    {"http", "https", "ftp", "ftps", "mailto", "tel", "sms", "callto", "skype", "whatsapp", "tg", "xmpp", "facetime"}
)
"""The web, and ways to reach a person."""
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(?!\d{1,5}(?:[/?#]|$))", re.IGNORECASE)  # not a host with a port
# Word writes a link without "https://" as a file beside the document: file:///C:\Users\marit\linkedin.com\in\marit
_OWN_DISC = re.compile(r"file:///[a-z](?::|%3a|\|)[/\\](?![/\\])", re.IGNORECASE)
_BLANKS = re.compile(r"[\x00-\x20\x7f]")  # browsers ignore them: java\tscript:
_FILE_NAMES = ("/F", "/UF", "/DOS", "/Mac", "/Unix")
_OF_ACTIONS = frozenset({"/F", "/JS", "/Win", "/Unix", "/Mac"})
"""Members that structure elements never have."""
_PLAYED = frozenset({"/RichMedia", "/Movie", "/Sound", "/Screen", "/3D"})
# Searched for in all bytes, referenced or not: two readers of a damaged file may find different objects in it.
_MARKS = {
    b"/JavaScript": (re.compile(rb"/S\s*/JavaScript\b"), UploadReason.ACTIVE_CONTENT),
    b"/Launch": (re.compile(rb"/S\s*/Launch\b"), UploadReason.ACTIVE_CONTENT),
    b"/EmbeddedFile": (re.compile(rb"/Type\s*/EmbeddedFile\b"), UploadReason.EMBEDDED_FILES),
}
# One pass over the bytes: separate searches took half the time of checking a 10 MB PDF.
_WORDS = re.compile(rb"/(?:JavaScript|Launch|EmbeddedFile|[JLE][A-Za-z]*#[0-9A-Fa-f]{2}|#[0-9A-Fa-f]{2})")
_ESCAPED = re.compile(rb"#([0-9A-Fa-f]{2})")  # a character of a name (ISO 32000-2, 7.3.5)
_MAX_DEPTH_OF_ACTIONS = 20
_MAX_STEPS = 100


def pages(file: BinaryIO, size: int) -> int:
    """Return the number of pages. Raises UploadRefused for unsafe files, and errors of many kinds for damaged ones."""
    _check_ends(file, size)
    _check_raw_bytes(file)
    with noting_warnings() as warnings:
        reader = ObjectReader(file, strict=False)
        # A file that only an owner password protects from changes can be opened, also by a company and its scanner.
        if reader.is_encrypted and reader.decrypt("") == PasswordType.NOT_DECRYPTED:
            raise refused(UploadReason.ENCRYPTED)
        reached: set[tuple[int, int]] = set()
        for node in _nodes(reader, reader.trailer.raw_get("/Root"), reached):
            _check(node)
        _check_unreached(reader, reached)
        if warnings.is_repaired:
            for number, generation in scanned_objects(file):
                _check_alone(reader, IndirectObject(number, generation, reader), reached)
        count = _count_pages(reader)
    warnings.require_whole_dictionaries()
    if count < 1:
        raise refused(UploadReason.DAMAGED)
    return count


def _check_ends(file: BinaryIO, size: int) -> None:
    """Check that it ends as a PDF, does not begin as a web page, and is not an archive, too."""
    start = max(0, size - archive.END.size - _MAX_COMMENT)
    file.seek(start)
    tail = file.read()
    if b"%%EOF" not in tail[-_TAIL:]:
        raise refused(UploadReason.DAMAGED)
    file.seek(0)
    head = file.read(_HEAD)
    if _PAGE_OF_THE_WEB.search(head.partition(b" obj")[0]) or any(_is_archive(file, tail, start)):
        raise refused(UploadReason.SUSPICIOUS)


def _is_archive(file: BinaryIO, tail: bytes, start: int) -> Iterator[bool]:
    """For each archive end record, yield whether a ZIP reader would accept it."""
    for found in re.finditer(rb"PK\x05\x06", tail):
        if len(tail) - found.start() < archive.END.size:
            return
        *_, length, offset, comment = archive.END.unpack_from(tail, found.start())
        yield found.start() + archive.END.size + comment == len(tail)
        for place in (offset, start + found.start() - length):
            file.seek(max(0, place))
            yield file.read(4) == b"PK\x01\x02"


def _check_raw_bytes(file: BinaryIO) -> None:
    """Check that none of _MARKS occurs in the raw bytes."""
    file.seek(0)
    before = b""
    while chunk := file.read(_CHUNK):
        content = before + chunk
        for found in _WORDS.finditer(content):
            around = content[max(0, found.start() - _OVERLAP) : found.start() + _OVERLAP]
            around = _ESCAPED.sub(lambda letter: bytes.fromhex(letter[1].decode()), around)
            for pattern, reason in [_MARKS[found[0]]] if found[0] in _MARKS else _MARKS.values():
                if pattern.search(around):
                    raise refused(reason)
        before = content[-2 * _OVERLAP :]


def _nodes(reader: PdfReader, start: PdfObject, seen: set[tuple[int, int]]) -> Iterator[DictionaryObject]:
    """Yield every dictionary reachable from `start` once. seen: number, generation of indirect objects; is updated."""
    to_do: list[PdfObject | None] = [start]
    while to_do:
        node = to_do.pop()
        if isinstance(node, IndirectObject):
            if (node.idnum, node.generation) in seen:
                continue
            seen.add((node.idnum, node.generation))
            node = reader.get_object(node)
        if isinstance(node, DictionaryObject):
            yield node
            to_do += node.values()
        elif isinstance(node, ArrayObject):
            to_do += node


def _check_unreached(reader: PdfReader, reached: set[tuple[int, int]]) -> None:
    """Apply the same rules to objects that only a cross-reference table lists: another reader may find a way to them.

    Unreadable objects are ignored: programs that edit files leave them behind, and nothing refers to them.
    """
    listed = [(number, generation) for generation, numbers in reader.xref.items() for number in numbers]
    listed += [(number, 0) for number in reader.xref_objStm]
    for number, generation in sorted(set(listed) - reached):
        _check_alone(reader, IndirectObject(number, generation, reader), reached)
    for one in superseded_objects(reader):
        _check_alone(reader, one, reached)


def _check_alone(reader: PdfReader, one: PdfObject, reached: set[tuple[int, int]]) -> None:
    with suppress(*UNREADABLE):
        for node in _nodes(reader, one, reached):
            _check(node)
            if _opens_another(node) and node.get("/Type", "/Action") == "/Action":
                raise refused(UploadReason.ACTIVE_CONTENT)


def _count_pages(reader: PdfReader) -> int:
    """Return the number of leaves of the page tree, each counted once even if listed twice (ISO 32000-2, 7.7.3)."""
    root = value(reader.trailer, "/Root")
    to_do: list[PdfObject | None] = [root.raw_get("/Pages")] if isinstance(root, DictionaryObject) else []
    seen: set[int] = set()
    count = 0
    while to_do:
        listed = to_do.pop()
        node = reader.get_object(listed) if isinstance(listed, IndirectObject) else listed
        if not isinstance(node, DictionaryObject) or id(node) in seen:
            continue
        seen.add(id(node))  # the reader keeps a reference to every object that it has read, so Python's ids stay unique
        kids = value(node, "/Kids")
        if isinstance(kids, ArrayObject):
            to_do += kids
        else:
            count += node.get("/Type", "/Page") == "/Page"
    return count


def _check(node: DictionaryObject) -> None:
    if "/EF" in node or node.get("/Type") == "/EmbeddedFile" or node.get("/Subtype") == "/FileAttachment":
        raise refused(UploadReason.EMBEDDED_FILES)
    if isinstance(node, StreamObject) and any(member in node for member in _FETCHED):
        raise refused(UploadReason.EXTERNAL_CONTENT)
    if any(member in node for member in _ELSEWHERE) or value(node, "/FS") == "/URL":
        raise refused(UploadReason.EXTERNAL_CONTENT)
    acts = "/JS" in node or "/XFA" in node or _kind(node) in _NEVER or value(node, "/Subtype") in _PLAYED
    by_itself = [value(node, "/OpenAction")]
    for step in _steps(node):
        by_itself += [value(step, "/NA"), value(step, "/PA")]
    if isinstance(more := value(node, "/AA"), DictionaryObject):
        by_itself += [value(more, key) for key in more]
    if acts or not _may_follow_a_click(node) or not all(_stays_in_document(action) for action in by_itself):
        raise refused(UploadReason.ACTIVE_CONTENT)


def _steps(node: DictionaryObject) -> list[DictionaryObject]:
    """Return the steps of a presentation that begin at this node (ISO 32000-2, 12.4.4.2); they need no /Type."""
    to_do = [value(node, "/PresSteps"), node if node.get("/Type") == "/NavNode" else None]
    steps: dict[int, DictionaryObject] = {}
    while to_do:
        step = to_do.pop()
        if isinstance(step, DictionaryObject) and id(step) not in steps:
            if len(steps) == _MAX_STEPS:
                raise refused(UploadReason.TOO_COMPLEX)
            steps[id(step)] = step
            if "/PresSteps" in node:
                to_do += [value(step, "/Next"), value(step, "/Prev")]
    return list(steps.values())


def _kind(node: DictionaryObject) -> object:
    """Return /S of an action; None for a structure element, whose /S is an arbitrary name."""
    is_structure = node.get("/Type") == "/StructElem" and _OF_ACTIONS.isdisjoint(node)
    return None if is_structure else value(node, "/S")


def _opens_another(action: DictionaryObject) -> bool:
    return value(action, "/S") in _OPEN_OTHERS and "/F" in action


def _stays_in_document(action: object, depth: int = 0) -> bool:
    """Return whether an automatic action stays in the document; a destination (a place to show) is no action."""
    if isinstance(action, ArrayObject) and depth:
        return all(_stays_in_document(one.get_object(), depth + 1) for one in action)
    if not isinstance(action, DictionaryObject):
        return True
    if depth > _MAX_DEPTH_OF_ACTIONS or value(action, "/S") not in _HARMLESS_ACTIONS or _opens_another(action):
        return False
    if value(action, "/S") == "/Named" and value(action, "/N") not in _VIEWS:
        return False
    return _stays_in_document(value(action, "/Next"), depth + 1)


def _may_follow_a_click(node: DictionaryObject) -> bool:
    """Return whether all that the node links to is on the web, a person's address, or a file beside the document."""
    address = value(node, "/URI")
    if isinstance(address, DictionaryObject):  # the catalogue's base URL, to which relative links refer
        address = value(address, "/Base")
    targets = [address]
    if value(node, "/S") in _OPEN_OTHERS:
        file = value(node, "/F")
        targets += [value(file, name) for name in _FILE_NAMES] if isinstance(file, DictionaryObject) else [file]
    return all(_is_target_in_document(target) for target in targets if target is not None)


def _is_target_in_document(target: object) -> bool:
    if isinstance(target, bytes):
        target = target.decode("latin-1")
    if not isinstance(target, str):
        return False
    target = _BLANKS.sub("", target)
    if target.startswith(("/", "\\")):  # another machine: \\host\share, //host/share
        return False
    scheme = _SCHEME.match(target)
    return scheme is None or scheme[1].lower() in _SCHEMES or _OWN_DISC.match(target) is not None
