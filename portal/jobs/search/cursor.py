"""The position at which the next page of a list begins, encoded for URLs."""

import base64
import re
from dataclasses import dataclass

from portal.jobs.posting import Sort

_SHAPE = re.compile(r"([rd])(-?\d{1,2}),(-?\d{1,18}),(\d{1,18})(?:,(\d{1,9}))?")
_KIND = {Sort.RELEVANCE: "r", Sort.DATE: "d"}


@dataclass(frozen=True, slots=True)
class After:
    """The last posting of the previous page: its match rank, its date in microseconds since 1970, its row.

    passed: number of postings on that page and earlier ones; None if the cursor does not say so.
    """

    tier: int
    dated_at: int
    row: int
    passed: int | None = None


def write(sort: Sort, after: After) -> str:
    """Return the cursor as letters, digits, - and _."""
    text = f"{_KIND[sort]}{after.tier},{after.dated_at},{after.row}"
    if after.passed is not None:
        text += f",{after.passed}"
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read(sort: Sort, text: str | None) -> After | None:
    """Return the position; None for the first page, a damaged cursor, or one of a list in another order."""
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
