"""The words that a posting is found by: from its texts, and from the facts that its card shows."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from babel import Locale, UnknownLocaleError

from portal.jobs.places.gazetteer import town
from portal.jobs.search import occupations
from portal.jobs.search.attributes import CLIENT, read
from portal.jobs.search.concepts import tokens_of
from portal.jobs.search.words import plain_words_of, without_gender_markers, words_of


@dataclass(frozen=True, slots=True)
class IndexWords:
    """Every word of a posting, those of its title, and those without stems, for correcting misspelt words."""

    words: set[str]
    title: set[str]
    plain: set[str]


@dataclass(frozen=True, slots=True)
class PostingTexts:
    """The texts of a posting, as stored; "" for missing ones. where: city, region and client as one text.

    shown: values of the filters that the tenant defines.
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


def index_words(texts: PostingTexts) -> IndexWords:
    """Return the words of a posting. The facts that its card shows rank like words of its title, occupations do not."""
    where = f"{texts.where} {country_words(texts.country, texts.language)} {texts.shown}"
    title = without_gender_markers(texts.title)
    of_title = words_of(title, texts.language) | tokens_of(
        texts.employment_type, texts.location_type, texts.country, texts.area, town(texts.city, texts.country), title
    )
    found = of_title | words_of(where, texts.language) | words_of(texts.text, texts.language)
    found |= occupations.in_title(title)
    return IndexWords(found, of_title, plain_words_of(f"{title} {where} {texts.text}"))


def posting_texts(row: sa.Row[*tuple[Any, ...]]) -> PostingTexts:
    """Return the texts of a row of vacancies joined with vacancy_texts."""
    return PostingTexts(
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
    """Return the country's names in English and in the posting's language, for correcting misspelt words.

    The country's code is left out: somebody who searches for IT does not mean Italy.
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
