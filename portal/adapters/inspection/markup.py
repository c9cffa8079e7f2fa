"""Checks the XML in DOCX and ODT, parsed in pieces: well-formed, without entities, without active content.

A document must not run, fetch or request anything when it is opened. Links that need a click may lead anywhere.
"""

from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from portal.adapters.inspection.active_content import FieldInstruction, may_contact_another_machine
from portal.platform.errors import UploadReason, UploadRefused

_MAX_DEPTH = 1_000
_MAX_FIELD_DEPTH = 100
"""Levels of nested fields."""
_MAX_NODES = 500_000
"""Elements and attributes of a document: enough for several hundred pages."""
_MAX_ATTRIBUTES = 1_000
_MAX_TAG = 2 * 1024 * 1024
"""Bytes; Word stores a drawing in an attribute."""
_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_EMBEDDED = ("/oleObject", "/package", "/control", "/activeXControlBinary", "/aFChunk", "/subDocument")
_MACROS = ("/vbaProject", "/wordVbaData")
_SPACE_ELEMENTS = ("}p", "}br", "}cr", "}tab")
_XLINK = "{http://www.w3.org/1999/xlink}href"
_OPEN_DOCUMENT = "{urn:oasis:names:tc:opendocument:xmlns:"
_MACRO_ELEMENTS = frozenset({"script:1.0}event-listener", "office:1.0}script"})
_EMBEDDING_ELEMENTS = frozenset({"drawing:1.0}object-ole", "drawing:1.0}plugin", "drawing:1.0}applet"})
_ACTIVE_ELEMENTS = frozenset(
    {"office:1.0}dde-source", "text:1.0}dde-connection", "text:1.0}dde-connection-decl", "drawing:1.0}floating-frame"}
)
_LINKS = frozenset({"text:1.0}a", "drawing:1.0}a"})
"""Elements whose target is opened only by a click."""


class MarkupBudget:
    """The number of elements and attributes that all members of one archive may have together."""

    def __init__(self) -> None:
        self._left = _MAX_NODES

    def take(self, attributes: int) -> None:
        """Count an element with this number of attributes. Raises UploadRefused."""
        self._left -= 1 + attributes
        if self._left < 0 or attributes > _MAX_ATTRIBUTES:
            raise UploadRefused(UploadReason.TOO_COMPLEX)


class XmlMember:
    """One XML member of an archive. is_malformed: it is not well-formed XML, for example because it is encrypted."""

    def __init__(self, budget: MarkupBudget) -> None:
        self._parser = DefusedXMLParser(target=_ElementChecker(budget))
        self._bytes_fed = 0
        self.is_malformed = False

    def feed(self, piece: bytes) -> None:
        """Parse the next bytes; b"" at the end. Raises UploadRefused."""
        try:
            if piece and not self.is_malformed:
                self._bytes_fed += len(piece)
                self._parser.feed(piece)
                if self._bytes_fed - self._parser.parser.CurrentByteIndex > _MAX_TAG:
                    raise UploadRefused(UploadReason.TOO_COMPLEX)
            elif not self.is_malformed:
                self._parser.close()
        except DefusedXmlException:
            raise UploadRefused(UploadReason.SUSPICIOUS) from None
        except (ParseError, LookupError, ValueError):
            self.is_malformed = True


class _ElementChecker:
    """The parser's target: checks each element and keeps none."""

    def __init__(self, budget: MarkupBudget) -> None:
        self._budget = budget
        self._depth = 0
        self._reads_instruction = False
        self._fields: list[FieldInstruction | None] = [FieldInstruction()]
        """Open fields, outermost first; None for a field that is showing its result. The first item is for text outside
        of fields."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._budget.take(len(attributes))
        if self._depth > _MAX_DEPTH:
            raise UploadRefused(UploadReason.SUSPICIOUS)
        if tag == _RELATIONSHIP:
            _check_relationship(attributes)
        elif tag.startswith(_OPEN_DOCUMENT):
            _check_open_document(tag.removeprefix(_OPEN_DOCUMENT), attributes)
        elif tag.endswith(("}instrText", "}delInstrText")):
            self._reads_instruction = True
        elif tag.endswith("}t"):  # text before a field's result is read as part of its instruction
            self._reads_instruction = len(self._fields) > 1
        elif tag.endswith("}fldSimple"):
            self._begin(_value(attributes, "}instr"))
            self._end()
        elif tag.endswith("}fldChar"):
            self._field_char(_value(attributes, "}fldCharType"))
        elif tag.endswith(_SPACE_ELEMENTS):
            self._add(" ")

    def data(self, text: str) -> None:
        if self._reads_instruction:
            self._add(text)

    def end(self, _: str) -> None:
        self._depth -= 1
        self._reads_instruction = False

    def close(self) -> None:
        """Close all open fields; the parser calls this at the end."""
        while self._fields:
            self._end()

    def _field_char(self, kind: str) -> None:
        if kind == "begin":
            self._begin("")
        elif kind == "separate":
            self._check()
            self._fields[-1] = None
        elif kind == "end":
            self._end()
            self._fields = self._fields or [FieldInstruction()]

    def _begin(self, instruction: str) -> None:
        if len(self._fields) > _MAX_FIELD_DEPTH:
            raise UploadRefused(UploadReason.TOO_COMPLEX)
        if len(self._fields) > 1 and (outer := self._fields[-1]):
            outer.begin_nested()
        self._fields.append(FieldInstruction())
        self._add(instruction)

    def _end(self) -> None:
        self._check()
        self._fields.pop()

    def _check(self) -> None:
        if field := self._fields[-1]:
            field.check()

    def _add(self, text: str) -> None:
        if field := self._fields[-1]:
            field.add(text)


def _value(attributes: dict[str, str], ending: str) -> str:
    return next((value for key, value in attributes.items() if key.endswith(ending)), "")


def _check_relationship(attributes: dict[str, str]) -> None:
    kind, target = attributes.get("Type", ""), attributes.get("Target", "")
    if kind.endswith(_MACROS):
        raise UploadRefused(UploadReason.MACROS)
    if kind.endswith(_EMBEDDED):
        raise UploadRefused(UploadReason.EMBEDDED_FILES)
    if not kind.endswith("/hyperlink") and may_contact_another_machine(target):
        raise UploadRefused(UploadReason.EXTERNAL_CONTENT)


def _check_open_document(name: str, attributes: dict[str, str]) -> None:
    if name in _MACRO_ELEMENTS:
        raise UploadRefused(UploadReason.MACROS)
    if name in _EMBEDDING_ELEMENTS:
        raise UploadRefused(UploadReason.EMBEDDED_FILES)
    if name in _ACTIVE_ELEMENTS:
        raise UploadRefused(UploadReason.ACTIVE_CONTENT)
    if name not in _LINKS and may_contact_another_machine(attributes.get(_XLINK, "")):
        raise UploadRefused(UploadReason.EXTERNAL_CONTENT)
