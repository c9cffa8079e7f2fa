"""Checks Word fields in DOCX and RTF: accepts links that need a click, rejects fields that act automatically."""

import re
from urllib.parse import unquote

from portal.platform.errors import UploadReason, UploadRefused

_ROUNDS = 4
# Programs ignore these characters in a URL, and invisible ones before it.
_SKIPPED = re.compile(r"[\x00-\x1f\x7f]|^\s+")
_SHARE = re.compile(r"//|/\?")  # \\machine, and \??\UNC\machine, which Windows accepts as well
_DRIVE = re.compile(r"(?://localhost)?/{0,3}[a-z][:|]", re.IGNORECASE)
_HOME = re.compile(
    r"(?://localhost|//)?/(?:Applications|home|Library|private|opt|tmp|Users|usr|var|Volumes)/", re.IGNORECASE
)
_NAME = re.compile(r"[^/]")
_SCHEME = re.compile(r"(?!cid:)([a-z][a-z0-9+.-]+):", re.IGNORECASE)  # cid: another part of the mail it was copied from


def may_contact_another_machine(address: str) -> bool:
    """Return whether opening this address may contact another machine: a web URL, or a network share in any notation.

    Relative names, names on a drive (C:) and names in a usual folder of macOS or Linux stay on this machine.
    """
    for _ in range(_ROUNDS):
        plain = unquote(address, errors="replace")
        if plain == address:
            break
        address = plain
    else:
        return True
    path = _SKIPPED.sub("", address).replace("\\", "/").strip()
    if not (scheme := _SCHEME.match(path)):
        return bool(_SHARE.match(path))
    if scheme[1].casefold() != "file":
        return True
    path = path[scheme.end() :].lstrip()
    return not (_DRIVE.match(path) or _HOME.match(path) or _NAME.match(path))


_MAX_LENGTH = 4_096
_KEYWORD = re.compile(r"[\W_]*([a-z]+)", re.IGNORECASE)
_KEYWORD_COMPLETE = re.compile(r"\s*(?:=|\S+\s)")
_RUNNING_FIELDS = frozenset({"DDE", "DDEAUTO"})
_FETCHING_FIELDS = frozenset({"INCLUDETEXT", "INCLUDE", "INCLUDEPICTURE", "IMPORT", "LINK", "RD", "DATABASE"})
_BLANKS = re.compile(r"\s+")
_SEPARATORS = re.compile(r'[\s"\u201c-\u201f]+')


class FieldInstruction:
    """The instruction of one Word field, received in pieces: programs split it arbitrarily."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._has_nested = False

    def add(self, text: str) -> None:
        """Append the next piece. Text beyond the limit is dropped: reference managers keep their data in fields."""
        text = _BLANKS.sub(" ", text)
        if self._length <= _MAX_LENGTH and not (text == " " and self._pieces[-1:] == [" "]):
            self._pieces.append(text)
            self._length += len(text)

    @property
    def has_keyword(self) -> bool:
        """Whether its first word is complete."""
        return bool(_KEYWORD_COMPLETE.match("".join(self._pieces)))

    def begin_nested(self) -> None:
        """Note that a nested field begins, whose result becomes part of the instruction.

        Raises UploadRefused if it could produce the keyword: QUOTE 68 68 69 results in DDE.
        """
        if not self.has_keyword:
            raise UploadRefused(UploadReason.ACTIVE_CONTENT)
        self._has_nested = True

    def check(self) -> None:
        """Raise UploadRefused if the instruction runs a program or fetches from another machine."""
        instruction = "".join(self._pieces)
        keyword = _KEYWORD.match(instruction)
        word = keyword[1].upper() if keyword else ""
        if word in _RUNNING_FIELDS:
            raise UploadRefused(UploadReason.ACTIVE_CONTENT)
        if word in _FETCHING_FIELDS and (
            word == "DATABASE"  # a field's arguments can name another machine in many ways
            or self._has_nested
            or self._length > _MAX_LENGTH
            or any(may_contact_another_machine(piece) for piece in _SEPARATORS.split(instruction))
        ):
            raise UploadRefused(UploadReason.EXTERNAL_CONTENT)
