"""The file of countries is what CLDR says of them."""

import sys
from importlib.resources import files
from pathlib import Path

import pytest

from portal.vacancies.country import FILE, country_code

ROOT = Path(__file__).parent.parent.parent


def test_the_file_is_what_would_be_made_today(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    import country_names

    made = country_names.names()
    assert len(made) > 3_000
    assert {name: country_code(name) for name in made} == made
    assert "babel" in sys.modules
    assert files("portal.vacancies").joinpath(FILE).is_file()
