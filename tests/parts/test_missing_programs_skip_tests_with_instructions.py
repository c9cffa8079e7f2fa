"""Tests of a missing program are skipped with a line that says how to install it; with CI=true they fail."""

import pytest
from _pytest.outcomes import Failed, Skipped

from tests.parts.missing import program


def test_a_missing_program_skips_the_test_locally(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(Skipped, match="no-such-server is not installed: apt-get install no-such-server"):
        program("no-such-server", how="apt-get install no-such-server")


def test_a_missing_program_fails_the_test_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(Failed, match="no-such-server is not installed"):
        program("no-such-server", how="apt-get install no-such-server")


def test_an_installed_program_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    assert program("sh", how="").endswith("/sh")
