"""The place where the next page of a list begins, as it travels in an address."""

import base64
import re
from dataclasses import dataclass

from portal.vacancies.posting import Sort

_SHAPE = re.compile(r"([rd])(-?\d{1,2}),(-?\d{1,18}),(\d{1,18})(?:,(\d{1,9}))?")
_KIND = {Sort.RELEVANCE: "r", Sort.DATE: "d"}


@dataclass(frozen=True, slots=True)
class After:
    """The last posting of the page before: how well it matched, its date in microseconds since 1970, its row.

    passed: how many postings that page and those before it had, as far as anybody wrote so.
    """

    tier: int
    dated_at: int
    row: int
    passed: int | None = None


def write(sort: Sort, after: After) -> str:
    """Letters, digits, - and _ only."""
    text = f"{_KIND[sort]}{after.tier},{after.dated_at},{after.row}"
    if after.passed is not None:
        text += f",{after.passed}"
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read(sort: Sort, text: str | None) -> After | None:
    """None for the first page: also when the text is damaged, or belongs to a list in another order."""
    if not text or not re.fullmatch(r"[A-Za-z0-9_-]{1,100}", text):
        return None
    try:
        plain = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii")
    except ValueError:
        return None
    found = _SHAPE.fullmatch(plain)
    if not found or found[1] != _KIND[sort]:
        return None
    return After(int(found[2]), int(found[3]), int(found[4]), int(found[5]) if found[5] else None)
