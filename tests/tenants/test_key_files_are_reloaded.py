"""An API key file can be added, changed or removed without a restart, like its tenant file."""

import logging
from pathlib import Path

import pytest

from portal.platform.config.settings import read_secret
from portal.tenants.folder import Tenants
from tests import builders
from tests.told_clock import ToldClock


class Office:
    """A folder with one tenant file that names a key file beside the folder."""

    def __init__(self, folder: Path) -> None:
        self.key = folder / "key"
        self.clock = ToldClock()
        self.reads = 0
        tenants = folder / "tenants"
        tenants.mkdir()
        self.file = tenants / "acme.toml"
        self.file.write_text(
            f'name = "Acme"\n[tracker]\nbase_url = "https://tracker.example"\napi_key = "file:{self.key}"\n'
        )
        self.tenants = Tenants(tenants, read_secret=self._read, clock=self.clock)

    def _read(self, reference: str) -> str:
        self.reads += 1
        return read_secret(reference)

    def used(self) -> str | None:
        """Return the key in use after a moment."""
        self.clock.pass_time(1)
        tenant = self.tenants.get("acme")
        return tenant.tracker.api_key if tenant else None

    @property
    def problem(self) -> str:
        return self.tenants.problems().get("acme", "")


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


def test_a_key_added_later_is_used(office: Office):
    assert office.used() is None
    assert "line 4: tracker.api_key" in office.problem
    office.key.write_text("first\n")
    assert office.used() == "first"
    assert not office.problem


def test_a_changed_key_is_used(office: Office):
    office.key.write_text("first")
    assert office.used() == "first"
    office.key.write_text("second-key")
    assert office.used() == "second-key"
    renamed = office.key.with_name("new")
    renamed.write_text("third-key!!")
    renamed.replace(office.key)
    assert office.used() == "third-key!!"


@pytest.mark.parametrize("trouble", ["gone", "empty", "not text"])
def test_an_unreadable_key_file_keeps_the_last_key_and_is_logged_once(
    office: Office, trouble: str, caplog: pytest.LogCaptureFixture
):
    office.key.write_text("first")
    assert office.used() == "first"
    if trouble == "gone":
        office.key.unlink()
    else:
        office.key.write_bytes(b"" if trouble == "empty" else b"\xff\xfe hush")
    with caplog.at_level(logging.ERROR):
        assert [office.used() for _ in range(3)] == ["first"] * 3
    assert "tracker.api_key" in office.problem
    assert len(caplog.messages) == 1
    assert "hush" not in caplog.text
    office.key.write_text("back-again")
    assert office.used() == "back-again"
    assert not office.problem


def test_an_unchanged_key_file_is_read_once(office: Office):
    office.key.write_text("first")
    for _ in range(100):
        assert office.used() == "first"
    assert office.reads == 1


def test_an_impossible_file_name_affects_only_its_tenant(office: Office):
    office.key.write_text("first")
    office.file.with_name("globex.toml").write_text(
        office.file.read_text().replace(f"file:{office.key}", "file:\\u0000")
    )
    assert office.used() == "first"
    assert "tracker.api_key" in office.tenants.problems()["globex"]


def test_later_requests_use_the_new_key(tmp_path: Path):
    here = builders.portal(tmp_path / "here")
    here.add_tenant("acme", "Acme")
    parts = here.parts
    parts.upstream(parts.tenants.get("acme")).vacancies(limit=1)
    first = here.keys["acme"]
    second = builders.administration.create_key(here.service.database, here.service.clock, "acme")
    builders.administration.revoke_key(here.service.database, here.service.clock, "acme", first.split("_")[1])
    (here.folder / "acme.key").write_text(second + "\n")
    parts.clock.pass_time(1)
    parts.upstream(parts.tenants.get("acme")).vacancies(limit=1)
    parts.close()


def test_webhook_secrets_are_not_api_keys(office: Office, monkeypatch: pytest.MonkeyPatch):
    assert office.tenants.key_file("acme") == str(office.key)
    monkeypatch.setenv("ACME_KEY", "first")
    office.key.write_text("whsec_" + "A" * 32)
    text = office.file.read_text().replace(f"file:{office.key}", "env:ACME_KEY")
    office.file.write_text(text + f'[webhooks]\njobs = []\nsecret = "file:{office.key}"\n')
    office.used()
    assert office.tenants.key_file("acme") is None
