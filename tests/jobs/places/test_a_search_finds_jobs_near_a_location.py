import pytest

from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy


@pytest.fixture
def around(mirrored: Mirror) -> Mirror:
    places = {
        "berlin": {"city": "Berlin", "country": "Germany"},
        "potsdam": {"city": "Potsdam", "country": "Germany"},
        "leipzig": {"city": "Leipzig", "country": "DE"},
        "village": {"city": "Kleinmachnow-Dorf", "country": "DE", "latitude": 52.4, "longitude": 13.22},
        "fiji": {"city": "Nadi", "country": "FJ", "latitude": -17.8, "longitude": 177.42},
        "remote": {"country": "Germany"},
    }
    for name, place in places.items():
        mirrored.service.put(vacancy(name, name, location=place))
    mirrored.sync()
    return mirrored


def test_jobs_around_a_city_are_found(around: Mirror):
    assert set(around.titles(near="Berlin", within_km=10)) == {"berlin"}
    assert set(around.titles(near="Berlin", within_km=50)) == {"berlin", "potsdam", "village"}
    assert set(around.titles(near="berlin, germany", within_km=25)) == {"berlin", "village"}
    assert set(around.titles(near="Berlin")) == {"berlin", "potsdam", "village"}


def test_distance_combines_with_words_and_filters(around: Mirror):
    found = around.find("potsdam", near="Berlin", within_km=50)
    assert found.total == 1
    assert sum(choice.count for choice in around.find(near="Berlin", within_km=50).cities) == 3


def test_distances_are_correct_across_the_date_line(around: Mirror):
    around.clock.pass_time(60)
    around.service.put(
        vacancy("taveuni", "taveuni", location={"latitude": -16.85, "longitude": -179.97, "country": "FJ"})
    )
    around.sync()
    assert set(around.titles(near="Nadi, Fiji", within_km=400)) == {"fiji", "taveuni"}


def test_a_village_missing_from_the_gazetteer_is_located_by_its_job(around: Mirror):
    assert set(around.titles(near="kleinmachnow-dorf", within_km=10)) == {"village"}


def test_an_unknown_location_is_reported_and_ignored(around: Mirror):
    found = around.find(near="Xyzzyville", within_km=10)
    assert (found.near_unknown, found.total) == (True, 6)


def test_punctuation_alone_is_no_location(around: Mirror):
    assert around.find(near="?!", within_km=10).near_unknown


def test_of_locations_with_one_name_the_one_with_jobs_is_chosen(mirrored: Mirror):
    mirrored.service.put(vacancy("uk", "uk", location={"city": "Cambridge", "country": "UK"}))
    mirrored.sync()
    assert mirrored.titles(near="Cambridge", within_km=10) == ["uk"]


def test_impossible_coordinates_are_ignored(mirrored: Mirror):
    mirrored.service.put(
        vacancy("a", "a", location={"city": "Berlin", "country": "DE", "latitude": 999, "longitude": 0})
    )
    mirrored.service.put(vacancy("b", "b", location={"city": "Berlin", "country": "DE", "latitude": 0, "longitude": 0}))
    mirrored.sync()
    assert set(mirrored.titles(near="Berlin", within_km=10)) == {"a", "b"}


def test_a_location_with_an_arabic_comma_is_found(around: Mirror):
    place = around.find(near="برلين، ألمانيا").place
    assert place
    assert place.full_name("ar") == "برلين، ألمانيا"
