"""The other text of a CV in its language: headings, jobs, schools, numbers that are not phones, other people."""

import json
from dataclasses import dataclass
from pathlib import Path

from tests.adapters.cv_reader.people import Person


@dataclass(frozen=True)
class Words:
    """Labels, then (heading, lines) of the sections. others: the last section, the references."""

    title: str
    name: str
    phone: str
    mail: str
    address: str
    born: str
    nationality: str
    personal: str
    sections: list[tuple[str, list[str]]]
    others: tuple[str, list[str]]


_STORIES = json.loads((Path(__file__).parent / "stories.json").read_text(encoding="utf-8"))


def words(person: Person) -> Words:
    """Return the words in the language of the CV."""
    return Words(**_STORIES[person.language])
