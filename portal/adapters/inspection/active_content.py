"""Checks Word fields in DOCX and RTF: links that need a click are fine, fields that act automatically are not."""

import re

from portal.adapters.inspection.external_references import leads_elsewhere
from portal.platform.errors import UploadReason, UploadRefused

_MOST = 4_096
_KEYWORD = re.compile(r"[\W_]*([a-z]+)", re.IGNORECASE)
_BEGUN = re.compile(r"\s*(?:=|\S+\s)")
_RUNNING = frozenset({"DDE", "DDEAUTO"})
_FETCHING = frozenset({"INCLUDETEXT", "INCLUDE", "INCLUDEPICTURE", "IMPORT", "LINK", "RD", "DATABASE"})
_BLANKS = re.compile(r"\s+")
_BETWEEN = re.compile(r'[\s"\u201c-\u201f]+')


class Instruction:
    """The instruction of one Word field, received in pieces: programs split it arbitrarily."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._holds_another = False

    def add(self, text: str) -> None:
        """Append the next piece. Text beyond the limit is dropped: reference managers keep their data in fields."""
        text = _BLANKS.sub(" ", text)
        if self._length <= _MOST and not (text == " " and self._pieces[-1:] == [" "]):
            self._pieces.append(text)
            self._length += len(text)

    @property
    def is_begun(self) -> bool:
        """Whether its first word is complete."""
        return bool(_BEGUN.match("".join(self._pieces)))

    def hold_another(self) -> None:
        """Note that a nested field begins, whose result becomes part of the instruction.

        Raises UploadRefused if it could produce the keyword: QUOTE 68 68 69 results in DDE.
        """
        if not self.is_begun:
            raise UploadRefused(UploadReason.ACTIVE)
        self._holds_another = True

    def check(self) -> None:
        """Raise UploadRefused if the instruction runs a program or fetches from another machine."""
        said = "".join(self._pieces)
        keyword = _KEYWORD.match(said)
        word = keyword[1].upper() if keyword else ""
        if word in _RUNNING:
            raise UploadRefused(UploadReason.ACTIVE)
        if word in _FETCHING and (
            word == "DATABASE"  # it can name another machine in many ways
            or self._holds_another
            or self._length > _MOST
            or any(leads_elsewhere(piece) for piece in _BETWEEN.split(said))
        ):
            raise UploadRefused(UploadReason.LOADS)
