"""A search in words, and notices about its parts that were not applied as requested."""

from dataclasses import dataclass

from babel import Locale
from flask_babel import gettext

from portal.jobs.posting import Query, Results
from portal.jobs.search.database_query import NEAR_KM
from portal.site.words.query import FILTERS
from portal.site.words.value_labels import labels


def of_filters(query: Query, results: Results, locale: Locale) -> list[str]:
    """Return the label of each value that narrows the list. query: the query in effect."""
    own = [value for _, values in query.attributes for value in values]
    fixed = [
        label(one) for name, label in labels(locale).items() for one in getattr(results, FILTERS[name]) if one.chosen
    ]
    return own + fixed


def in_words(query: Query, filters: list[str]) -> tuple[str, ...]:
    """Return each part of a search in words. filters: the labels of of_filters."""
    found = [gettext("“%(words)s”", words=query.text)] if query.text else []
    if query.near:
        km = query.within_km or NEAR_KM
        found.append(gettext("within %(km)s km of %(place)s", km=km, place=query.near))
    return (*found, *filters)


_TOLD_MOST = 3
"""Maximum unknown filter values that are mentioned; addresses with more of them are made up."""


@dataclass(frozen=True, slots=True)
class SearchNotice:
    """A notice above the list. about: the query's parameter, "filter" for any filter. value: as it was requested."""

    about: str
    value: str
    says: str


def notices(query: Query, results: Results, locale: Locale) -> tuple[SearchNotice, ...]:
    """Return the notices that a list shows before its jobs."""
    found = [
        SearchNotice(
            "filter", value, gettext("No job here matches “%(value)s”, so this filter was ignored.", value=value)
        )
        for value in results.ignored[:_TOLD_MOST]
    ]
    if results.wordless:
        message = gettext("“%(text)s” contains no searchable words, so it was ignored.", text=query.text)
        found.append(SearchNotice("q", query.text, message))
    if results.corrected:
        message = gettext("No exact matches. Showing jobs for “%(words)s”.", words=results.corrected)
        found.append(SearchNotice("q", query.text, message))
    if results.near_unknown and query.near:
        message = gettext(
            "The location “%(place)s” was not recognised, so jobs in all locations are shown. Check the spelling.",
            place=query.near,
        )
        found.append(SearchNotice("near", query.near, message))
    if results.near_guessed and results.place and query.near:
        message = gettext(
            "The location “%(place)s” was not recognised. These jobs are near “%(other)s”.",
            place=query.near,
            other=results.place.full_name(str(locale)),
        )
        found.append(SearchNotice("near", query.near, message))
    return tuple(found)
