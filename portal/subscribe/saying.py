"""A search in words, as its alert is called, and as the list's address has it."""

from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

from babel import Locale
from flask_babel import gettext
from werkzeug.datastructures import MultiDict

from portal.alerts.subscribing import Search
from portal.vacancies.posting import Query, Results
from portal.web.query import in_effect, parameters, parse
from portal.web.searched import in_words, of_filters


def read(address: str) -> Query:
    """The query of a list's address, without order and place: what an alert looks for."""
    return replace(parse(MultiDict(parse_qsl(address))), sort=None, after=None)


def search_of(asked: Query, results: Results, locale: Locale) -> Search:
    """What the list shows for a query: without filters that do nothing, and with the words that were meant."""
    query = replace(in_effect(asked, results), sort=None, after=None)
    if results.corrected:
        query = replace(query, text=results.corrected)
    said = in_words(query, of_filters(query, results, locale))
    return Search(urlencode(parameters(query)), " · ".join(said) or str(gettext("All jobs")))
