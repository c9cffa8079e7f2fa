from importlib.resources import files

import pytest

from portal.jobs.places.place_lookup import REMOTE, choices, meanings
from portal.jobs.places.regions import find_regions, region
from portal.jobs.posting import Results, Sort
from portal.jobs.search import page
from portal.tenants.languages import COMPLETE
from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy

REGIONS = (files("portal.jobs.places") / "region_names.txt").read_text("utf-8").splitlines()[1:]
JOBS = {
    "leipzig": ({"city": "Leipzig", "country": "DE"}, "onsite"),
    "halle": ({"city": "Halle (Saale)", "country": "DE"}, "hybrid"),
    "munich": ({"city": "München", "country": "Germany"}, "onsite"),
    "village": ({"city": "Kleinort", "region": "Bavaria", "country": "DE"}, "onsite"),
    "short": ({"city": "Anderort", "region": "BY", "country": "DE"}, "onsite"),
    "remote": ({"city": None, "country": "DE"}, "remote"),
    "vienna": ({"city": "Wien", "country": "AT"}, "onsite"),
    "home": ({"city": None, "country": "AT"}, "remote"),
}


@pytest.fixture
def around(mirrored: Mirror) -> Mirror:
    for key, (place, way) in JOBS.items():
        mirrored.service.put(vacancy(key, "Nurse", location=place, location_type=way, description="<p>x</p>"))
    mirrored.sync()
    return mirrored


def ids(results: Results) -> set[str]:
    return {hit.posting.id for hit in results.hits}


@pytest.mark.parametrize("said", ["Bayern", "Bavaria", "Bavière", "baviera", "Bayern, Deutschland", "Bavaria, Germany"])
def test_a_region_is_an_area_in_any_language(around: Mirror, said: str):
    found = around.find(near=said, within_km=5)
    assert ids(found) == {"munich", "village", "short", "remote"}
    assert (found.total, found.remote, found.within_km) == (4, 1, 0)


@pytest.mark.parametrize("said", ["Österreich", "Austria", "Autriche", "AT", "النمسا"])
def test_a_country_is_an_area_in_any_language(around: Mirror, said: str):
    assert ids(around.find(near=said)) == {"vienna", "home"}


def test_jobs_remote_in_the_country_are_included_and_counted_separately(around: Mirror):
    found = around.find(near="Leipzig", within_km=50)
    assert ids(found) == {"leipzig", "halle", "remote"}
    assert (found.total, found.remote) == (3, 1)
    assert {hit.posting.id for hit in found.hits if hit.comes_remote} == {"remote"}


def test_remote_jobs_are_included_with_words_and_filters_too(around: Mirror):
    found = around.find("nurse", near="Leipzig", within_km=5)
    assert (ids(found), found.total, found.remote) == ({"leipzig", "remote"}, 2, 1)
    found = around.find("nurse", near="Leipzig", within_km=5, location_types=("onsite",))
    assert (ids(found), found.total, found.remote) == ({"leipzig"}, 1, 0)
    found = around.find(near="Leipzig", within_km=5, location_types=("remote",))
    assert (ids(found), found.total, found.remote) == ({"remote"}, 1, 1)


def test_each_hit_has_its_distance(around: Mirror):
    far = {hit.posting.id: hit.distance_km for hit in around.find(near="Leipzig", within_km=50).hits}
    assert far["leipzig"] == pytest.approx(0, abs=0.1)
    assert far["halle"] == pytest.approx(32, abs=2)
    assert far["remote"] is None


def test_without_a_location_no_hit_has_a_distance(around: Mirror):
    assert {hit.distance_km for hit in around.find().hits} == {None}
    assert {hit.distance_km for hit in around.find(near="Bayern").hits} == {None}


@pytest.mark.parametrize(
    ("city", "near"),
    [
        ("Anywhere in the European Union", True),
        ("Europaweit", True),
        ("DACH", True),
        ("Remote", True),
        (None, True),
        ("Nordics", False),
        ("Atlantis", False),
    ],
)
def test_a_remote_job_has_the_distance_of_its_area(mirrored: Mirror, city: str | None, near: bool):
    mirrored.service.put(vacancy("a", "a", location={"city": city, "country": None}, location_type="remote"))
    mirrored.service.put(vacancy("b", "b", location={"city": city, "country": None}, location_type="onsite"))
    mirrored.sync()
    found = mirrored.find(near="Leipzig", within_km=5)
    assert (ids(found), found.remote) == (({"a"}, 1) if near else (set(), 0))


def test_remote_typed_as_a_location_finds_remote_jobs(around: Mirror):
    for said in ("remote", "Homeoffice", "télétravail"):
        found = around.find(near=said)
        assert (ids(found), found.place) == ({"remote", "home"}, REMOTE)


def test_a_name_of_several_locations_offers_those_with_jobs(mirrored: Mirror):
    mirrored.service.put(vacancy("uk", "uk", location={"city": "Cambridge", "country": "UK"}))
    mirrored.sync()
    assert mirrored.find(near="Cambridge").others == ()
    mirrored.clock.pass_time(60)
    mirrored.service.put(vacancy("us", "us", location={"city": "Cambridge", "region": "MA", "country": "US"}))
    mirrored.sync()
    found = mirrored.find(near="Cambridge", within_km=25)
    shown = [ids(found)]
    shown += [ids(mirrored.find(near=other.full_name("de"), within_km=25)) for other in found.others[:1]]
    assert sorted(map(sorted, shown)) == [["uk"], ["us"]]


@pytest.mark.parametrize("language", COMPLETE)
def test_an_offered_location_is_found_when_it_is_chosen(around: Mirror, language: str):
    for said in ("Frankfurt", "Salzburg", "Halle", "Brandenburg", "Münster", "Berlin"):
        found = around.find(near=said)
        assert found.place is not None
        for each in (found.place, *found.others):
            again = around.find(near=each.full_name(language)).place
            assert again is not None
            assert (again.spot, again.region) == (each.spot, each.region), each.full_name(language)


def test_a_town_precedes_its_namesake_region_and_follows_a_better_match(around: Mirror):
    salzburg, brandenburg = around.find(near="Salzburg").place, around.find(near="Brandenburg").place
    assert salzburg is not None
    assert salzburg.spot is not None
    assert brandenburg is not None
    assert (brandenburg.spot, brandenburg.region) == (None, "DE-BB")


def test_a_part_of_a_country_is_not_the_country(mirrored: Mirror):
    for key, city in {"glasgow": "Glasgow", "leeds": "Leeds"}.items():
        mirrored.service.put(vacancy(key, key, location={"city": city, "country": "GB"}))
    mirrored.sync()
    assert ids(mirrored.find(near="Scotland")) == {"glasgow"}
    assert ids(mirrored.find(near="Schottland")) == {"glasgow"}


@pytest.mark.parametrize(
    "said", ["\x00", "?!", "ş" * 100, "漢字", "x" * 10_000, "1" * 100, ",,,", "a, b, c", "🏝", "' OR 1=1"]
)
def test_any_text_in_the_location_field_is_handled(around: Mirror, said: str):
    found = around.find(near=said, within_km=5)
    assert (found.near_unknown, found.total) == (True, len(JOBS))


@pytest.mark.parametrize(
    ("typed", "said"), [("Florida", "Florida, United States"), ("michigan", "Michigan, United States")]
)
def test_a_state_is_found_by_its_name(typed: str, said: str):
    assert meanings(typed, ["US"])[0].full_name("en") == said


@pytest.mark.parametrize("typed", ["Berlin", "Hamburg", "Raleigh", "Washington"])
def test_only_locations_with_the_typed_name_are_offered(typed: str):
    countries = ["DE", "US"]
    others = choices(meanings(typed, countries), countries, typed)
    assert all(each.full_name("en").startswith(typed) for each in others), others


def test_a_page_reference_that_no_longer_exists_leads_to_the_first_page(around: Mirror):
    past = page.encode_cursor(Sort.DATE, page.PageCursor(0, 0, 0, 20))
    assert ids(around.find(after=past)) == ids(around.find())
    assert ids(around.find(text="nurse", after=past)) == ids(around.find(text="nurse"))


def said(typed: str, language: str = "en") -> str | None:
    found = meanings(typed, ["DE", "AT", "CH"])
    return found[0].full_name(language) if found else None


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Lyon France", "Lyon, Auvergne-Rhône-Alpes, France"),
        ("Lyon, FR", "Lyon, Auvergne-Rhône-Alpes, France"),
        ("Paris Texas", "Paris, Texas, United States"),
        ("Frankfurt a.M.", "Frankfurt am Main, Hesse, Germany"),
        ("Frankfurt a. M.", "Frankfurt am Main, Hesse, Germany"),
        ("Frankfurt/Main", "Frankfurt am Main, Hesse, Germany"),
        ("Frankfurt/Oder", "Frankfurt (Oder), Brandenburg, Germany"),
        ("Neustadt a.d. Weinstraße", "Neustadt an der Weinstraße, Rhineland-Palatinate, Germany"),
        ("St Gallen", "St. Gallen, Switzerland"),
        ("Kanton St. Gallen", "Canton of St. Gallen, Switzerland"),
        ("Berlin, France", None),
        ("Berlin France", None),
        ("Berlin, Texas", None),
    ],
)
def test_a_location_is_recognised_as_people_write_it(typed: str, meant: str | None):
    assert said(typed) == meant


@pytest.mark.parametrize(
    ("typed", "language", "called"),
    [
        ("Munich", "de", "München, Bayern, Deutschland"),
        ("Kanton St. Gallen", "de", "Kanton St. Gallen, Schweiz"),
        ("Bayern", "nl", "Beieren, Duitsland"),
        ("Bayern", "pl", "Bawaria, Niemcy"),
        ("Sicily", "nl", "Sicilië, Italië"),
        ("Sizilien", "pl", "Sycylia, Włochy"),
        ("Salzburg Land", "de", None),
        ("Land Salzburg", "de", "Land Salzburg, Österreich"),
        ("Kanton Zug", "fr", "Canton de Zoug, Suisse"),
        ("Provincie Utrecht", "fr", "Province d’Utrecht, Pays-Bas"),
        ("Köln", "pl", "Kolonia, Nadrenia Północna-Westfalia, Niemcy"),
    ],
)
def test_a_location_is_named_in_the_language_of_the_page(typed: str, language: str, called: str | None):
    assert said(typed, language) == called


@pytest.mark.parametrize("language", COMPLETE)
def test_every_name_of_a_region_leads_to_it(language: str):
    for code in (line.split("|")[0] for line in REGIONS if line[2] == "-"):
        about = region(code)
        assert about is not None, code
        for name in filter(None, (about.name_in(language), about.formally(language))):
            assert about in find_regions(name), name


def test_a_language_without_formal_names_distinguishes_a_region_from_its_town_in_english():
    salzburg = region("AT-5")
    assert salzburg is not None
    assert (salzburg.name_in("pt"), salzburg.formally("pt")) == ("Salzburg", "State of Salzburg")


def test_another_country_is_not_where_the_tenants_village_is(mirrored: Mirror):
    for key, place in {"berlin": "Berlin", "village": "Kleinort"}.items():
        where = {"city": place, "country": "DE", "latitude": 52.5, "longitude": 13.4}
        mirrored.service.put(vacancy(key, key, location=where))
    mirrored.sync()
    for typed in ("Berlin, France", "Kleinort, France", "Kleinort, Texas"):
        assert mirrored.find(near=typed).near_unknown, typed
    assert ids(mirrored.find(near="Kleinort, Germany", within_km=5)) == {"berlin", "village"}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Muenchn", "munich"),
        ("Lepizig", "leipzig"),
        ("Lepizig, Germany", "leipzig"),
        ("Leipizg Deutschland", "leipzig"),
        ("Lepizig, France", None),
        ("Wieen", "vienna"),
        ("Wine", None),
        ("L31pzig", None),
    ],
)
def test_a_misspelt_town_is_corrected_to_the_closest_name(around: Mirror, typed: str, meant: str | None):
    found = around.find(near=typed, within_km=5)
    assert (found.near_guessed, found.near_unknown) == (meant is not None, meant is None)
    if meant:
        assert meant in ids(found)


def test_a_village_of_the_tenant_is_no_misspelt_town(mirrored: Mirror):
    where = {"city": "Lepizig", "country": "DE", "latitude": 47.5, "longitude": 11.4}
    mirrored.service.put(vacancy("village", "x", location=where))
    mirrored.sync()
    found = mirrored.find(near="Lepizig", within_km=5)
    assert (ids(found), found.near_guessed) == ({"village"}, False)
