"""The XML inside of DOCX and ODT, read piece by piece: well-formed, without entities, and still.

A document that is opened runs, fetches and asks nothing by itself: what stands only where somebody clicks may lead
anywhere.
"""

import re
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from portal.errors import UploadReason, UploadRefused

_MAX_DEPTH = 1_000
_MAX_INSTRUCTION = 4_096
# Of another machine: an address of the web, or a share of a network. A file of the writer's own disk leads nowhere.
_ELSEWHERE = re.compile(
    r"\s*(?:(?!file:|[a-z]:)[a-z][a-z0-9+.-]+:|[\\/]{2}|file:(?:/{2}(?!/|localhost)|/{4,}|\\))", re.IGNORECASE
)
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_CARRIED = ("/oleObject", "/package", "/control", "/activeXControlBinary", "/aFChunk", "/subDocument")
_MACROS = ("/vbaProject", "/wordVbaData")
_RUNS = re.compile(r"\bDDE(?:AUTO)?\b", re.IGNORECASE)
_FETCHES = re.compile(
    r'\b(?:INCLUDETEXT|IMPORT|LINK|DATABASE|RD)\b[^"]{0,80}"?\s*(?:(?!file:)[a-z]{2,}:|[\\/]{2})', re.IGNORECASE
)
_XLINK = "{http://www.w3.org/1999/xlink}href"
_OPEN_DOCUMENT = "{urn:oasis:names:tc:opendocument:xmlns:"
_MACRO_ELEMENTS = frozenset({"script:1.0}event-listener", "office:1.0}script"})
_CARRYING_ELEMENTS = frozenset({"drawing:1.0}object-ole", "drawing:1.0}plugin", "drawing:1.0}applet"})
_ACTIVE_ELEMENTS = frozenset(
    {"office:1.0}dde-source", "text:1.0}dde-connection", "text:1.0}dde-connection-decl", "drawing:1.0}floating-frame"}
)
_LINKS = frozenset({"text:1.0}a", "drawing:1.0}a"})
"""What is followed when somebody clicks."""


class Member:
    """One XML member of an archive; `broken` says that it is none, as one that is encrypted is."""

    def __init__(self) -> None:
        self._parser = DefusedXMLParser(target=_Reader())
        self.broken = False

    def feed(self, piece: bytes) -> None:
        """The next bytes; b"" when there are no more. Raises UploadRefused."""
        try:
            if piece and not self.broken:
                self._parser.feed(piece)
            elif not self.broken:
                self._parser.close()
        except DefusedXmlException:
            raise UploadRefused(UploadReason.SUSPICIOUS) from None
        except (ParseError, LookupError, ValueError):
            self.broken = True


class _Reader:
    """The target of a parser: looks at each element and forgets it."""

    def __init__(self) -> None:
        self._depth = 0
        self._in_instruction = False
        self._instruction = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise UploadRefused(UploadReason.SUSPICIOUS)
        if tag == _RELATION:
            _check_relation(attributes)
        elif tag.startswith(_OPEN_DOCUMENT):
            _check_open_document(tag.removeprefix(_OPEN_DOCUMENT), attributes)
        elif tag.endswith("}instrText"):
            self._in_instruction = True
        elif tag.endswith("}fldSimple"):
            _check_instruction(next((value for key, value in attributes.items() if key.endswith("}instr")), ""))
        elif tag.endswith("}fldChar"):  # where a field begins, turns to its result or ends
            self._instruction = ""

    def data(self, text: str) -> None:
        if self._in_instruction:
            self._instruction = (self._instruction + text)[-_MAX_INSTRUCTION:]
            _check_instruction(self._instruction)

    def end(self, _: str) -> None:
        self._depth -= 1
        self._in_instruction = False

    def close(self) -> None:
        """The parser asks for it."""


def _check_relation(attributes: dict[str, str]) -> None:
    kind, target = attributes.get("Type", ""), attributes.get("Target", "")
    if kind.endswith(_MACROS):
        raise UploadRefused(UploadReason.MACROS)
    if kind.endswith(_CARRIED):
        raise UploadRefused(UploadReason.CARRIES_FILES)
    if attributes.get("TargetMode") == "External" and not kind.endswith("/hyperlink") and _ELSEWHERE.match(target):
        raise UploadRefused(UploadReason.LOADS)


def _check_open_document(name: str, attributes: dict[str, str]) -> None:
    if name in _MACRO_ELEMENTS:
        raise UploadRefused(UploadReason.MACROS)
    if name in _CARRYING_ELEMENTS:
        raise UploadRefused(UploadReason.CARRIES_FILES)
    if name in _ACTIVE_ELEMENTS:
        raise UploadRefused(UploadReason.ACTIVE)
    if name not in _LINKS and _ELSEWHERE.match(attributes.get(_XLINK, "")):
        raise UploadRefused(UploadReason.LOADS)


def _check_instruction(instruction: str) -> None:
    if _RUNS.search(instruction):
        raise UploadRefused(UploadReason.ACTIVE)
    if _FETCHES.search(instruction):
        raise UploadRefused(UploadReason.LOADS)
