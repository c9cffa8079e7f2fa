"""The file of countries equals CLDR's data, and each name leads to its own country."""

import sys
from importlib.resources import files
from pathlib import Path

import pytest

from portal.jobs.places.country import FILE, country_code
from portal.jobs.places.sorted_lines import unpacked
from portal.site.forms.fields import countries
from portal.tenants.languages import COMPLETE

ROOT = Path(__file__).parents[3]


def test_the_file_equals_one_generated_now(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    import country_names

    made = country_names.names()
    assert len(made) > 3_000
    assert dict(line.split("\t") for line in unpacked(FILE).decode().splitlines()) == made
    assert "babel" in sys.modules
    assert files("portal.jobs.places").joinpath(FILE).is_file()


@pytest.mark.parametrize("language", COMPLETE)
def test_a_country_is_found_by_its_name_in_every_language_of_the_pages(language: str):
    called = {name: code for code, name in countries.names(language)}
    assert len(called) > 240
    assert {name: country_code(name) for name in called} == called
    assert {code: country_code(code) for code in called.values()} == {code: code for code in called.values()}


def test_a_name_in_another_script_is_not_taken_for_the_code_that_it_sounds_like():
    assert country_code("مصر") == "EG"
    assert country_code("MSR") == country_code("msr") == "MS"
