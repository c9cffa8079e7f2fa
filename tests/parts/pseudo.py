"""A language that nobody speaks: English with accents and brackets, two fifths longer. What has none is not marked."""

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
    """The text in that language, with its places and its markup as they are."""
    parts = _KEPT.split(text)
    words = "".join(part if _KEPT.fullmatch(part) else part.translate(_ACCENTS) for part in parts)
    length = sum(len(part) for part in parts if not _KEPT.fullmatch(part))
    # Short words, as long ones would be harder on a page than any language is.
    more = ("èlôr " * length)[: max(1, round(length * _LONGER))].strip()
    return f"{OPEN}{words} {more}{CLOSE}"


def spoken(folder: Path) -> Path:
    """A folder of catalogues in which this language takes the place of English."""
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
