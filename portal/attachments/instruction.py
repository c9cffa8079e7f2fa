"""What a field of Word does, in DOCX and RTF alike: links that wait for a click pass, what acts by itself does not."""

import re

from portal.attachments.elsewhere import leads_elsewhere
from portal.errors import UploadReason, UploadRefused

_MOST = 4_096
_KEYWORD = re.compile(r"[\W_]*([a-z]+)", re.IGNORECASE)
_BEGUN = re.compile(r"\s*(?:=|\S+\s)")
_RUNNING = frozenset({"DDE", "DDEAUTO"})
_FETCHING = frozenset({"INCLUDETEXT", "INCLUDE", "INCLUDEPICTURE", "IMPORT", "LINK", "RD", "DATABASE"})
_BLANKS = re.compile(r"\s+")
_BETWEEN = re.compile(r'[\s"\u201c-\u201f]+')


class Instruction:
    """The instruction of one field, told in pieces; other programs cut it into as many as they like."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._holds_another = False

    def add(self, text: str) -> None:
        """What comes next of it. Long ones are those of programs that keep their references in fields."""
        text = _BLANKS.sub(" ", text)
        if self._length <= _MOST and not (text == " " and self._pieces[-1:] == [" "]):
            self._pieces.append(text)
            self._length += len(text)

    @property
    def is_begun(self) -> bool:
        """Whether its first word is whole."""
        return bool(_BEGUN.match("".join(self._pieces)))

    def hold_another(self) -> None:
        """Another field begins in it, whose result becomes a part of it. Raises UploadRefused where it is the word
        that says what to do: QUOTE 68 68 69 is DDE."""
        if not self.is_begun:
            raise UploadRefused(UploadReason.ACTIVE)
        self._holds_another = True

    def check(self) -> None:
        """Raise UploadRefused unless it is still."""
        said = "".join(self._pieces)
        keyword = _KEYWORD.match(said)
        word = keyword[1].upper() if keyword else ""
        if word in _RUNNING:
            raise UploadRefused(UploadReason.ACTIVE)
        if word in _FETCHING and (
            word == "DATABASE"  # it may name its machine in many ways
            or self._holds_another
            or self._length > _MOST
            or any(leads_elsewhere(piece) for piece in _BETWEEN.split(said))
        ):
            raise UploadRefused(UploadReason.LOADS)
