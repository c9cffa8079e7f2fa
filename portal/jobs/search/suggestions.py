"""Locations for a few typed letters: first those where the tenant has jobs, then others on the map."""

from collections.abc import Iterator, Sequence
from itertools import islice

import sqlalchemy as sa

from portal.jobs.places.gazetteer import beginning, find_places, name_of, region_of, town
from portal.jobs.places.place_lookup import Where, area, country_name, place
from portal.jobs.places.places import Pair
from portal.jobs.places.postcodes import postcodes_beginning
from portal.jobs.places.regions import regions_beginning
from portal.jobs.search.folding import name_key
from portal.jobs.tables import vacancy_cells
from portal.platform.database.db import Database
from portal.tenants.model import Tenant

_MOST = 8
_FEWEST_LETTERS = 2
_SPOKEN = {
    "de": ("AT", "CH", "DE", "LI"), "fr": ("BE", "CH", "FR", "LU"), "es": ("ES",), "it": ("CH", "IT"),
    "nl": ("BE", "NL"), "pl": ("PL",),
}  # fmt: skip
"""Countries whose locations probably have other names in a language: Munich is München in German."""


def suggest(db: Database, tenant: Tenant, typed: str, language: str) -> list[str]:
    """Return up to eight locations, each as text that a search understands; none for fewer than two letters."""
    if len(name_key(typed)) < _FEWEST_LETTERS:
        return []
    own, countries = _own(db, tenant)
    found = (where.said(language) for where in _places(typed, own, countries, language))
    return list(islice(dict.fromkeys(found), _MOST))


def _own(db: Database, tenant: Tenant) -> tuple[list[Pair], list[str]]:
    """Return cities and countries with open jobs, those with the most jobs first; cities as the company spells them."""
    c = vacancy_cells.c
    jobs = sa.func.sum(c.n)
    query = sa.select(c.city, c.country, jobs).where(c.tenant == tenant.slug).group_by(c.city, c.country)
    with db.read() as connection:
        rows = connection.execute(query.having(jobs > 0).order_by(jobs.desc(), c.city)).all()
    towns = [(row.country, row.city) for row in rows if row.city]
    return towns, list(dict.fromkeys(row.country for row in rows if len(row.country) == 2))


def _places(typed: str, own: Sequence[Pair], countries: Sequence[str], language: str) -> Iterator[Where]:
    key = name_key(typed)
    known = beginning(typed, countries)
    today = [spot for spot in known if name_key(name_of(spot)).startswith(key)]
    there = [spot for spot in known if spot not in today and spot.country in _SPOKEN.get(language[:2], ())]
    for country, city in own:
        spot = town(city, country)
        if name_key(city).startswith(key):
            yield Where(city, region_of(spot) if spot else "", country, spot)
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
