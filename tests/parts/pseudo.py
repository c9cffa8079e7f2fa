"""A pseudo-language: English with accents and brackets, two fifths longer. Text without them is not translatable."""

import re
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from tools import translations

OPEN, CLOSE = "⟦", "⟧"
_KEPT = re.compile(r"(%\(\w+\)[sd]|%%|<[^>]*>|\n)")
_ACCENTS = str.maketrans("aeiouyAEIOUYcnsz", "àéîöüýÀÉÎÖÜÝçñšž")
_LONGER = 0.4


def said(text: str) -> str:
    """Return the text in that language; placeholders and markup are unchanged."""
    parts = _KEPT.split(text)
    words = "".join(part if _KEPT.fullmatch(part) else part.translate(_ACCENTS) for part in parts)
    length = sum(len(part) for part in parts if not _KEPT.fullmatch(part))
    # Short words, because long ones would be harder to lay out than any real language.
    more = ("èlôr " * length)[: max(1, round(length * _LONGER))].strip()
    return f"{OPEN}{words} {more}{CLOSE}"


def spoken(folder: Path) -> Path:
    """Write a folder of catalogues in which this language replaces English."""
    catalogue = Catalog(locale="en")
    for message in translations.extracted():
        if isinstance(message.id, str) and message.id:
            catalogue.add(message.id, said(message.id))
        elif message.id:
            catalogue.add(message.id, [said(form) for form in message.id])
    written = BytesIO()
    write_mo(written, catalogue)
    (folder / "en" / "LC_MESSAGES").mkdir(parents=True)
    (folder / "en" / "LC_MESSAGES" / "messages.mo").write_bytes(written.getvalue())
    return folder
