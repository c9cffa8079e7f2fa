"""What was searched for, in words."""

from babel import Locale
from flask_babel import gettext

from portal.vacancies.posting import Query, Results
from portal.vacancies.question import NEAR_KM
from portal.web.query import FILTERS
from portal.web.words import labels


def of_filters(query: Query, results: Results, locale: Locale) -> list[str]:
    """What each choice that narrows the list is called. query: what is in effect."""
    own = [value for _, values in query.attributes for value in values]
    fixed = [
        label(one) for name, label in labels(locale).items() for one in getattr(results, FILTERS[name]) if one.chosen
    ]
    return own + fixed


def in_words(query: Query, filters: list[str]) -> tuple[str, ...]:
    """Each part of a search. filters: as of_filters has them."""
    found = [gettext("“%(words)s”", words=query.text)] if query.text else []
    if query.near:
        km = query.within_km or NEAR_KM
        found.append(gettext("within %(km)s km of %(place)s", km=km, place=query.near))
    return (*found, *filters)
