"""A CV as lines in reading order: the common form of all file formats, with limits on its size."""

import re
from dataclasses import dataclass

from portal.platform.crypto import normal_forms

PAGES_MOST = 3
CHARACTERS_MOST = 20_000
_LINE_MOST = 300
_LINES_MOST = 600
_LINKS_MOST = 60
_LINK_MOST = 2_048

_INVISIBLE = re.compile("[\u00ad\u0640\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffd]")
_BLANKS = re.compile(r"[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_UNPRINTABLE_OR_SYMBOL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ue000-\uf8ff\U000f0000-\U0010ffff\u2190-\u21ff\u2300-\u27bf\U0001f000-\U0001faff]"
)
_DIGITS = str.maketrans("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹", "01234567890123456789")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl"})


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line. size: of its characters, in any unit that is the same for the whole file; 0 if unknown."""

    text: str
    size: float = 0.0


@dataclass(frozen=True, slots=True)
class CvText:
    """A file's text. links: targets of hyperlinks. author: from the metadata; often not the candidate."""

    lines: tuple[TextLine, ...] = ()
    links: tuple[str, ...] = ()
    author: str = ""


class TextCollector:
    """Collects lines and links up to the limits."""

    def __init__(self) -> None:
        self._lines: list[TextLine] = []
        self._links: list[str] = []
        self._characters = 0
        self.author = ""

    @property
    def is_full(self) -> bool:
        """Whether a limit is reached, so that no more lines are stored."""
        return self._characters >= CHARACTERS_MOST or len(self._lines) >= _LINES_MOST

    def line(self, text: str, size: float = 0.0) -> None:
        """Add one line, or several if the text contains line breaks."""
        for piece in text[:CHARACTERS_MOST].splitlines():
            tidied = tidy(piece[: 4 * _LINE_MOST])[:_LINE_MOST]
            if tidied and not self.is_full:
                self._lines.append(TextLine(tidied, size))
                self._characters += len(tidied)

    def link(self, target: str) -> None:
        """Add the target of a hyperlink."""
        if len(self._links) < _LINKS_MOST and 4 < len(target) <= _LINK_MOST:
            self._links.append(target.strip())

    def collected(self) -> CvText:
        """Return the collected text."""
        return CvText(tuple(self._lines), tuple(self._links), tidy(self.author[:_LINE_MOST]))


def tidy(text: str) -> str:
    """Return composed text without invisible characters and icons; runs of spaces become at most two."""
    text = _UNPRINTABLE_OR_SYMBOL.sub(" ", _INVISIBLE.sub("", text.replace("\t", "  ")))
    text = _BLANKS.sub(" ", text).translate(_LIGATURES).translate(_DIGITS)
    if any("\ufb50" <= char <= "\ufefc" for char in text):  # Arabic presentation forms (shapes that a font draws)
        text = "".join(normal_forms.decomposed(c) if "\ufb50" <= c <= "\ufefc" else c for c in text)
    return re.sub(r" {2,}", "  ", normal_forms.composed(text)).strip()
