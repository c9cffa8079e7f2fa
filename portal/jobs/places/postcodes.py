"""Positions of postal codes, offline: GeoNames' codes of Europe and North America.

tools/postcodes.py generates the file: a line for each code, in byte order: country and code in the form of code_key,
latitude, longitude, name of a town.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from portal.jobs.places.gazetteer import Spot
from portal.jobs.places.sorted_lines import SortedLines, unpacked

FILE = "postcodes.tsv.gz"
_FOUR, _FIVE = r"(\d{4})", r"(\d{5})"
SHAPES = {
    **dict.fromkeys(("AT", "BE", "CH", "DK", "HU", "LI", "LU", "NO", "SI"), _FOUR),
    **dict.fromkeys(("CZ", "DE", "ES", "FI", "FR", "HR", "IT", "PL", "SE", "SK"), _FIVE),
    "CA": r"([A-Z]\d[A-Z])(?:\d[A-Z]\d)?",
    "GB": r"([A-Z]{1,2}\d[A-Z\d]?)(?:\d[A-Z]{2})?",
    "IE": r"([A-Z]\d[\dW])(?:[A-Z\d]{4})?",
    "NL": r"(\d{4})(?:[A-Z]{2})?",
    "PT": r"(\d{4})(?:\d{3})?",
    "US": r"(\d{5})(?:\d{4})?",
}
"""By country, a code without spaces and hyphens; the group is the part that is used, which identifies an area."""
_TYPED = re.compile(r"(?=[^\d]{0,4}\d)[A-Za-z\d][A-Za-z\d -]{1,11}")
_ABROAD = re.compile(r"(?:A|B|D|F|I|L|S|N|E|P|CH|DK|FL|FIN|[A-Z]{2})(?=\d)")
"""International prefixes, once usual before a code of another country and still used by some."""


@dataclass(frozen=True, slots=True)
class Postcode:
    """A postal code in its short form, with the town's name and position."""

    code: str
    place: str
    spot: Spot


def code_key(text: str, country: str) -> str | None:
    """Return country and code in the form of the file; None if it is not a code of that country."""
    bare = text.upper().replace(" ", "").replace("-", "")
    shape = SHAPES[country]
    found = re.fullmatch(shape, bare) or re.fullmatch(shape, _ABROAD.sub("", bare, count=1))
    return country + found[1] if found else None


def find_postcodes(text: str, countries: Iterable[str]) -> list[Postcode]:
    """Return the meanings of a postal code in the order of the countries, then in countries that are not given.

    A town's name may precede or follow it: "04109 Leipzig".
    """
    order = [country for country in dict.fromkeys([*countries, *SHAPES]) if country in SHAPES]
    for part in _parts(text):
        found = [code for country in order if (code := _find(part, country))]
        if found:
            return found
    return []


def postcodes_beginning(text: str, countries: Iterable[str], most: int) -> list[Postcode]:
    """Return codes with this prefix in the order of the countries, at most `most`."""
    bare = text.upper().replace(" ", "").replace("-", "")
    if not re.fullmatch(r"(?=.*\d)[A-Z\d]{2,7}", bare):
        return []
    found: list[Postcode] = []
    for country in countries:
        lines = _codes().block(f"{country}{bare}".encode()).split(b"\n")[: most - len(found)]
        found += [_read(line) for line in lines if line]
    return found


def _parts(text: str) -> Iterator[str]:
    """Yield the text, then its parts that may be a code."""
    words = text.split()[:8]
    for part in dict.fromkeys([text, *(" ".join(words[:n]) for n in (2, 1)), *(" ".join(words[-n:]) for n in (2, 1))]):
        if _TYPED.fullmatch(part):
            yield part


def _find(text: str, country: str) -> Postcode | None:
    key = code_key(text, country)
    if key is None:
        return None
    wanted = f"{key}\t".encode()
    line = _codes().line(wanted)
    if not line.startswith(wanted):
        return None
    return _read(line)


def _read(line: bytes) -> Postcode:
    key, latitude, longitude, place = line.decode().split("\t")
    return Postcode(key[2:], place, Spot(float(latitude), float(longitude), key[:2]))


@cache
def _codes() -> SortedLines:
    return SortedLines(unpacked(FILE))
