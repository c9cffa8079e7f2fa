"""Parts of an address in one line, each comma in the script of the words around it."""

import re
from collections.abc import Iterable
from itertools import pairwise

_ARABIC = re.compile(r"[\u0620-\u064a\u066e-\u06d3\u0750-\u077f\u08a0-\u08c9]")
_LETTER = re.compile(r"[^\W\d_]")
_COMMAS = {True: "، ", False: ", "}


def address_line(parts: Iterable[str], *, in_arabic: bool) -> str:
    """Return the parts in one line. in_arabic: whether the page is, for commas between parts in different scripts."""
    given = list(parts)
    return "".join([*given[:1], *(_comma(one, other, in_arabic=in_arabic) + other for one, other in pairwise(given))])


def _comma(one: str, other: str, *, in_arabic: bool) -> str:
    scripts = {bool(_ARABIC.search(part)) for part in (one, other) if _LETTER.search(part)}
    return _COMMAS[scripts.pop() if len(scripts) == 1 else in_arabic]
