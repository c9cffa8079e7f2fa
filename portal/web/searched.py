"""What was searched for, in words, and what of it was not done as it was asked."""

from dataclasses import dataclass

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


_TOLD_MOST = 3
"""Values of filters that nobody knows: whoever makes up more of them knows why."""


@dataclass(frozen=True, slots=True)
class Notice:
    """about: the parameter of the query, "filter" for any of the filters. value: of it, as it was asked for."""

    about: str
    value: str
    says: str


def notices(query: Query, results: Results, locale: Locale) -> tuple[Notice, ...]:
    """What a list has to say before its jobs."""
    found = [
        Notice("filter", value, gettext("No job here has “%(value)s”, so it does not narrow the list.", value=value))
        for value in results.ignored[:_TOLD_MOST]
    ]
    if results.wordless:
        said = gettext("“%(text)s” has no word to search for, so it does not narrow the list.", text=query.text)
        found.append(Notice("q", query.text, said))
    if results.corrected:
        said = gettext("Nothing matched exactly. Showing jobs for “%(words)s”.", words=results.corrected)
        found.append(Notice("q", query.text, said))
    if results.near_unknown and query.near:
        said = gettext(
            "No place called “%(place)s” is known here, so these jobs are anywhere. Is it spelled as on a map?",
            place=query.near,
        )
        found.append(Notice("near", query.near, said))
    if results.near_guessed and results.where and query.near:
        said = gettext(
            "No place called “%(place)s” is known here. These jobs are near “%(other)s”.",
            place=query.near,
            other=results.where.said(str(locale)),
        )
        found.append(Notice("near", query.near, said))
    return tuple(found)
