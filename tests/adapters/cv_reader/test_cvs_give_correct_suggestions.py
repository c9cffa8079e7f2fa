"""Suggestions from CVs of every kind in eight languages are correct; half of the CVs were not used for tuning."""

import pytest
from playwright.sync_api import Browser

from tests.adapters.cv_reader.corpus import Sample, samples, saved
from tests.adapters.cv_reader.measure import Measured, measured

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("chromium")]


@pytest.fixture(scope="module")
def corpus(chromium: Browser) -> list[Sample]:
    return [*samples(chromium), *saved()]


def found_in(corpus: list[Sample], *, is_held_back: bool) -> Measured:
    return measured([sample for sample in corpus if sample.is_held_back == is_held_back])


def test_the_corpus_is_large_enough(corpus: list[Sample]):
    assert len(corpus) >= 80
    assert {sample.person.language for sample in corpus} == {"en", "de", "fr", "es", "pl", "it", "nl", "ar"}
    assert 30 <= sum(sample.is_held_back for sample in corpus) <= len(corpus) - 30


@pytest.mark.parametrize("is_held_back", [False, True], ids=["looked at", "held back"])
def test_email_phone_and_name_are_found(corpus: list[Sample], is_held_back: bool):
    found = found_in(corpus, is_held_back=is_held_back)
    assert found.share("email") >= 0.95, found.notes
    assert found.share("phone") >= 0.95, found.notes
    assert found.share("name") >= 0.85, found.notes
    assert found.share("profile") >= 0.8, found.notes


@pytest.mark.parametrize("is_held_back", [False, True], ids=["looked at", "held back"])
def test_few_suggestions_are_wrong(corpus: list[Sample], is_held_back: bool):
    found = found_in(corpus, is_held_back=is_held_back)
    assert found.right.total() > 100
    assert found.wrong_share <= 0.03, found.notes


def test_a_scanned_cv_gives_no_suggestions(corpus: list[Sample]):
    scanned = [sample for sample in corpus if sample.is_scanned]
    found = measured(scanned)
    assert len(scanned) == 4
    assert found.wrong.total() == found.right.total() == 0
