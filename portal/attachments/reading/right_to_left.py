"""Lines of Arabic as PDF programs draw them, put into the order in which they are read.

pypdf turns the letters round. Groups of digits stay as they stand on the page, where the last group of a number comes
first; and what is written in Latin letters behind a label comes before it.
"""

import re

_ARABIC = re.compile("[\u0600-\u06ff\ufb50-\ufdff\ufe70-\ufefc]")
_TURNED_NUMBER = re.compile(r"(?<![\d+])(?:[\d()/-]{1,15} ){1,6}\d{1,4}\+(?!\d)|(?<![\d+])\d{7,15}\+(?!\d)")
_JOINED = re.compile("(?<=[\u0600-\u06ff\ufb50-\ufefc])(?=[A-Za-z0-9+])|(?<=[A-Za-z])(?=[\u0600-\u06ff\ufb50-\ufefc])")
_TURNED_LABEL = re.compile("([^\u0600-\u06ff\ufb50-\ufefc]{4,120}?) ?: ?([\u0600-\u06ff\ufb50-\ufefc][^:\\d]{1,40})")


def logical(line: str) -> str:
    """The line in reading order, as far as that can be told."""
    turned = _TURNED_NUMBER.sub(lambda found: "+" + " ".join(reversed(found[0].removesuffix("+").split())), line)
    if not _ARABIC.search(line):
        return turned
    turned = _JOINED.sub(" ", turned)
    swapped = _TURNED_LABEL.fullmatch(turned.strip())
    return f"{swapped[2].strip()}: {swapped[1].strip()}" if swapped else turned
