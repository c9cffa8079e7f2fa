import pytest

from portal.jobs.places.country import country_code
from portal.jobs.posting import JobLocation, Posting
from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("Germany", "DE"), ("Deutschland", "DE"), ("Allemagne", "DE"), ("DE", "DE"), ("de", "DE"), ("DEU", "DE"),
        ("UK", "GB"), ("Scotland", "GB"), ("The Netherlands", "NL"), ("Holland", "NL"), ("USA", "US"), ("U.S.A.", "US"),
        ("Österreich", "AT"), ("Suisse", "CH"), ("España", "ES"), ("Polska", "PL"), ("Türkiye", "TR"), ("Turkey", "TR"),
        ("Czech Republic", "CZ"), ("Ελλάδα", "GR"), ("🇩🇪 Germany", "DE"),
        ("Atlantis", None), ("", None), ("Europe", None), ("Remote", None),
    ],
)  # fmt: skip
def test_a_country_is_recognised_by_its_names(said: str, code: str | None):
    assert country_code(said) == code


@pytest.mark.parametrize(
    ("said", "city", "country"),
    [
        ({"city": " Berlin  Mitte ", "country": "Deutschland"}, "Berlin Mitte", "DE"),
        ({"rawCityCountry": "Salzburg, Austria"}, "Salzburg", "AT"),
        ({"formattedAddress": "Hop Lane 3, York, United Kingdom"}, "York", "GB"),
        ({"rawCityCountry": "Anywhere"}, "Anywhere", None),
        ({"rawCityCountry": "Poland"}, None, "PL"),
        ({"city": "Atlantis City", "country": "Atlantis"}, "Atlantis City", "Atlantis"),
        ({}, None, None),
        (None, None, None),
    ],
)
def test_a_location_is_recognised_from_incomplete_fields(
    mirrored: Mirror, said: dict[str, str] | None, city: str | None, country: str | None
):
    mirrored.service.put(vacancy(location=said))
    mirrored.sync()
    found = mirrored.posting("v1")
    assert isinstance(found, Posting)
    assert (found.place.city or found.place.reach, found.place.country) == (city, country)


def test_the_other_fields_of_a_location_are_kept(mirrored: Mirror):
    said = {"street1": "Main St 1", "street2": "Back", "postalCode": "10115", "city": "Berlin", "state": "BE",
            "country": "DE", "latitude": 52.5, "longitude": 13.4}  # fmt: skip
    mirrored.service.put(vacancy(location=said))
    mirrored.sync()
    found = mirrored.posting("v1")
    assert isinstance(found, Posting)
    assert found.place == JobLocation("Berlin", "BE", "10115", "DE", "Main St 1, Back", 52.5, 13.4)
