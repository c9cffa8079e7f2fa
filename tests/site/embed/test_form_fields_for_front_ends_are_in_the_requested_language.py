"""The form's fields for front ends have labels, hints and choices in the requested language."""

from tests.site.browse.jobs import Careers, vacancy


def fields(acme: Careers, query: str = "") -> dict[str, dict]:
    acme.publish(vacancy("j1", "Robot engineer"))
    return {field["name"]: field for field in acme.get(f"/acme/jobs/j1.json{query}").json()["apply"]["fields"]}


def test_labels_hints_and_countries_are_in_that_language(acme: Careers):
    english, german = fields(acme), fields(acme, "?lang=de")
    assert (english["firstName"]["label"], german["firstName"]["label"]) == ("First name", "Vorname")
    assert english["email"]["help"] == "Your receipt will be sent to this address."
    assert german["email"]["help"] not in {None, english["email"]["help"]}
    named = [{option["value"]: option["label"] for option in each["country"]["options"]} for each in (english, german)]
    assert [each["DE"] for each in named] == ["Germany", "Deutschland"]
    assert min(map(len, named)) > 240
    assert {name for name, field in english.items() if field["options"] is not None} == {"country"}


def test_hints_are_those_of_the_page(acme: Careers):
    asked = fields(acme)
    page = acme.get("/acme/jobs/j1/apply").text
    hints = [field["help"] for field in asked.values() if field["help"]]
    assert len(hints) == 4
    assert [hint for hint in hints if hint not in page] == []
    cv = acme.get("/acme/jobs/j1.json").json()["apply"]["cv"]
    assert cv["label"] in page
    assert cv["help"] in page


def test_a_field_names_its_place_in_the_body(acme: Careers):
    asked = fields(acme)
    assert (asked["email"]["pointer"], asked["city"]["pointer"]) == ("#/email", "#/location/city")
