"""Places that somebody who types a few letters may mean: where the tenant has jobs first, then the rest of the map."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import sqlalchemy as sa

from portal.db import Database
from portal.tenants.model import Tenant
from portal.vacancies.gazetteer import beginning, find_places, name_of, region_of, town
from portal.vacancies.name_key import name_key
from portal.vacancies.postcodes import postcodes_beginning
from portal.vacancies.regions import regions_beginning
from portal.vacancies.tables import vacancy_cells
from portal.vacancies.where import Where, area, country_name, place

_MOST = 8
_FEWEST_LETTERS = 2
_SPOKEN = {
    "de": ("AT", "CH", "DE", "LI"), "fr": ("BE", "CH", "FR", "LU"), "es": ("ES",), "it": ("CH", "IT"),
    "nl": ("BE", "NL"), "pl": ("PL",),
}  # fmt: skip
"""Where a place's other names are likely to be those of a language: München for Munich."""


@dataclass(frozen=True, slots=True)
class _Town:
    """Where the tenant has jobs, as the company writes it."""

    city: str
    country: str


def suggest(db: Database, tenant: Tenant, typed: str, language: str) -> list[str]:
    """Up to eight places, each as a search takes it; none for less than two letters."""
    if len(name_key(typed)) < _FEWEST_LETTERS:
        return []
    own, countries = _own(db, tenant)
    found = (where.said(language) for where in _places(typed, own, countries, language))
    return list(islice(dict.fromkeys(found), _MOST))


def _own(db: Database, tenant: Tenant) -> tuple[list[_Town], list[str]]:
    """Towns and countries with open jobs, those with most first."""
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
    there = [spot for spot in known if spot not in today and spot.country in _SPOKEN.get(language[:2], ())]
    for each in own:
        spot = town(each.city, each.country)
        if name_key(each.city).startswith(key):
            yield Where(each.city, region_of(spot) if spot else "", each.country, spot) if spot else _village(each)
        elif spot in today or spot in there:
            yield place(spot, typed)
    yield from (Where(country=code) for code in countries if name_key(country_name(code, language)).startswith(key))
    for code in postcodes_beginning(typed, countries, 4 * _MOST):
        if not find_places(code.place):  # a company that has a code for its letters alone
            continue
        yield Where(f"{code.code} {code.place}", country=code.spot.country, spot=code.spot)
    regions = [area(each) for each in regions_beginning(typed)]
    yield from (region for region in regions if region.country in countries)
    yield from (place(spot, typed) for spot in [*today, *there])
    yield from (region for region in regions if region.country not in countries)


def _village(known: _Town) -> Where:
    return Where(known.city, country=known.country)
