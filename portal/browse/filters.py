"""The filters beside the list, ready for the template: what can be chosen, and what taking a choice back leads to."""

from collections.abc import Callable
from dataclasses import dataclass

from babel import Locale
from flask_babel import gettext

from portal.browse import words
from portal.browse.query import parameters, without
from portal.tenants.addresses import Addresses
from portal.vacancies.posting import Choice, Query, Results
from portal.web.locale import country


@dataclass(frozen=True, slots=True)
class Option:
    """One box to tick. `count`: jobs that it would leave."""

    value: str
    label: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class Filter:
    """A group of boxes. `name` is the query parameter."""

    name: str
    legend: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A filter in use, and the address without it."""

    label: str
    without: str


def filters(results: Results, locale: Locale) -> tuple[Filter, ...]:
    """Groups worth showing: those with something to choose."""
    groups = (
        Filter("employmentType", gettext("Type of job"), _options(results.employment_types, _employment)),
        Filter("locationType", gettext("Way of working"), _options(results.location_types, _location)),
        Filter("country", gettext("Country"), _options(results.countries, lambda code: country(code, locale))),
        Filter("city", gettext("City"), _options(results.cities, str)),
    )
    return tuple(group for group in groups if len(group.options) > 1 or any(o.chosen for o in group.options))


def chosen(query: Query, site: Addresses, locale: Locale) -> tuple[Chosen, ...]:
    """What narrows the list now. query: what is in effect."""
    found = [(_employment(v), without(query, employment_type=v)) for v in query.employment_types]
    found += [(_location(v), without(query, location_type=v)) for v in query.location_types]
    found += [(country(v, locale), without(query, country=v)) for v in query.countries]
    found += [(v, without(query, city=v)) for v in query.cities]
    return tuple(Chosen(label, site.jobs(parameters(left))) for label, left in found)


def _options(choices: tuple[Choice, ...], label: Callable[[str], str]) -> tuple[Option, ...]:
    return tuple(Option(c.value, label(c.value), c.count, c.chosen) for c in choices if c.value)


def _employment(value: str) -> str:
    return str(words.EMPLOYMENT.get(value, value))


def _location(value: str) -> str:
    return str(words.LOCATION.get(value, value))
