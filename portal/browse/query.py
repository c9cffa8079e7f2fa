"""What a visitor searches for ⇄ the address that says so. Every state of the list has an address that can be shared."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace

from werkzeug.datastructures import MultiDict

from portal.contract.bodies import EmploymentType, LocationType
from portal.vacancies.folding import folded
from portal.vacancies.posting import Choice, Query, Results, Sort

DISTANCES = (10, 25, 50, 100)
"""Kilometres that the list offers."""

_TEXT_LIMIT = 200
_VALUE_LIMIT = 100
_VALUES = 20
_AFTER = re.compile(r"[A-Za-z0-9_=.~-]{1,500}")
_EMPLOYMENT_TYPES: frozenset[str] = frozenset(EmploymentType)
_LOCATION_TYPES: frozenset[str] = frozenset(LocationType)


def parse(args: MultiDict[str, str]) -> Query:
    """Read an address; what is unknown, wrong or too long is ignored."""
    near = _words(args.get("near", ""))[:_VALUE_LIMIT] or None
    within = args.get("within", "")
    after = args.get("after", "")
    return Query(
        text=_words(args.get("q", ""))[:_TEXT_LIMIT].strip(),
        cities=_values(args.getlist("city")),
        countries=_values(map(_country, args.getlist("country"))),
        employment_types=tuple(v for v in _values(args.getlist("employmentType")) if v in _EMPLOYMENT_TYPES),
        location_types=tuple(v for v in _values(args.getlist("locationType")) if v in _LOCATION_TYPES),
        near=near,
        within_km=int(within) if near and within in {str(km) for km in DISTANCES} else None,
        sort=_sort(args.get("sort", "")),
        after=after if _AFTER.fullmatch(after) else None,
    )


def parameters(query: Query) -> list[tuple[str, str]]:
    """Write an address, the same one for the same query."""
    found: list[tuple[str, str]] = [("q", query.text)] if query.text else []
    found += [("city", city) for city in query.cities]
    found += [("country", country) for country in query.countries]
    found += [("employmentType", kind) for kind in query.employment_types]
    found += [("locationType", kind) for kind in query.location_types]
    if query.near:
        found.append(("near", query.near))
        if query.within_km:
            found.append(("within", str(query.within_km)))
    if query.sort:
        found.append(("sort", query.sort.value))
    if query.after:
        found.append(("after", query.after))
    return found


def in_effect(query: Query, results: Results) -> Query:
    """The same search without filters that do nothing; those that narrow the list are spelt as the jobs have them."""

    def chosen(choices: tuple[Choice, ...]) -> tuple[str, ...]:
        return tuple(sorted(choice.value for choice in choices if choice.chosen))

    return replace(
        query,
        cities=chosen(results.cities),
        countries=chosen(results.countries),
        employment_types=chosen(results.employment_types),
        location_types=chosen(results.location_types),
    )


def without(
    query: Query, *, city: str = "", country: str = "", employment_type: str = "", location_type: str = ""
) -> Query:
    """The same search, from its first page, with one filter's value taken back, in all of its spellings."""

    def left(values: tuple[str, ...], taken: str) -> tuple[str, ...]:
        return tuple(value for value in values if not taken or folded(value) != folded(taken))

    return replace(
        query,
        cities=left(query.cities, city),
        countries=left(query.countries, country),
        employment_types=left(query.employment_types, employment_type),
        location_types=left(query.location_types, location_type),
        after=None,
    )


def _values(given: Iterable[str]) -> tuple[str, ...]:
    """Each value once, in order, so that the same filters are the same page."""
    words = (_words(value) for value in given)
    return tuple(sorted({word for word in words if 0 < len(word) <= _VALUE_LIMIT}))[:_VALUES]


def _country(value: str) -> str:
    word = _words(value)
    return word.upper() if len(word) == 2 and word.isascii() else word


def _words(value: str) -> str:
    """Text of one line: NFC, no control characters, single spaces."""
    kept = "".join(" " if unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"} else c for c in value[: 10 * _TEXT_LIMIT])
    return " ".join(unicodedata.normalize("NFC", kept).split())


def _sort(value: str) -> Sort | None:
    return Sort(value) if value in set(Sort) else None
