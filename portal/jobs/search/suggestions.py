"""Locations for a few typed letters: first those where the tenant has jobs, then others on the map."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice

import sqlalchemy as sa
from babel.languages import get_official_languages

from portal.jobs.places.gazetteer import (
    Spot,
    beginning,
    chord_squared,
    find_places,
    name_of,
    region_of,
    town,
    unit_vector,
)
from portal.jobs.places.place_lookup import CITY_STATES, SearchLocation, area, country_name, place
from portal.jobs.places.postcodes import postcodes_beginning
from portal.jobs.places.regions import Region, regions_beginning
from portal.jobs.search.folding import name_key
from portal.jobs.tables import vacancy_cells
from portal.platform.database.db import Database
from portal.tenants.model import Tenant

_MOST = 8
_FEWEST_LETTERS = 2
_SHORT = 3
"""Letters that begin too many names, if names in all languages count."""
_FAR = chord_squared(1_500)
"""Towns farther than this from every job are on another continent or about as far away."""
_OWN_MOST = 50
"""Cities with jobs from which distances are measured, those with the most jobs."""


@dataclass(frozen=True, slots=True)
class _Town:
    """A city where the tenant has jobs, as the company spells it."""

    city: str
    country: str


def suggest(db: Database, tenant: Tenant, typed: str, language: str) -> list[str]:
    """Return up to eight locations, each as text that a search understands; none for fewer than two letters."""
    if len(name_key(typed)) < _FEWEST_LETTERS:
        return []
    own, countries = _own(db, tenant)
    found = (where.full_name(language) for where in _places(typed, own, countries, language))
    return list(islice(dict.fromkeys(found), _MOST))


def _own(db: Database, tenant: Tenant) -> tuple[list[_Town], list[str]]:
    """Return cities and countries with open jobs, those with the most jobs first."""
    c = vacancy_cells.c
    jobs = sa.func.sum(c.n)
    query = sa.select(c.city, c.country, jobs).where(c.tenant == tenant.slug).group_by(c.city, c.country)
    rows = db.rows(query.having(jobs > 0).order_by(jobs.desc(), c.city))
    towns = [_Town(row.city, row.country) for row in rows if row.city]
    return towns, list(dict.fromkeys(row.country for row in rows if len(row.country) == 2))


def _places(typed: str, own: Sequence[_Town], countries: Sequence[str], language: str) -> Iterator[SearchLocation]:
    """Yield locations with jobs, those near jobs, then those farther away; last, those that match by one of their other
    names."""
    key = name_key(typed)
    jobs_at = [spot for each in own[:_OWN_MOST] if (spot := town(each.city, each.country))]
    is_far = partial(_is_far, jobs_at=[_position(spot) for spot in jobs_at])
    found = beginning(typed, countries)
    known = [spot for spot in found if _is_called(spot, key, language)]
    others = [
        spot
        for spot in found
        if spot not in known
        and (
            _has_own_names(language.partition("-")[0], spot.country)
            or (spot.country in countries and len(key) > _SHORT)
        )
    ]
    areas = [each for each in regions_beginning(typed) if _is_area_called(each, key, language)]
    for each in own:
        spot = town(each.city, each.country)
        if name_key(each.city).startswith(key):
            yield (
                SearchLocation(each.city, region_of(spot) if spot else "", each.country, spot)
                if spot
                else _village(each)
            )
        elif spot in known:
            yield place(spot, typed)
    yield from (
        SearchLocation(country=code) for code in countries if name_key(country_name(code, language)).startswith(key)
    )
    for code in postcodes_beginning(typed, countries, 4 * _MOST):
        if not find_places(code.place):  # skip the postal code of a single large company
            continue
        yield SearchLocation(f"{code.code} {code.place}", country=code.spot.country, spot=code.spot)
    with_jobs = {region_of(spot) for spot in jobs_at}
    ordered = sorted(areas, key=lambda region: region.code not in with_jobs)
    yield from (area(region) for region in ordered if region.country in countries)
    yield from (place(spot, typed) for spot in sorted([*known, *others], key=is_far))
    yield from map(area, areas)


def _position(spot: Spot) -> tuple[float, float, float]:
    return unit_vector(spot.latitude, spot.longitude)


def _is_far(spot: Spot, jobs_at: Sequence[tuple[float, float, float]]) -> bool:
    x, y, z = _position(spot)
    return bool(jobs_at) and all((x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2 > _FAR for a, b, c in jobs_at)


def _is_called(spot: Spot, key: str, language: str) -> bool:
    """Return whether the town's own name, or that in the language of the page, begins with what was typed."""
    names = (name_of(spot), place(spot).called(language))
    is_district = any(map(str.isdigit, names[0])) and key.isalpha()  # "Paris 15 Vaugirard"
    return not is_district and any(name_key(name).startswith(key) for name in names)


def _is_area_called(region: Region, key: str, language: str) -> bool:
    """Return whether the region has that name in the language of the page or of the region itself.

    Of its formal name, "Canton of Bern", the first words alone do not select it.
    """
    if region.code in CITY_STATES:
        return False
    names = {name_key(name) for name in (region.name, region.name_in(language), region.name_in("en"))}
    if any(name.startswith(key) for name in names) or key in map(name_key, region.others):
        return True
    formal = map(name_key, region.formal_names())
    return any(name.startswith(key) and len(key) > len(name) - min(map(len, names)) for name in formal)


def _village(known: _Town) -> SearchLocation:
    return SearchLocation(known.city, country=known.country)


@cache
def _has_own_names(language: str, country: str) -> bool:
    """Return whether locations in the country probably have other names in the language: Munich is München in German.

    The gazetteer's own names are English.
    """
    return language != "en" and language in get_official_languages(country, de_facto=True)
