"""A search in words, as its alert is called, and as the list's address has it."""

from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

from babel import Locale
from flask_babel import gettext
from werkzeug.datastructures import MultiDict

from portal.alerts.subscribing import Search
from portal.vacancies.posting import Query, Results
from portal.web.query import FILTERS, in_effect, parameters, parse
from portal.web.words import labels


def read(address: str) -> Query:
    """The query of a list's address, without order and place: what an alert looks for."""
    return replace(parse(MultiDict(parse_qsl(address))), sort=None, after=None)


def search_of(asked: Query, results: Results, locale: Locale) -> Search:
    """What the list shows for a query: without filters that do nothing, and with the words that were meant."""
    query = replace(in_effect(asked, results), sort=None, after=None)
    if results.corrected:
        query = replace(query, text=results.corrected)
    return Search(urlencode(parameters(query)), _in_words(query, locale))


def _in_words(query: Query, locale: Locale) -> str:
    said = [gettext("“%(words)s”", words=query.text)] if query.text else []
    said += [label(value) for name, label in labels(locale).items() for value in getattr(query, FILTERS[name])]
    if query.near and query.within_km:
        said.append(gettext("within %(km)s km of %(place)s", km=query.within_km, place=query.near))
    elif query.near:
        said.append(gettext("near %(place)s", place=query.near))
    return " · ".join(said) or str(gettext("All jobs"))
