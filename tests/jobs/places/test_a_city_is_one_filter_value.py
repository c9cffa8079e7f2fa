"""A city is one filter value in any spelling, old addresses still work, and texts without a city are no value."""

import pytest

from portal.jobs.places.places import is_reach
from portal.jobs.posting import Posting
from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy


def at(city: str, country: str) -> dict[str, str]:
    return {"city": city, "country": country}


@pytest.fixture
def everywhere(mirrored: Mirror) -> Mirror:
    for number, where in enumerate(
        [("Wien", "Austria"), ("Wien", "AT"), ("Vienna", "Österreich"), ("Vienna", "USA"), ("München", "DE"),
         ("Munich", "Germany"), ("Zürich", "CH"), ("Zurich", "CH"), ("Hintertupfing", "DE"), ("hintertupfing", "DE")]
    ):  # fmt: skip
        mirrored.service.put(vacancy(f"v{number}", location=at(*where)))
    mirrored.sync()
    return mirrored


def test_spellings_of_a_city_are_counted_together_under_the_most_frequent_one(everywhere: Mirror):
    found = {choice.value: choice.count for choice in everywhere.find().cities}
    assert found == {"Wien": 3, "Vienna": 1, "Munich": 2, "Zurich": 2, "Hintertupfing": 2}


@pytest.mark.parametrize(
    ("asked", "many"),
    [
        (("Wien",), 3),
        (("wien",), 3),
        (("Vienna",), 4),
        (("Vienna, AT",), 3),
        (("Vienna, US",), 1),
        (("Vindobona",), 3),
        (("Munich", "Zürich"), 4),
        (("Hintertupfing",), 2),
    ],
)
@pytest.mark.parametrize("narrowed", [False, True], ids=["counts that are kept", "rows that are read"])
def test_any_spelling_finds_the_city(everywhere: Mirror, asked: tuple[str, ...], many: int, narrowed: bool):
    if narrowed:
        everywhere.publish(show_client=True)
    found = everywhere.find(cities=asked, size=50)
    assert (found.total, len(found.hits), found.ignored) == (many, many, ())
    assert everywhere.find("nurse", cities=asked).total == many


def test_two_cities_of_one_name_are_distinguished(mirrored: Mirror):
    mirrored.service.put(vacancy("a", location=at("Cambridge", "GB")))
    mirrored.service.put(vacancy("b", location=at("Cambridge", "US")))
    mirrored.service.put(vacancy("c", location=at("Cambridge", "US")))
    mirrored.sync()
    assert {choice.value: choice.count for choice in mirrored.find().cities} == {"Cambridge, GB": 1, "Cambridge, US": 2}
    assert mirrored.find(cities=("Cambridge, US",)).total == 2
    assert mirrored.find(cities=("Cambridge",)).total == 3


@pytest.mark.parametrize(
    "city",
    ["Remote", "remote", "Fully remote", "Anywhere in the European Union", "Europe", "DACH", "Deutschlandweit", "EU",
     "Homeoffice", "Home office", "Anywhere in Germany", "Remote (EU)", "Across Europe"],
)  # fmt: skip
def test_a_text_about_how_far_a_job_extends_is_no_city(mirrored: Mirror, city: str):
    mirrored.service.put(vacancy("a", location=at(city, "DE")))
    mirrored.sync()
    found = mirrored.find()
    assert (found.total, found.cities) == (1, ())
    assert [choice.value for choice in found.countries] == ["DE"]
    one = mirrored.posting("a")
    assert isinstance(one, Posting)
    assert (one.place.city, one.place.reach) == (None, city)
    assert mirrored.find(cities=(city,)).ignored == (city,)


@pytest.mark.parametrize("city", ["Berlin", "The Hague", "Remote Valley", "Anywhereville", "Ganz", "Remo"])
def test_cities_with_similar_names_stay_cities(city: str):
    assert not is_reach(city)
