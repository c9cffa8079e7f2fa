from dataclasses import replace

import pytest

from portal.tenants.model import SearchSettings
from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy


@pytest.fixture
def three(mirrored: Mirror) -> Mirror:
    for key, title in {
        "a": "Software Developer",
        "b": "Software Engineer",
        "c": "Registered Nurse",
        "d": "Carer",
    }.items():
        mirrored.service.put(vacancy(key, title, description="<p>x</p>"))
    mirrored.sync()
    return mirrored


def means(mirrored: Mirror, synonyms: dict[str, tuple[str, ...]]) -> None:
    """Set synonyms in the tenant's file."""
    mirrored.tenant = replace(mirrored.tenant, search=SearchSettings(synonyms))


def test_all_words_of_one_line_find_the_same_jobs(three: Mirror):
    means(three, {"developer": ("engineer", "programmer")})
    both = {"Software Developer", "Software Engineer"}
    assert set(three.titles("developer")) == set(three.titles("engineer")) == set(three.titles("programmer")) == both
    assert three.titles("nurse") == ["Registered Nurse"]


def test_synonyms_take_effect_without_a_sync(three: Mirror):
    assert three.titles("wizard") == []
    means(three, {"developer": ("wizard",)})
    assert three.wanted() == []
    assert three.titles("wizard") == ["Software Developer"]
    means(three, {})
    assert three.titles("wizard") == []


def test_a_synonym_may_consist_of_several_words(three: Mirror):
    means(three, {"carer": ("registered nurse", "Pflegefachkraft")})
    both = {"Registered Nurse", "Carer"}
    for said in ("carer", "registered nurse", "Pflegefachkraft"):
        assert set(three.titles(said)) == both
    assert three.titles("registered") == ["Registered Nurse"]


def test_other_forms_of_a_word_are_synonyms_too(three: Mirror):
    means(three, {"wizard": ("developer",)})
    assert three.titles("wizards") == ["Software Developer"]


def test_lines_do_not_combine(three: Mirror):
    means(three, {"developer": ("engineer",), "engineer": ("carer",)})
    assert set(three.titles("developer")) == {"Software Developer", "Software Engineer"}
    assert set(three.titles("engineer")) == {"Software Developer", "Software Engineer", "Carer"}


def test_other_words_still_narrow_the_search(three: Mirror):
    means(three, {"developer": ("engineer",)})
    assert set(three.titles("software engineer")) == {"Software Developer", "Software Engineer"}
    assert three.titles("registered engineer") == []


def test_punctuation_alone_is_no_synonym(three: Mirror):
    means(three, {"?": ("!",), "developer": ("&|!",)})
    assert three.titles("developer") == ["Software Developer", "Software Engineer"]  # the same occupation
    assert len(three.titles("?")) == 4
