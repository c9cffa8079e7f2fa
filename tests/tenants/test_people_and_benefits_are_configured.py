"""People, benefits and pictures for dark mode in a tenant file: accepted values, lengths and languages."""

import pytest

from portal.platform.errors import SettingsError
from portal.tenants.model import Person, Tenant
from portal.tenants.toml import parse
from portal.tenants.words import words_of

FILE = """name = "Acme"
[tracker]
base_url = "https://tracker.example"
api_key = "env:KEY"
[site]
locales = ["en", "de", "de-AT"]
logo = "https://acme.example/logo.svg"
cover = "https://acme.example/cover.jpg"
benefits = ["Lunch"]
[[site.people]]
name = "Ada"
role = "Welder"
picture = "https://acme.example/ada.jpg"
says = "I stay."
[[site.people]]
name = "Ben"
"""
GERMAN = """[site.text.de]
benefits = ["Mittagessen", "Urlaub"]
[site.text.de.people."Ada"]
says = "Ich bleibe."
[site.text.de.people."Ben"]
name = "Benno"
role = "Schweißer"
"""


def read(text: str) -> Tenant:
    return parse("acme", text, read_secret=lambda _reference: "k")


def refused(text: str) -> str:
    with pytest.raises(SettingsError) as caught:
        read(text)
    return str(caught.value)


def test_people_and_benefits_are_read_unchanged():
    site = read(FILE).site
    assert site.people == (Person("Ada", "Welder", "https://acme.example/ada.jpg", "I stay."), Person("Ben"))
    assert site.benefits == ("Lunch",)


@pytest.mark.parametrize("tag", ["de", "de-AT"])
def test_a_language_replaces_its_texts_and_marks_others_as_default_language(tag: str):
    words = words_of(read(FILE + GERMAN), tag)
    assert words.benefits == ("Mittagessen", "Urlaub")
    assert words.language_of("benefits") == "de"
    ada, ben = words.people
    assert (ada.role, ada.role_language, ada.says, ada.says_language) == ("Welder", "en", "Ich bleibe.", "de")
    assert (ben.name, ben.role, ben.role_language, ben.says) == ("Benno", "Schweißer", "de", None)
    assert ada.picture == "https://acme.example/ada.jpg"


def test_the_default_language_is_configured_elsewhere():
    words = words_of(read(FILE + GERMAN), "en")
    assert (words.benefits, words.language_of("benefits")) == (("Lunch",), "en")
    assert [person.name for person in words.people] == ["Ada", "Ben"]


def benefits(*named: str) -> str:
    return FILE.replace('benefits = ["Lunch"]', f"benefits = {list(named)}".replace("'", '"'))


def people(count: int) -> str:
    return FILE + "".join(f'[[site.people]]\nname = "P{n}"\n' for n in range(2, count))


@pytest.mark.parametrize(
    ("inside", "outside", "expected"),
    [
        (benefits(*["b"] * 12), benefits(*["b"] * 13), "line 9: site.benefits: expected at most 12"),
        (benefits("b" * 60), benefits("b" * 61), "line 9: site.benefits: expected at most 60 characters"),
        (benefits(), benefits(""), "line 9: site.benefits: expected text, and there is none"),
        (people(6), people(7), "site.people: expected at most 6"),
        (FILE.replace('"Ben"', f'"{"n" * 60}"'), FILE.replace('"Ben"', f'"{"n" * 61}"'), "line 16: site.people.name: "),
        (FILE.replace("Welder", "r" * 120), FILE.replace("Welder", "r" * 121), "line 12: site.people.role: "),
        (FILE.replace("I stay.", "s" * 300), FILE.replace("I stay.", "s" * 301), "line 14: site.people.says: "),
        (FILE, FILE.replace("https://acme.example/ada", "http://acme.example/ada"), "line 13: site.people.picture: "),
        (FILE, FILE.replace('"Ben"', '"Ada"'), "site.people: a name is there twice"),
        (FILE, FILE.replace('name = "Ben"', 'role = "Cook"'), "site.people.name: it is missing in this section"),
        (FILE + GERMAN, FILE + GERMAN.replace('people."Ben"', 'people."Bea"'), 'site.people has no "Bea"'),
        (
            FILE.replace("[[site.people]]", 'logo_dark = "https://acme.example/d.svg"\n[[site.people]]', 1),
            FILE.replace('logo = "https://acme.example/logo.svg"', 'logo_dark = "https://acme.example/d.svg"'),
            "line 7: site.logo_dark: there is no site.logo",
        ),
        (
            FILE.replace("[[site.people]]", 'cover_dark = "https://acme.example/d.svg"\n[[site.people]]', 1),
            FILE.replace('cover = "https', 'cover_dark = "https'),
            "line 8: site.cover_dark: there is no site.cover",
        ),
    ],
)
def test_excessive_or_contradictory_values_are_named_with_their_line(inside: str, outside: str, expected: str):
    read(inside)
    assert expected in refused(outside)
