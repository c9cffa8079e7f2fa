"""A tenant has texts for each language; missing ones are replaced by the default texts."""

import pytest

from portal.platform.errors import SettingsError
from portal.tenants.model import ReasonToJoin
from portal.tenants.toml import parse
from portal.tenants.words import words_of

FILE = """name = "Acme"
[tracker]
base_url = "https://tracker.example"
api_key = "env:KEY"
[publish.facets]
"Department" = "attribute:dep"
[site]
locales = ["en", "de", "de-AT", "fr-CH"]
tagline = "Robots"
about = "We build."
links = [["Company", "https://acme.example"]]
[site.quote]
text = "It is good here."
[[site.why]]
title = "Time"
text = "Enough of it."
[site.text.de]
tagline = "Roboter"
consent = "Ich bin einverstanden."
links = [["Firma", "https://acme.example/de"]]
[site.text.de.stages]
"Phone screen" = "Erstes Gespräch"
[site.text.de.facets]
"Department" = "Abteilung"
[[site.text.de.why]]
title = "Zeit"
text = "Genug davon."
[site.text.fr]
privacy_url = "https://acme.example/fr/confidentialite"
[apply]
consent = "I agree."
privacy_url = "https://acme.example/privacy"
[profile.stages]
"Phone screen" = "First conversation"
"Offer" = "Offer"
"""


def read(text: str):
    return parse("acme", text, read_secret=lambda _reference: "k")


def test_texts_of_a_language_are_used_in_it():
    words = words_of(read(FILE), "de")
    assert (words.tagline, words.consent) == ("Roboter", "Ich bin einverstanden.")
    assert words.links == (("Firma", "https://acme.example/de"),)
    assert words.why == (ReasonToJoin("Zeit", "Genug davon."),)
    assert words.stages == {"Phone screen": "Erstes Gespräch", "Offer": "Offer"}
    assert words.facets == {"Department": "Abteilung"}


def test_missing_texts_are_replaced_by_the_default_ones():
    german, english = words_of(read(FILE), "de"), words_of(read(FILE), "en")
    assert (german.about, german.privacy_url) == ("We build.", "https://acme.example/privacy")
    assert german.quote == english.quote
    assert (english.tagline, english.consent, english.facets) == ("Robots", "I agree.", {"Department": "Department"})


def test_regional_languages_use_the_texts_of_their_language():
    tenant = read(FILE)
    assert words_of(tenant, "de-AT") == words_of(tenant, "de")
    assert words_of(tenant, "fr-CH").privacy_url == "https://acme.example/fr/confidentialite"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("[site.text.fr]", "[site.text.es]", 'site.text.es: site.locales does not name "es", so nobody'),
        ('consent = "Ich', 'consent = "Ich', "site.text.de.consent: there is no apply.consent: it is asked"),
        ('"Department" = "Abt', '"Team" = "Abt', 'site.text.de.facets.Team: publish.facets has no "Team"'),
        ('tagline = "Roboter"', "tagline = 7", "site.text.de.tagline: expected text in quotes"),
        ('tagline = "Roboter"', 'slogan = "R"', "site.text.de.slogan: no such setting"),
        ('title = "Zeit"', f'title = "{"x" * 121}"', "site.text.de.why.title: expected at most 120"),
    ],
)
def test_an_invalid_text_is_named_with_its_line(right, wrong, message):
    file = FILE.replace(right, wrong)
    if "consent" in wrong:
        file = file.replace('consent = "I agree."\n', "")
    with pytest.raises(SettingsError) as caught:
        read(file)
    line = next(number for number, said in enumerate(file.splitlines(), 1) if wrong in said)
    assert str(caught.value).startswith(f"line {line}: {message}")


@pytest.mark.parametrize("tag", ["pt-BR", "zh", "tr"])
def test_an_unknown_language_is_rejected_with_the_available_ones(tag):
    with pytest.raises(SettingsError) as caught:
        read(FILE.replace('"fr-CH"]', f'"{tag}"]'))
    assert str(caught.value).startswith("line 8: site.locales: there are no words in this language; expected one of")
    assert str(caught.value).partition("of ")[2].startswith("en, de, fr, es, it, nl, pl, ar")
