"""Locations for a few typed letters: first those where the tenant has jobs, then others on the map."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

import sqlalchemy as sa
from babel.languages import get_official_languages

from portal.jobs.places.gazetteer import beginning, find_places, name_of, region_of, town
from portal.jobs.places.place_lookup import Where, area, country_name, place
from portal.jobs.places.postcodes import postcodes_beginning
from portal.jobs.places.regions import regions_beginning
from portal.jobs.search.folding import name_key
from portal.jobs.tables import vacancy_cells
from portal.platform.database.db import Database
from portal.tenants.model import Tenant

_MOST = 8
_FEWEST_LETTERS = 2


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
    found = (where.said(language) for where in _places(typed, own, countries, language))
    return list(islice(dict.fromkeys(found), _MOST))


def _own(db: Database, tenant: Tenant) -> tuple[list[_Town], list[str]]:
    """Return cities and countries with open jobs, those with the most jobs first."""
    c = vacancy_cells.c
    jobs = sa.func.sum(c.n)
    query = sa.select(c.city, c.country, jobs).where(c.tenant == tenant.slug).group_by(c.city, c.country)
    with db.read() as connection:
        rows = connection.execute(query.having(jobs > 0).order_by(jobs.desc(), c.city)).all()
    towns = [_Town(row.city, row.country) for row in rows if row.city]
    return towns, list(dict.fromkeys(row.country for row in rows if len(row.country) == 2))


def _places(typed: str, own: Sequence[_Town], countries: Sequence[str], language: str) -> Iterator[Where]:
    key = name_key(typed)
    known = beginning(typed, countries)
    today = [spot for spot in known if name_key(name_of(spot)).startswith(key)]
    there = [spot for spot in known if spot not in today and _is_spoken(language.partition("-")[0], spot.country)]
    for each in own:
        spot = town(each.city, each.country)
        if name_key(each.city).startswith(key):
            yield Where(each.city, region_of(spot) if spot else "", each.country, spot) if spot else _village(each)
        elif spot in today or spot in there:
            yield place(spot, typed)
    yield from (Where(country=code) for code in countries if name_key(country_name(code, language)).startswith(key))
    for code in postcodes_beginning(typed, countries, 4 * _MOST):
        if not find_places(code.place):  # a postal code of a single large company
            continue
        yield Where(f"{code.code} {code.place}", country=code.spot.country, spot=code.spot)
    regions = [area(each) for each in regions_beginning(typed)]
    yield from (region for region in regions if region.country in countries)
    yield from (place(spot, typed) for spot in [*today, *there])
    yield from (region for region in regions if region.country not in countries)


def _village(known: _Town) -> Where:
    return Where(known.city, country=known.country)


@cache
def _is_spoken(language: str, country: str) -> bool:
    """Return whether locations in the country probably have other names in the language: Munich is München in German.

    The gazetteer's own names are English.
    """
    return language != "en" and language in get_official_languages(country, de_facto=True)
