"""What a posting is found by: its words, and what its card says of it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from babel import Locale, UnknownLocaleError

from portal.vacancies.attributes import CLIENT, read
from portal.vacancies.concepts import tokens_of
from portal.vacancies.gazetteer import town
from portal.vacancies.gender import without_marks
from portal.vacancies.words import plain_words_of, words_of


@dataclass(frozen=True, slots=True)
class IndexWords:
    """Every word of a posting, those of its title, and those that a misspelt word may have meant."""

    words: set[str]
    title: set[str]
    plain: set[str]


@dataclass(frozen=True, slots=True)
class Said:
    """What a posting says of itself, as it is stored; "" where it is silent. where: its other words, such as city.

    shown: values of what its tenant names.
    """

    title: str
    text: str
    language: str
    where: str = ""
    city: str = ""
    country: str = ""
    area: str = ""
    employment_type: str = ""
    location_type: str = ""
    shown: str = ""


def index_words(said: Said) -> IndexWords:
    """What a posting is found by. What its card says counts like its title."""
    where = f"{said.where} {country_words(said.country, said.language)} {said.shown}"
    title = without_marks(said.title)
    of_title = words_of(title, said.language) | tokens_of(
        said.employment_type, said.location_type, said.country, said.area, town(said.city, said.country), title
    )
    found = of_title | words_of(where, said.language) | words_of(said.text, said.language)
    return IndexWords(found, of_title, plain_words_of(f"{title} {where} {said.text}"))


def said(row: sa.Row[*tuple[Any, ...]]) -> Said:
    """row: of vacancies and vacancy_texts."""
    return Said(
        title=row.title,
        text=row.plain,
        language=row.language,
        where=" ".join(filter(None, (row.city, row.region, row.client))),
        city=row.city,
        country=row.country,
        area=row.area or "",
        employment_type=row.employment_type,
        location_type=row.location_type,
        shown=" . ".join(value for key, value in read(row.attributes) if key != CLIENT),
    )


@lru_cache(maxsize=1_000)
def country_words(country: str, language: str) -> str:
    """Names of the country that a misspelt word may mean: in English and in the posting's language.

    Not its code: who searches for IT means no country.
    """
    if len(country) != 2:
        return country
    names = []
    for tag in ("en", language):
        try:
            names.append(Locale.parse(tag).territories.get(country, ""))
        except (UnknownLocaleError, ValueError):
            continue
    return " ".join(names)
