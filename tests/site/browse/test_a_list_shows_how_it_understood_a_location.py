"""One field accepts any kind of location; the list shows its interpretation, distances and alternatives."""

import re
from html import unescape

import pytest

from tests.site.browse.jobs import Careers, vacancy


@pytest.fixture
def around(acme: Careers) -> Careers:
    acme.publish(
        vacancy("v1", "Nurse", city="Leipzig"),
        vacancy("v2", "Cook", city="Halle (Saale)"),
        vacancy("v3", "Pilot", city="", way="remote"),
        vacancy("v4", "Baker", city="Frankfurt am Main"),
        vacancy("v5", "Diver", city="Frankfurt (Oder)"),
    )
    return acme


def text(page: str) -> str:
    return " ".join(unescape(re.sub("<[^>]+>", " ", page)).split())


def test_remote_jobs_are_marked_and_counted_separately(around: Careers):
    page = text(around.get("/acme/?near=Leipzig").text)
    assert "2 jobs within 50 km of Leipzig, Saxony, Germany. 1 remote job can be done from anywhere in Germany." in page
    assert "Remote in Germany" in page


def test_each_job_shows_its_distance(around: Careers):
    page = text(around.get("/acme/?near=Leipzig").text)
    assert re.search(r"Cook .*? 3\d km away", page)
    assert "Less than 1 km away" in page
    assert "km away" not in text(around.get("/acme/").text)


def test_the_default_distance_is_shown(around: Careers):
    chosen = re.compile(r'<option value="(\d*)" selected>(.*?)</option>')
    assert chosen.findall(around.get("/acme/").text) == [("", "Within 50 km")]
    assert chosen.findall(around.get("/acme/?near=Leipzig&within=5").text) == [("5", "Within 5 km")]
    assert "1 job within 5 km of Leipzig" in text(around.get("/acme/?near=Leipzig&within=5").text)


def test_other_locations_with_the_same_name_are_links(around: Careers):
    page = around.get("/acme/?near=Frankfurt&q=diver").text
    assert "Did you mean another location?" in text(page)
    other = re.search(r'<li><a href="([^"]+)">Frankfurt \(Oder\), Brandenburg, Germany</a>', page)
    assert other
    there = text(around.get(unescape(other[1])).text)
    assert "1 job within 50 km of Frankfurt (Oder), Brandenburg, Germany." in there
    assert "Did you mean another location?" not in there


def test_a_region_and_a_country_are_named_in_the_language_of_the_page(around: Careers):
    assert "Sachsen, Deutschland" in text(around.get("/acme/?near=Saxony&lang=de").text)
    assert "Saxony, Germany" in text(around.get("/acme/?near=Sachsen").text)
    assert "4 jobs in Germany." in text(around.get("/acme/?near=Deutschland").text)


def test_an_unknown_location_is_reported_and_ignored(around: Careers):
    page = text(around.get("/acme/?near=Xyzzyville").text)
    assert "The location “Xyzzyville” was not recognised" in page
    assert "5 jobs found" in page


@pytest.mark.parametrize("typed", ["%00", "x" * 10_000, "%F0%9F%8F%9D", "<b>", "%2C%2C", "1" * 500, "%D8%A8"])
def test_any_text_in_the_location_field_is_handled(around: Careers, typed: str):
    assert around.get(f"/acme/?near={typed}&within=5").status_code == 200
    answer = around.get(f"/acme/places?q={typed}")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")


def test_locations_with_jobs_are_suggested_first(around: Careers):
    offered = around.get("/acme/places?q=fra").json()
    assert offered[:2] == ["Frankfurt (Oder), Brandenburg, Germany", "Frankfurt am Main, Hesse, Germany"]
    assert len(offered) == 8
    assert len(set(offered)) == 8


def test_towns_near_jobs_precede_distant_ones(around: Careers):
    offered = around.get("/acme/places?q=mu").json()
    assert offered[0] == "Munich, Bavaria, Germany"
    abroad = [name for name in offered if name.rpartition(", ")[2] in {"India", "Pakistan", "China", "United States"}]
    assert offered[-len(abroad) :] == abroad or not abroad


def test_a_region_is_suggested_by_its_name_and_not_by_its_type(around: Careers):
    around.publish(vacancy("ch", "Guide", city="Zürich", country="CH"))
    cantons = [name for name in around.get("/acme/places?q=ca").json() if name.startswith("Canton")]
    assert cantons == []
    assert "Canton of Bern, Switzerland" in around.get("/acme/places?q=canton of b").json()
    assert "Canton of Bern, Switzerland" in around.get("/acme/places?q=ber").json()


def test_a_numbered_district_is_not_suggested_for_a_name(around: Careers):
    assert not [name for name in around.get("/acme/places?q=paris").json() if re.search(r"\d", name)]
    assert "Paris 15 Vaugirard, Île-de-France, France" in around.get("/acme/places?q=paris 15").json()


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("köl", "Köln, Nordrhein-Westfalen, Deutschland"),
        ("münc", "München, Bayern, Deutschland"),
        ("bay", "Bayern, Deutschland"),
        ("0410", "04103 Leipzig, Deutschland"),
        ("deuts", "Deutschland"),
    ],
)
def test_a_location_of_any_type_is_suggested_in_the_language_of_the_page(around: Careers, typed: str, offered: str):
    assert offered in around.get(f"/acme/places?q={typed}&lang=de").json()
    assert "We do not know" not in around.get(f"/acme/?near={offered}&lang=de").text


def test_one_letter_suggests_nothing(around: Careers):
    assert around.get("/acme/places?q=l").json() == []
    assert around.get("/acme/places").json() == []


def test_frequent_suggestions_are_cached_and_excessive_requests_are_rejected(around: Careers):
    first, second = (around.get("/acme/places?q=lei") for _ in range(2))
    assert first.headers["ETag"] == second.headers["ETag"]
    assert "public" in first.headers["Cache-Control"]
    assert "Set-Cookie" not in first.headers
    statuses = [around.get(f"/acme/places?q=a{number}").status_code for number in range(241)]
    assert statuses[:200] == [200] * 200
    assert statuses[-1] == 429
    assert around.get("/acme/places?q=lei").status_code == 200


def test_the_location_of_a_closed_job_is_no_longer_suggested(around: Careers):
    assert around.get("/acme/places?q=hal").json()[0] == "Halle (Saale), Saxony-Anhalt, Germany"
    around.publish(vacancy("v2", "Cook", city="Halle (Saale)", stage="Filled"), vacancy("v6", "Cook", city="Hamburg"))
    assert around.get("/acme/places?q=ha").json()[0] == "Hamburg, Germany"


def test_a_corrected_location_is_reported(around: Careers):
    page = text(around.get("/acme/?near=Lepizig&within=5").text)
    assert "The location “Lepizig” was not recognised. These jobs are near “Leipzig, Saxony, Germany”." in page
    assert "1 job within 5 km of Leipzig" in page


@pytest.mark.parametrize("typed", ["%F0%9F%8E%89", "%3F%21", "%E2%80%94"])
def test_a_search_without_any_word_is_reported(around: Careers, typed: str):
    page = text(around.get(f"/acme/?q={typed}").text)
    assert "contains no searchable words, so it was ignored." in page
    assert "5 jobs found" in page
    assert "contains no searchable words" not in text(around.get("/acme/?q=nurse").text)
    assert "contains no searchable words" not in text(around.get("/acme/?q=the").text)
