"""The text of DOCX and ODT: paragraphs in document order, after those of headers and footers."""

import codecs
import re
import struct
import zipfile
from collections.abc import Callable, Iterator
from typing import BinaryIO
from xml.etree.ElementTree import Element

import olefile
from defusedxml import ElementTree
from striprtf import striprtf

from portal.adapters.cv_reader.text_lines import CHARACTERS_MOST, CvText, TextCollector

_PART_MOST = 8 * 1024 * 1024
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_TITLE_SIZE = 40.0
"""Font size in half points that is assumed for a paragraph in the style Title."""


def read_docx(file: BinaryIO) -> CvText:
    """Read headers and footers, which are about the candidate, then the body. Raises errors of zipfile and parser."""
    collector = TextCollector()
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        parts = [name for name in ("header", "footer", "document") for name in _numbered(names, name)]
        for part in parts:
            for element in _paragraphs(_root(archive, part), f"{_WORD}p", _FALLBACK):
                collector.line(*_word_line(element))
        for rels in (name for name in names if re.fullmatch(r"word/_rels/[\w.]+\.xml\.rels", name)):
            for link in _root(archive, rels):
                if link.get("Type", "").endswith("/hyperlink"):
                    collector.link(link.get("Target", ""))
        if "docProps/core.xml" in names:
            found = _root(archive, "docProps/core.xml").find("{http://purl.org/dc/elements/1.1/}creator")
            collector.author = (found.text or "") if found is not None else ""
    return collector.collected()


def read_odt(file: BinaryIO) -> CvText:
    """Read the text in the same order. Raises errors of zipfile and the XML parser."""
    collector = TextCollector()
    with zipfile.ZipFile(file) as archive:
        body = _root(archive, "content.xml")
        styles = _root(archive, "styles.xml") if "styles.xml" in archive.namelist() else Element("none")
        sizes = {style.get(f"{_STYLE}name", ""): _odt_size(style) for style in body.iter(f"{_STYLE}style")}
        headers = list(styles.iter(f"{_STYLE}header"))
        footers = list(styles.iter(f"{_STYLE}footer"))
        for root in (*headers, *footers, body):
            for element in _odt_paragraphs(root):
                inner = [element, *element.iter(f"{_TEXT}span")]
                size = max(sizes.get(each.get(f"{_TEXT}style-name", ""), 0.0) for each in inner)
                collector.line("".join(_odt_text(element)), size)
            for link in root.iter(f"{_TEXT}a"):
                collector.link(link.get(_HREF, ""))
    return collector.collected()


def _numbered(names: list[str], part: str) -> list[str]:
    return sorted(name for name in names if re.fullmatch(rf"word/{part}\d*\.xml", name))


def _root(archive: zipfile.ZipFile, name: str) -> Element:
    with archive.open(name) as part:
        content = part.read(_PART_MOST + 1)
    if len(content) > _PART_MOST:
        return Element("none")
    return ElementTree.fromstring(content)


def _paragraphs(root: Element, tag: str, skipped: str) -> Iterator[Element]:
    """Yield all paragraphs, including those of text frames, which are inside other paragraphs."""
    ahead = [root]
    while ahead:
        element = ahead.pop()
        if element.tag == skipped:
            continue
        if element.tag == tag:
            yield element
        ahead.extend(reversed(element))


def _word_line(paragraph: Element) -> tuple[str, float]:
    """Return the text and font size of a paragraph's own runs, without those of text frames inside it."""
    pieces: list[str] = []
    size = 0.0
    ahead = list(reversed(paragraph))
    while ahead:
        element = ahead.pop()
        if element.tag in (f"{_WORD}p", _FALLBACK):
            continue
        if element.tag == f"{_WORD}t":
            pieces.append(element.text or "")
        elif element.tag == f"{_WORD}tab":
            pieces.append("\t")
        elif element.tag in (f"{_WORD}br", f"{_WORD}cr"):
            pieces.append("\n")
        elif element.tag == f"{_WORD}noBreakHyphen":
            pieces.append("-")
        elif element.tag == f"{_WORD}sz" and (given := element.get(f"{_WORD}val", "")).isdecimal():
            size = max(size, float(given[:4]))
        elif element.tag == f"{_WORD}pStyle" and element.get(f"{_WORD}val") == "Title":
            size = max(size, _TITLE_SIZE)
        ahead.extend(reversed(element))
    return "".join(pieces), size


def _odt_paragraphs(root: Element) -> Iterator[Element]:
    for element in root.iter():
        if element.tag in (f"{_TEXT}p", f"{_TEXT}h"):
            yield element


def _odt_text(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag == f"{_TEXT}tab":
            yield "\t"
        elif child.tag == f"{_TEXT}line-break":
            yield "\n"
        elif child.tag == f"{_TEXT}s":
            yield " "
        elif child.tag not in (f"{_TEXT}p", f"{_TEXT}h", f"{_TEXT}note"):
            yield from _odt_text(child)
        yield child.tail or ""


def _odt_size(style: Element) -> float:
    for properties in style.iter(f"{_STYLE}text-properties"):
        text = properties.get("{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}font-size", "")
        if found := re.fullmatch(r"(\d{1,3}(?:\.\d{1,3})?)pt", text):
            return 2 * float(found[1])
    return 0.0


_RTF_MOST = 1_000_000
_STREAM_MOST = 16 * 1024 * 1024
_PIECES_MOST = 2_000
_MAX_NON_ASCII = 0.3
_HYPERLINK = re.compile(r'HYPERLINK "([^"\s]{5,2048})"')


def read_doc(file: BinaryIO) -> CvText:
    """Read the pieces of the main text ([MS-DOC] 2.4.1); nothing if the file's tables are malformed."""
    collector = TextCollector()
    with olefile.OleFileIO(file) as opened:
        word = opened.openstream("WordDocument").read(_STREAM_MOST)
        (flags,) = struct.unpack_from("<H", word, 10)
        table = opened.openstream("1Table" if flags & 0x0200 else "0Table").read(_STREAM_MOST)
    (length,) = struct.unpack_from("<I", word, 0x4C)
    text = "".join(_pieces(word, table, min(length, CHARACTERS_MOST)))
    for link in _HYPERLINK.findall(text):
        collector.link(link)
    shown = re.sub("\x13[^\x13-\x15]*\x14?", "", text).replace("\x15", "")  # the result of a field, not its code
    collector.line(re.sub("[\r\x07\x0b\x0c]", "\n", shown))
    return collector.collected()


def read_rtf(file: BinaryIO) -> CvText:
    """Read the visible text."""
    collector = TextCollector()
    file.seek(0)
    content = file.read(_RTF_MOST).decode("latin-1")
    for link in _HYPERLINK.findall(content):
        collector.link(link)
    collector.line(_text_of(content).replace("|", "  ")[:CHARACTERS_MOST])
    return collector.collected()


def _text_of(rtf: str) -> str:
    untyped: Callable[..., object] = striprtf.rtf_to_text
    return str(untyped(rtf, errors="ignore"))


def read_plain(file: BinaryIO) -> CvText:
    """Read UTF-8, UTF-16 with a byte order mark, or Windows-1252."""
    collector = TextCollector()
    file.seek(0)
    content = file.read(4 * CHARACTERS_MOST)
    utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    decoder = codecs.getincrementaldecoder("utf-16" if utf16 else "utf-8-sig")()
    try:
        collector.line(decoder.decode(content))
    except UnicodeDecodeError:
        collector.line(_eight_bits(content))
    return collector.collected()


def _eight_bits(content: bytes) -> str:
    """Decode Windows-1252; if there are too many non-ASCII bytes, it is another encoding: then keep only ASCII."""
    non_ascii = len(content) - len(content.translate(None, bytes(range(128, 256))))
    if non_ascii > len(content) * _MAX_NON_ASCII:
        return content.decode("ascii", "ignore")
    return content.decode("cp1252", "replace")


def _pieces(word: bytes, table: bytes, wanted: int) -> Iterator[str]:
    start, length = struct.unpack_from("<II", word, 0x01A2)
    clx = table[start : start + length]
    at = 0
    while clx[at : at + 1] == b"\x01":  # formatting, which is not used
        at += 3 + struct.unpack_from("<H", clx, at + 1)[0]
    if clx[at : at + 1] != b"\x02":
        return
    (size,) = struct.unpack_from("<I", clx, at + 1)
    count = min((size - 4) // 12, _PIECES_MOST)
    ends = struct.unpack_from(f"<{count + 1}I", clx, at + 5)
    for number in range(count):
        first, last = ends[number], min(ends[number + 1], wanted)
        if first >= last:
            break
        (where,) = struct.unpack_from("<I", clx, at + 5 + 4 * (count + 1) + 8 * number + 2)
        if where & 0x40000000:  # one byte for each character
            offset = (where & 0x3FFFFFFF) // 2
            yield word[offset : offset + last - first].decode("cp1252", "replace")
        else:
            yield word[where : where + 2 * (last - first)].decode("utf-16-le", "replace")
