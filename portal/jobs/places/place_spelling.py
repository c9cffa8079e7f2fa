"""Abbreviated names, names without a comma and misspelt names → names that gazetteer.py understands."""

import re
from collections.abc import Collection, Iterator

from rapidfuzz import process
from rapidfuzz.distance import OSA

from portal.jobs.places.country import country_code
from portal.jobs.places.gazetteer import find_places, keys_beginning
from portal.jobs.places.name_key import name_key
from portal.jobs.places.regions import find_regions

_WORDS_MOST = 6
_LETTERS = re.compile(r"[^\W\d_]+")
_ONE_SLIP, _TWO_SLIPS = 5, 9
"""Length in letters from which so many typing errors are accepted: short names resemble too many others."""
_ALIKE = 30


def in_full(text: str) -> Iterator[str]:
    """Yield full forms of an abbreviated text: "Lyon FR" → "Lyon, FR", "Frankfurt a.M." → the whole name."""
    yield from _with_comma(text)
    name, *about = text.split(",")
    words = _LETTERS.findall(name)
    if "." not in name or not 1 < len(words) <= _WORDS_MOST:
        return
    first, *short = (name_key(word) for word in words)
    pattern = re.compile(first + "".join(rf"{re.escape(each)}\w*" for each in short))
    for key in keys_beginning(first):
        if pattern.fullmatch(key):
            yield ",".join([key, *about])


def misspelt(text: str, countries: Collection[str]) -> str | None:
    """Return the name that a misspelt text may mean, preferably in one of the countries; None if none is similar."""
    found = [each for said in (text, *_with_comma(text)) for each in _alike(said, countries)]
    return min(found)[-1] if found else None


def _with_comma(text: str) -> Iterator[str]:
    words = text.split()
    if "," in text or len(words) > _WORDS_MOST:
        return
    for cut in range(1, len(words)):
        about = " ".join(words[cut:])
        if country_code(about) or find_regions(about):
            yield f"{' '.join(words[:cut])}, {about}"


def _alike(text: str, countries: Collection[str]) -> Iterator[tuple[bool, float, int, str]]:
    name, *about = text.split(",")
    word = name_key(name)
    if len(word) < _ONE_SLIP or not word.isalpha():
        return
    slips = 1 if len(word) < _TWO_SLIPS else 2
    # The first letter is rarely wrong, except when the first two are swapped.
    keys = [key for first in dict.fromkeys(word[:2]) for key in keys_beginning(first)]
    for key, distance, _ in process.extract(word, keys, scorer=OSA.distance, score_cutoff=slips, limit=_ALIKE):
        said = ",".join([key, *about])
        for spot in find_places(said, countries)[:1]:
            yield spot.country not in countries, distance, spot.rank, said
