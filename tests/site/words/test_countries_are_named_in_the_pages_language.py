import pytest

from portal.site.forms.fields import countries
from portal.site.forms.fields.refusal import Refused


@pytest.mark.parametrize("locale", ["en", "de", "fr", "ar", "zh", "pt_BR"])
def test_all_249_countries_of_iso_3166_are_listed(locale: str) -> None:
    assert len(countries.names(locale)) == len({code for code, _ in countries.names(locale)}) == 249


def test_names_are_in_the_language() -> None:
    assert dict(countries.names("de"))["ES"] == "Spanien"
    assert dict(countries.names("fr"))["DE"] == "Allemagne"


def test_countries_are_sorted_as_in_the_language() -> None:
    german = [name for _, name in countries.names("de")]
    assert german.index("Ägypten") < german.index("Albanien") < german.index("Österreich") < german.index("Zypern")
    swedish = [name for _, name in countries.names("sv")]
    assert swedish.index("Zimbabwe") < swedish.index("Åland") < swedish.index("Österrike")


@pytest.mark.parametrize(("typed", "code"), [("DE", "DE"), (" de ", "DE"), ("", None)])
def test_a_country_code_is_accepted(typed: str, code: str | None) -> None:
    assert countries.parse(typed) == code


@pytest.mark.parametrize("typed", ["XX", "EU", "Germany", "DEU", "D", "٤٤", "ß"])
def test_an_unknown_country_is_rejected(typed: str) -> None:
    with pytest.raises(Refused):
        countries.parse(typed)
