"""A visitor's search ⇄ its address. Every state of the list has an address that can be shared."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from babel import Locale
from flask_babel import lazy_gettext
from werkzeug.datastructures import MultiDict

from portal.jobs.places.places import city, city_key
from portal.jobs.places.reach import reach_of
from portal.jobs.posting import JobLocation, Query, Results, Sort
from portal.jobs.search.folding import folded
from portal.platform.crypto.normal_forms import composed

DISTANCES = (5, 10, 25, 50, 100)
"""Distances in kilometres that the list offers."""

FILTERS = {
    "city": "cities",
    "country": "countries",
    "employmentType": "employment_types",
    "locationType": "location_types",
}
"""Parameter of an address → member of Query and Results."""
OWN = "facet-"
"""The prefix of the parameter of a filter that the tenant names; no other parameter begins with it."""
_OWN = re.compile(rf"{OWN}([a-z0-9-]{{1,50}})")
_OWN_MOST = 10
_TEXT_LIMIT = 200
_VALUE_LIMIT = 100
_VALUES = 20
_AFTER = re.compile(r"[A-Za-z0-9_=.~-]{1,500}")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")


def parse(args: MultiDict[str, str]) -> Query:
    """Parse an address; what is invalid or too long is ignored. Unknown values of filters are found by the search."""
    near = _words(args.get("near", ""))[:_VALUE_LIMIT] or None
    within = args.get("within", "")
    after = args.get("after", "")
    return Query(
        text=_words(args.get("q", ""))[:_TEXT_LIMIT].strip(),
        cities=_values(args.getlist("city")),
        countries=_values(map(_country, args.getlist("country"))),
        employment_types=_values(args.getlist("employmentType")),
        location_types=_values(args.getlist("locationType")),
        attributes=_own(args),
        near=near,
        within_km=int(within) if near and within in {str(km) for km in DISTANCES} else None,
        sort=_sort(args.get("sort", "")),
        after=after if _AFTER.fullmatch(after) else None,
    )


def typed(args: MultiDict[str, str]) -> str:
    """Return what has been typed of a location so far."""
    return _words(args.get("q", ""))[:_VALUE_LIMIT]


def parameters(query: Query) -> list[tuple[str, str]]:
    """Return the parameters of a query's address; the same query always has the same."""
    found: list[tuple[str, str]] = [("q", query.text)] if query.text else []
    found += [(name, value) for name, member in FILTERS.items() for value in getattr(query, member)]
    found += [(OWN + name, value) for name, values in query.attributes for value in values]
    if query.near:
        found.append(("near", query.near))
        if query.within_km:
            found.append(("within", str(query.within_km)))
    if query.sort:
        found.append(("sort", query.sort.value))
    if query.after:
        found.append(("after", query.after))
    return found


def is_for_many(query: Query) -> bool:
    """Return whether the list is worth caching.

    Free text and long combinations are endless in number: cached, they would evict the pages that many people open.
    """
    own = (value for _, values in query.attributes for value in values)
    narrowed = (*query.cities, *query.countries, *query.employment_types, *query.location_types, *own)
    return not (query.text or query.near or query.after) and len(narrowed) <= 2


def without_spellings(query: Query) -> Query:
    """Return the search with filter values folded: it finds the same whatever the case and accents of its values."""

    def alike(values: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted({folded(each) for each in values}))

    fixed: dict[str, Any] = {member: alike(getattr(query, member)) for member in FILTERS.values()}
    return replace(query, **fixed, attributes=tuple((name, alike(values)) for name, values in query.attributes))


def in_effect(query: Query, results: Results) -> Query:
    """Return the search without filters that do nothing; those that narrow the list are spelt as the jobs have them."""
    chosen: dict[str, Any] = {
        member: tuple(sorted(choice.value for choice in getattr(results, member) if choice.chosen))
        for member in FILTERS.values()
    }
    own = ((each.name, tuple(sorted(c.value for c in each.choices if c.chosen))) for each in results.attributes)
    return replace(query, **chosen, attributes=tuple(sorted((name, values) for name, values in own if values)))


def without(query: Query, member: str, value: str) -> Query:
    """Return the search from its first page, without one value of a member, in all of that value's spellings."""
    left: Any = tuple(each for each in getattr(query, member) if folded(each) != folded(value))
    return replace(query, after=None, **{member: left})


def without_own(query: Query, name: str, value: str) -> Query:
    """Return the search from its first page, without one value of a filter that the tenant names."""
    left = ((each, tuple(v for v in values if (each, v) != (name, value))) for each, values in query.attributes)
    return replace(query, after=None, attributes=tuple((each, values) for each, values in left if values))


def _own(args: MultiDict[str, str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the filters that the tenant names; `team` is the name that a company's own page uses for one of them."""
    found = {match[1]: _values(args.getlist(match[0])) for name in args if (match := _OWN.fullmatch(name))}
    if teams := _values(args.getlist("team")):
        found.setdefault("team", teams)
    return tuple(sorted((name, values) for name, values in found.items() if values))[:_OWN_MOST]


def _values(given: Iterable[str]) -> tuple[str, ...]:
    """Return each value once, sorted, so that the same filters are the same page."""
    words = (_words(value) for value in given)
    return tuple(sorted({word for word in words if 0 < len(word) <= _VALUE_LIMIT}))[:_VALUES]


def _country(value: str) -> str:
    word = _words(value)
    return word.upper() if len(word) == 2 and word.isascii() else word


def _words(value: str) -> str:
    """Return text of one line: NFC, no control characters, single spaces."""
    return " ".join(composed(_CONTROLS.sub(" ", value[: 10 * _TEXT_LIMIT])).split())


def _sort(value: str) -> Sort | None:
    return Sort(value) if value in set(Sort) else None


_AREAS = {
    "~eu": ("EU", lazy_gettext("Anywhere in the European Union")),
    "~europe": ("150", lazy_gettext("Anywhere in Europe")),
}
"""The area of a remote job → its code in CLDR, and the text for a page in another language."""


def in_words_of(place: JobLocation, locale: Locale) -> JobLocation:
    """Return the location with the area of a remote job in the page's language, and names in the page's script.

    An area that is named in the page's language stays as the company wrote it. A city has the name that the filter of
    cities shows.
    """
    if place.reach:
        reach = reach_of(place.reach) or ""
        area, label = _AREAS.get(reach, ("001" if reach == "~world" and locale.text_direction == "rtl" else "", None))
        name = locale.territories.get(area, place.reach)
        return place if name in place.reach else replace(place, reach=str(label) if label else name)
    called = city(city_key(place.country or "", place.city), place.city, locale) if place.city else None
    # Leave out a region in another language: the country follows.
    return replace(place, city=called, region=None if called != place.city else place.region)
