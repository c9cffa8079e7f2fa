"""Words on a card are found in any supported language."""

import gettext
from collections.abc import Iterator
from pathlib import Path

import pytest

import portal
from portal.jobs.posting import Posting
from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy

LABELS = {
    "Full-time": "fullTime",
    "Part-time": "partTime",
    "Temporary": "temporary",
    "Internship": "internship",
    "Remote": "remote",
    "Hybrid": "hybrid",
    "On-site": "onsite",
}
"""What a card says (portal/site/words/value_labels.py), and the value that it says it of."""


@pytest.fixture
def jobs(mirrored: Mirror) -> Mirror:
    """One job of each job type and workplace type, whose own words do not mention it."""
    for kind in ("fullTime", "partTime", "temporary", "internship"):
        put(mirrored, kind, employment_type=kind, location_type=None)
    for way in ("remote", "hybrid", "onsite"):
        put(mirrored, way, employment_type=None, location_type=way)
    mirrored.sync()
    return mirrored


def put(mirrored: Mirror, key: str, title: str = "Nurse", **said: object) -> None:
    about = {"description": "<p>x</p>", "location": {"city": None, "country": None}, **said}
    mirrored.service.put(vacancy(key, title, **about))


def found(mirrored: Mirror, text: str) -> list[str]:
    return sorted(hit.posting.id for hit in mirrored.find(text).hits)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("part time", "partTime"),
        ("part-time", "partTime"),
        ("Teilzeit", "partTime"),
        ("temps partiel", "partTime"),
        ("media jornada", "partTime"),
        ("دوام جزئي", "partTime"),
        ("internship", "internship"),
        ("Praktikum", "internship"),
        ("STAŻ", "internship"),
        ("remote", "remote"),
        ("homeoffice", "remote"),
        ("home office", "remote"),
        ("télétravail", "remote"),
        ("teletravail", "remote"),
        ("عن بعد", "remote"),
        ("vor Ort", "onsite"),
    ],
)
def test_a_job_type_or_workplace_type_is_found_by_any_of_its_names(jobs: Mirror, said: str, meant: str):
    assert found(jobs, said) == [meant]
    assert found(jobs, f"nurse {said}") == [meant]


def translations() -> Iterator[tuple[str, str, str]]:
    yield from (("en", label, value) for label, value in LABELS.items())
    for catalogue in Path(portal.__path__[0]).glob("translations/*/LC_MESSAGES/messages.mo"):
        language = catalogue.parent.parent.name
        with catalogue.open("rb") as file:
            said = gettext.GNUTranslations(file).gettext
        yield from ((language, said(label), value) for label, value in LABELS.items())


def test_labels_in_each_language_of_the_portal_are_found(jobs: Mirror):
    missed = [(language, label) for language, label, value in translations() if found(jobs, label) != [value]]
    assert not missed


def test_an_incomplete_name_is_recognised(jobs: Mirror):
    assert found(jobs, "teilz") == ["partTime"]
    assert found(jobs, "teil") == []


def test_a_misspelt_name_is_corrected(jobs: Mirror):
    results = jobs.find("intership")
    assert ([hit.posting.id for hit in results.hits], results.corrected) == (["internship"], "internship")


def test_a_title_supplies_a_missing_job_type(mirrored: Mirror):
    put(mirrored, "open", "Köchin in Teilzeit, mobiles Arbeiten", employment_type=None, location_type=None)
    put(mirrored, "known", "Leiter Teilzeit", employment_type="fullTime", location_type="onsite")
    mirrored.sync()
    assert found(mirrored, "part time") == ["open"]
    assert found(mirrored, "remote") == ["open"]
    assert found(mirrored, "teilzeit") == ["known", "open"]


def test_a_job_type_in_a_title_is_marked_whatever_was_typed(mirrored: Mirror):
    put(mirrored, "a", "Köchin in Teilzeit", employment_type=None)
    mirrored.sync()
    (hit,) = mirrored.find("part-time").hits
    assert [hit.posting.title[start:end] for start, end in hit.title_marks] == ["Teilzeit"]


@pytest.mark.parametrize("said", ["Vienna", "Wien", "Vienne", "VIEDEŇ", "Austria", "Österreich", "Autriche", "النمسا"])
def test_a_town_and_its_country_are_found_by_their_names_in_any_language(mirrored: Mirror, said: str):
    put(mirrored, "wien", location={"city": "Wien", "country": "AT"})
    put(mirrored, "koln", location={"city": "Köln", "country": "DE"})
    mirrored.sync()
    assert found(mirrored, said) == ["wien"]
    assert found(mirrored, f"nurse {said}") == ["wien"]


@pytest.mark.parametrize("said", ["Bayern", "Bavaria", "Bavière", "Baviera"])
def test_a_region_is_found_by_its_names_too(mirrored: Mirror, said: str):
    put(mirrored, "munich", location={"city": "München", "country": "DE"})
    put(mirrored, "village", location={"city": "Kleinort", "region": "Bayern", "country": "DE"})
    put(mirrored, "koln", location={"city": "Köln", "country": "DE"})
    mirrored.sync()
    assert found(mirrored, said) == ["munich", "village"]


def test_a_town_of_several_words_is_one_name(mirrored: Mirror):
    put(mirrored, "main", location={"city": "Frankfurt am Main", "country": "DE"})
    put(mirrored, "york", location={"city": "New York", "country": "US"})
    mirrored.sync()
    assert found(mirrored, "francfort sur le main nurse") == ["main"]
    assert found(mirrored, "nueva york") == ["york"]


def test_short_words_are_not_countries(mirrored: Mirror):
    put(mirrored, "a", "IT manager in our team", location={"city": "Berlin", "country": "DE"})
    put(mirrored, "b", "Manager", location={"city": "Roma", "country": "IT"})
    mirrored.sync()
    assert found(mirrored, "IT manager") == ["a"]


def test_a_client_is_found_where_it_is_shown(mirrored: Mirror):
    mirrored.publish(show_client=True)
    put(mirrored, "a", client="Initech")
    mirrored.sync()
    assert found(mirrored, "initech") == ["a"]


@pytest.mark.parametrize(
    "said",
    [
        "nurse (m/w/d)",
        "Nurse m/w/d",
        "nurse f/m/x",
        "nurse (all genders)",
        "nurse m w d",
        "(w/m/divers) nurse",
        "nurse (h/f)",
    ],
)
def test_gender_markers_in_a_query_are_ignored(mirrored: Mirror, said: str):
    put(mirrored, "a", "Nurse")
    mirrored.sync()
    assert found(mirrored, said) == ["a"]


def test_gender_markers_in_a_title_are_not_words(mirrored: Mirror):
    put(mirrored, "a", "Entwickler*in (m/w/d)")
    put(mirrored, "b", "D developer")
    mirrored.sync()
    assert found(mirrored, "d") == ["b"]
    for said in ("Entwickler:in", "entwickler (m/w/d)"):
        assert found(mirrored, said) == ["a", "b"]  # the second by its occupation
    shown = mirrored.posting("a")
    assert isinstance(shown, Posting)
    assert shown.title == "Entwickler*in (m/w/d)"


@pytest.mark.parametrize("said", ["C/C++ developer", "CI/CD", "A/B"])
def test_words_that_resemble_a_gender_marker_are_kept(mirrored: Mirror, said: str):
    put(mirrored, "a", f"Nurse {said}")
    put(mirrored, "b", "Nurse")
    mirrored.sync()
    assert found(mirrored, said) == ["a"]


def test_words_of_a_card_rank_like_its_title(mirrored: Mirror):
    put(mirrored, "said", "Cook", description="<p>No internship, but nice.</p>", employment_type="fullTime")
    mirrored.clock.pass_time(-3_600)
    put(mirrored, "is", "Cook", employment_type="internship")
    mirrored.clock.pass_time(3_600)
    mirrored.sync()
    assert next(hit.posting.id for hit in mirrored.find("cook internship").hits) == "is"
