"""Each catalogue translates exactly the English messages, with the same placeholders."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel import Locale
from babel.messages.catalog import Catalog, Message

from hatch_build import compiled
from portal.tenants.languages import COMPLETE
from tools import translations

OTHERS = [tag for tag in COMPLETE if tag != "en"]
_PLACES = re.compile(r"%\(\w+\)[sd]|%%")
_MARKUP = re.compile(r"</?\w+[^<>]*>")
_LINES = re.compile(r"\n")


@pytest.fixture(scope="module")
def english() -> Catalog:
    return translations.extracted()


@pytest.fixture(params=OTHERS)
def catalogue(request: pytest.FixtureRequest) -> Catalog:
    return translations.read(request.param)


def every(catalogue: Catalog) -> Iterator[Message]:
    return (message for message in catalogue if message.id)


def translations_of(message: Message) -> list[tuple[str, str]]:
    """(English, translation) of each form of a message."""
    if isinstance(message.id, str):
        return [(message.id, str(message.string))]
    return [(message.id[min(number, 1)], form) for number, form in enumerate(message.string)]


def places(text: str) -> dict[str, int]:
    found = [*_PLACES.findall(text), *_MARKUP.findall(text), *_LINES.findall(text)]
    return {place: found.count(place) for place in found}


def test_every_offered_language_has_a_catalogue():
    there = sorted(path.parents[1].name for path in translations.CATALOGUES.glob("*/LC_MESSAGES/messages.po"))
    assert there == sorted(OTHERS)


def test_catalogues_have_no_missing_and_no_obsolete_messages(catalogue: Catalog, english: Catalog):
    asked, there = {message.id for message in every(english)}, {message.id for message in every(catalogue)}
    assert not asked - there, "run `make translations`, and translate the new messages"
    assert not there - asked, "run `make translations`: it removes obsolete messages"


def test_every_message_is_translated(catalogue: Catalog):
    assert translations.lacking(catalogue) == []
    assert [message.id for message in every(catalogue) if message.fuzzy] == []


def test_placeholders_and_markup_match_the_english_message(catalogue: Catalog):
    wrong = []
    forms = [_chooser(catalogue.plural_expr)(number) for number in range(1000)]
    for message in every(catalogue):
        for form, (source, translation) in enumerate(translations_of(message)):
            asked, found = places(source), places(translation)
            if (
                not isinstance(message.id, str) and forms[1:].count(form) < 2
            ):  # the singular form "one job" needs no number
                for place in ("%(num)s", "%(num)d", "%(count)s"):
                    asked.pop(place, None)
                    found.pop(place, None)
            if translation and asked != found:
                wrong.append((source, translation))
    assert wrong == []


def test_messages_begin_and_end_as_in_english(catalogue: Catalog):
    """A message that ends with a colon or a space is joined to the following text."""
    wrong = [
        (source, translation)
        for message in every(catalogue)
        for source, translation in translations_of(message)
        if translation and (translation != translation.strip()) != (source != source.strip())
    ]
    assert wrong == []


def test_plural_forms_match_the_language(catalogue: Catalog):
    locale = catalogue.locale
    assert locale is not None
    order = [form for form in ("zero", "one", "two", "few", "many", "other") if form in _counted(locale)]
    choose = _chooser(catalogue.plural_expr)
    assert catalogue.num_plurals == len(order)
    for number in range(1, 1000):
        assert order[choose(number)] == locale.plural_form(number), number
    assert all(len(message.string) == len(order) for message in every(catalogue) if not isinstance(message.id, str))


def _counted(locale: Locale) -> set[str]:
    return {locale.plural_form(number) for number in range(1000)}


def _chooser(expression: str):
    from gettext import c2py

    return c2py(expression)


def test_compiled_catalogues_match_their_sources(catalogue: Catalog):
    source = translations.path_of(str(catalogue.locale))
    assert source.with_suffix(".mo").read_bytes() == compiled(source), "`make translations` compiles"


def test_no_message_is_a_fragment_of_a_sentence(english: Catalog):
    """A message that ends with a space is joined to another, and other languages need another order."""
    assert [message.id for message in every(english) if _is_piece(message)] == []


def _is_piece(message: Message) -> bool:
    return any(text != text.strip() for text in ([message.id] if isinstance(message.id, str) else message.id))


def test_the_folder_contains_only_catalogues():
    files = {path.name for path in Path(translations.CATALOGUES).rglob("*") if path.is_file()}
    assert files <= {"messages.po", "messages.mo"}
