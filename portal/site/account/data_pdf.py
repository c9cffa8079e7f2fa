"""A PDF of everything that is stored about a candidate: A4, tagged for screen readers, in scripts of both directions.

Typst typesets it from data_pdf.typ. People's texts are passed as data, never as markup.
"""

import json
import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import typst

from portal.site.account.data_sections import DataSection

_HERE = Path(__file__).parent
_MOST = 200_000
"""Characters of labels and values, about 150 pages and a second of a core; the JSON file has the rest."""
_TIMEOUT = 5.0
_room = threading.BoundedSemaphore(1)
"""One document at a time, so that many requests use no more than one core."""


class TooBusy(Exception):
    """Another document occupies the renderer for too long; try again."""


def render(
    sections: Iterable[DataSection], *, title: str, lead: str, none: str, cut: str, lang: str, direction: str
) -> bytes:
    """Return the PDF. none: text of an empty section; cut: text at the end if not everything fits. Raises TooBusy."""
    shown, is_whole = _fitting(sections)
    data: dict[str, object] = {"title": title, "lead": lead, "none": none, "cut": "" if is_whole else cut}
    data |= {"lang": lang.partition("-")[0], "rtl": direction == "rtl", "sections": shown}
    if not _room.acquire(timeout=_TIMEOUT):
        raise TooBusy
    try:
        document = typst.Compiler(
            (_HERE / "data_pdf.typ").read_bytes(),
            root=str(_HERE / "fonts"),
            font_paths=_fonts(),
            sys_inputs={"data": json.dumps(data)},
        )
        compiled = document.compile()
    finally:
        _room.release()
    if not isinstance(compiled, bytes):
        raise TypeError("no PDF")  # only other formats than PDF give a list, with one file for each page
    return compiled


@cache
def _fonts() -> typst.Fonts:
    return typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=[str(_HERE / "fonts")])


def _fitting(sections: Iterable[DataSection]) -> tuple[list[dict[str, object]], bool]:
    """Return the sections up to _MOST characters, as the document's data, and whether all of them fit."""
    shown: list[dict[str, object]] = []
    left = _MOST
    for section in sections:
        entries: list[dict[str, object]] = []
        for entry in section.entries:
            facts = []
            for label, value in entry.facts:
                left -= len(label) + len(value)
                if left < 0:
                    break
                facts.append((label, value))
            entries.append({"title": entry.title[:500], "facts": facts})
        shown.append({"title": section.title, "entries": entries})
    return shown, left >= 0
