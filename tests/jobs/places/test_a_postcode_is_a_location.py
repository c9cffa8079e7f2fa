import pytest

from portal.jobs.places.postcodes import SHAPES, find_postcodes
from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy


@pytest.mark.parametrize(
    ("country", "typed", "place"),
    [
        ("DE", "04109", "Leipzig"),
        ("DE", "D-04109", "Leipzig"),
        ("DE", "04109 Leipzig", "Leipzig"),
        ("AT", "1010", "Wien"),
        ("CH", "8001", "Zürich"),
        ("FR", "69001", "Lyon"),
        ("ES", "28001", "Madrid"),
        ("IT", "00184", "Roma"),
        ("NL", "1012 AB", "Amsterdam"),
        ("PL", "31-001", "Kraków"),
        ("GB", "SW1A 1AA", "Westminster"),
        ("GB", "m1 1ae", "Manchester"),
        ("BE", "1000", "Brux"),
        ("US", "94107-1234", "San Francisco"),
        ("LU", "L-1234", "Luxembourg"),
        ("CZ", "110 00", "Staré"),
        ("DK", "DK-8000", "Aarhus"),
        ("SE", "111 20", "Stockholm"),
    ],
)
def test_postcodes_are_recognised_in_each_countrys_format(country: str, typed: str, place: str):
    found = find_postcodes(typed, [country])[0]
    assert (found.spot.country, found.place[: len(place)]) == (country, place)


@pytest.mark.parametrize("typed", ["", "Leipzig", "0", "99999999", "Leipzig 0", "SW99Z 9ZZ", "-----", "0" * 50])
def test_other_texts_are_no_postcodes(typed: str):
    assert find_postcodes(typed, SHAPES) == []


@pytest.fixture
def around(mirrored: Mirror) -> Mirror:
    places = {"leipzig": ("Leipzig", "DE"), "berlin": ("Berlin", "DE"), "wien": ("Wien", "AT")}
    for key, (city, country) in places.items():
        mirrored.service.put(vacancy(key, key, location={"city": city, "country": country}))
    mirrored.sync()
    return mirrored


def test_jobs_are_found_around_a_postcode(around: Mirror):
    assert around.titles(near="04109", within_km=10) == ["leipzig"]
    assert around.titles(near="10115", within_km=10) == ["berlin"]
    assert around.titles(near="1010", within_km=10) == ["wien"]
    found = around.find(near="04109", within_km=10)
    assert found.place is not None
    assert found.place.full_name("de") == "04109 Leipzig, Deutschland"
    assert around.titles(near=found.place.full_name("de"), within_km=10) == ["leipzig"]


def test_a_village_missing_from_the_gazetteer_is_found_by_the_postcode_of_its_job(mirrored: Mirror):
    place = {"city": "Kleinkleckersdorf", "postalCode": "04178", "country": "DE"}
    mirrored.service.put(vacancy("village", "village", location=place))
    mirrored.sync()
    assert mirrored.titles(near="Leipzig", within_km=25) == ["village"]
